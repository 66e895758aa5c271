// The buffers that a core's kernel made, by number.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/site.hpp"
#include "isa/core/core_watcher.hpp"

namespace davsim::checker {

class BufferTable {
 public:
  struct Buffer {
    isa::LocalBuffer made;
    isa::BufferOwner owner = isa::BufferOwner::kNobody;
    bool was_taken = false;
    isa::SourceLocation passed;  ///< line of its last AllocTensor, EnQue, DeQue or FreeTensor
    isa::SourceLocation reset;   ///< the TPipe's Reset that took it back; no line if none did

    std::uint64_t end() const { return std::uint64_t{made.addr} + made.bytes; }
    /// "VECIN buffer of rope.cpp:31"
    std::string name() const;
    bool reserved() const { return made.kind == isa::LocalBuffer::Kind::kReserved; }
    bool freed() const { return was_taken && owner == isa::BufferOwner::kNobody; }
  };

  /// The same buffer made again on the same line keeps its number.
  std::uint16_t add(const isa::LocalBuffer& buffer);
  void pass(std::uint16_t number, isa::BufferOwner to, isa::SourceLocation where);
  /// nullptr for 0 and for numbers that were not given.
  const Buffer* find(std::uint16_t number) const {
    return number == 0 || number > buffers_.size() ? nullptr : &buffers_[number - 1];
  }
  /// Whether a call keeps the bytes of this buffer to itself.
  bool is_reserved(std::uint16_t number) const {
    const Buffer* buffer = find(number);
    return buffer != nullptr && buffer->reserved();
  }
  /// Two buffers that share bytes without being views of the same place.
  bool overlap_by_mistake(std::uint16_t a, std::uint16_t b) const;
  /// Calls visit(buffer) for queue buffers that somebody holds, and forgets who holds what.
  template <class Visit>
  void forget_owners(Visit visit) {
    for (Buffer& buffer : buffers_) {
      if (buffer.owner == isa::BufferOwner::kTaken) visit(std::as_const(buffer));
      buffer.owner = isa::BufferOwner::kNobody;
      buffer.was_taken = false;
    }
  }
  /// The TPipe takes its buffers back, which are those of queues and TBufs.
  void reset(isa::SourceLocation where);
  void clear();

 private:
  using Key = std::tuple<isa::Space, std::uint32_t, std::uint32_t, const char*, std::uint32_t>;
  std::vector<Buffer> buffers_;
  std::map<Key, std::uint16_t> numbers_;
};

}  // namespace davsim::checker
