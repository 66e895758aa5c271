// The table of the on-chip buffers that the kernel of a core made, by number.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checker/made_numbers.hpp"
#include "checker/site.hpp"

namespace davsim::checker {

class BufferTable {
 public:
  struct Buffer {
    isa::LocalBuffer made;
    isa::BufferOwner owner = isa::BufferOwner::kNobody;
    bool was_taken = false;
    isa::SourceLocation passed;  ///< line of its last AllocTensor, EnQue, DeQue or FreeTensor
    isa::SourceLocation reset;   ///< line of the TPipe's Reset that released it, if any

    std::uint64_t end() const { return std::uint64_t{made.addr} + made.bytes; }
    /// "VECIN buffer of rope.cpp:31"
    std::string name() const;
    bool reserved() const { return made.kind == isa::LocalBuffer::Kind::kReserved; }
    bool released() const { return reset.line() != 0; }
    bool freed() const { return was_taken && owner == isa::BufferOwner::kNobody; }
  };

  /// A buffer that the same line makes again keeps its number.
  std::uint16_t add(const isa::LocalBuffer& buffer);
  void pass(std::uint16_t number, isa::BufferOwner to, isa::SourceLocation where);
  /// nullptr for 0 and for unknown numbers.
  const Buffer* find(std::uint16_t number) const {
    return number == 0 || number > buffers_.size() ? nullptr : &buffers_[number - 1];
  }
  /// Whether a call of the kernel API reserves this buffer for itself.
  bool is_reserved(std::uint16_t number) const {
    const Buffer* buffer = find(number);
    return buffer != nullptr && buffer->reserved();
  }
  /// Whether two buffers share bytes without being views of the same address.
  bool overlap_by_mistake(std::uint16_t a, std::uint16_t b) const;
  /// Calls visit(buffer) for queue buffers that have an owner, and forgets all owners.
  template <class Visit>
  void forget_owners(Visit visit) {
    for (Buffer& buffer : buffers_) {
      if (buffer.owner == isa::BufferOwner::kTaken) visit(std::as_const(buffer));
      buffer.owner = isa::BufferOwner::kNobody;
      buffer.was_taken = false;
    }
  }
  /// The TPipe releases its buffers: those of queues and TBufs.
  void reset(isa::SourceLocation where);
  void clear();

 private:
  std::vector<Buffer> buffers_;
  MadeNumbers numbers_;
};

}  // namespace davsim::checker
