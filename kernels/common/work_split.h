// The split of a launch's work into the shares of its blocks.
#pragma once

#include "kernel_operator.h"

namespace kernel_common {

/// Work items [begin, end).
struct WorkRange {
  uint64_t begin;
  uint64_t end;
};

/// Part `index` of `total` items, cut into `parts` contiguous ranges whose sizes differ by at most
/// one. Ranges of neighbouring parts adjoin. If there are more parts than items, the last are
/// empty.
__aicore__ inline WorkRange ShareOfWork(uint64_t total, uint64_t parts, uint64_t index) {
  const uint64_t base = total / parts;
  const uint64_t longer = total % parts;  // this many ranges hold one item more
  const uint64_t begin = index * base + (index < longer ? index : longer);
  return {begin, begin + base + (index < longer ? 1 : 0)};
}

/// Size of the next piece when `remaining` items pass through a buffer of `capacity`. The pieces
/// are even, because a very small piece would have the fixed costs of a large one.
__aicore__ inline uint32_t EvenPiece(uint64_t remaining, uint32_t capacity) {
  const uint64_t pieces = (remaining + capacity - 1) / capacity;
  return static_cast<uint32_t>((remaining + pieces - 1) / pieces);
}

}  // namespace kernel_common
