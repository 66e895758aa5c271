#include "checker/buffer_table.hpp"

#include "observe/cycle_classes.hpp"

namespace davsim::checker {

std::string BufferTable::Buffer::name() const {
  if (reserved()) {
    return "last " + std::to_string(made.bytes) + " bytes of " +
           std::string(isa::space_name(made.space)) + ", which " + std::string(made.position) +
           " keeps to itself";
  }
  const char* kind = made.kind == isa::LocalBuffer::Kind::kQueue  ? " buffer of "
                     : made.kind == isa::LocalBuffer::Kind::kTBuf ? " TBuf of "
                                                                  : " tensor of ";
  return std::string(made.position) + kind + observe::short_line(made.where);
}

std::uint16_t BufferTable::add(const isa::LocalBuffer& buffer) {
  const auto known = numbers_.find(buffer);
  if (known != numbers_.end()) {
    buffers_[known->second - 1].reset = {};
    return known->second;
  }
  if (buffers_.size() >= UINT16_MAX) return 0;
  buffers_.push_back({buffer, isa::BufferOwner::kNobody, false, {}, {}});
  const auto number = static_cast<std::uint16_t>(buffers_.size());
  numbers_.emplace(buffer, number);
  return number;
}

void BufferTable::pass(std::uint16_t number, isa::BufferOwner to, isa::SourceLocation where) {
  if (find(number) == nullptr) return;
  Buffer& buffer = buffers_[number - 1];
  buffer.owner = to;
  buffer.was_taken = true;
  buffer.passed = where;
}

bool BufferTable::overlap_by_mistake(std::uint16_t a, std::uint16_t b) const {
  const Buffer* one = find(a);
  const Buffer* other = find(b);
  if (one == nullptr || other == nullptr || one == other) return false;
  if (one->made.space != other->made.space || one->made.addr == other->made.addr) return false;
  return one->made.addr < other->end() && other->made.addr < one->end();
}

void BufferTable::reset(isa::SourceLocation where) {
  using Kind = isa::LocalBuffer::Kind;
  for (Buffer& buffer : buffers_) {
    if (buffer.made.kind == Kind::kQueue || buffer.made.kind == Kind::kTBuf) buffer.reset = where;
  }
}

void BufferTable::clear() {
  buffers_.clear();
  numbers_.clear();
}

}  // namespace davsim::checker
