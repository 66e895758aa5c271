// The chunks of one operand that L1 holds.
#pragma once

#include "kernel_operator.h"
#include "kernels/matmul/matmul_tiling.h"

namespace kernel_matmul {

/// A ring of slots. Chunks are asked for in the order in which they are used, so the slot behind
/// the one asked for last is the one that was used longest ago.
class L1Panel {
 public:
  __aicore__ inline void Init(uint32_t slots) {
    slots_ = slots;
    last_ = slots - 1;
    for (uint32_t slot = 0; slot < kMatmulMostSlots; ++slot) tags_[slot] = kEmpty;
  }

  /// Slot of chunk `chunk` of panel `panel`, a row or column of tiles. `load` is set if the chunk
  /// is not there yet.
  __aicore__ inline uint32_t Find(uint32_t panel, uint32_t chunk, bool& load) {
    const uint64_t tag = (static_cast<uint64_t>(panel) << 32) | chunk;
    for (uint32_t slot = 0; slot < slots_; ++slot) {
      if (tags_[slot] != tag) continue;
      load = false;
      return last_ = slot;
    }
    last_ = last_ + 1 == slots_ ? 0 : last_ + 1;
    tags_[last_] = tag;
    load = true;
    return last_;
  }

 private:
  static constexpr uint64_t kEmpty = ~0ull;
  uint32_t slots_ = 0, last_ = 0;
  uint64_t tags_[kMatmulMostSlots] = {};
};

}  // namespace kernel_matmul
