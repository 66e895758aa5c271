// Tensors that are cut out of one buffer by offset. A tensor is known by what is written to it in
// one piece: if another line writes a piece that begins in the first and ends outside it, or the
// other way round, and the first is then read from its beginning, one of the two is larger than its
// place.
#pragma once

#include <cstdint>
#include <map>
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
  void clear() { buffers_.clear(); }

 private:
  struct Piece {
    std::uint64_t low = 0, high = 0;
    Mark mark;
    bool fills = false, read = false;
    std::optional<Mark> taken;  ///< by whom, and from where to where
    std::uint64_t taken_low = 0, taken_high = 0;
  };
  /// The last pieces of a buffer; what is older is forgotten.
  static constexpr std::size_t kMost = 16;

  std::map<std::uint16_t, std::vector<Piece>> buffers_;  ///< by number
};

}  // namespace davsim::checker
