// Tensors that are cut out of one buffer by offset. A tensor is known by what is written to it in
// one piece: if another line writes a piece that begins in the first and ends outside it, or the
// other way round, and the first is then read from its beginning, one of the two is larger than its
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/mark.hpp"
#include "isa/exec/access.hpp"

namespace davsim::checker {

class CutTensors {
 public:
  /// A write through the buffer that `access` names. `fills`: it gives all bytes the same value, as
  /// what is to be overwritten in part is prepared.
  void written(const isa::Access& access, const Mark& mark, bool fills);
  /// A read. Returns the write that took bytes of what is read here away, unread, if there is one.
  std::optional<Mark> read(const isa::Access& access);
  void clear() {
    buffers_.clear();
    has_pieces_.clear();
  }

 private:
  /// Addresses within an on-chip buffer: all ranges of a buffer fit few lines of the host's cache.
  using Address = std::uint32_t;
  struct Range {
    Address low = 0, high = 0;
    std::uint32_t age = 0;  ///< number of the write

    bool within(Address from, Address to) const { return from <= low && high <= to; }
    bool meets(Address from, Address to) const { return low < to && from < high; }
  };
  struct Piece {
    Mark mark;
    Mark taken;  ///< by whom, and from where on; stamp 0: by nobody
    Address taken_low = 0;
    bool read = false;
  };
  /// The last pieces of a buffer that may still lead to a finding; what is older is forgotten. A
  /// choice: each access looks at all of them.
  static constexpr std::size_t kMost = 16;
  /// The ranges stand by themselves: each access looks at all of them, and at few of the pieces.
  struct Buffer {
    std::vector<Range> ranges;
    std::vector<Piece> pieces;

    void add(const Range& range, const Piece& piece);
    /// The last piece takes its place.
    void forget(std::size_t place);
    void forget_within(Address low, Address high);
  };

  std::vector<Buffer> buffers_;  ///< by number
  /// Each read asks, and most are of buffers that have none.
  std::vector<bool> has_pieces_;
  std::uint32_t writes_ = 0;
};

}  // namespace davsim::checker
