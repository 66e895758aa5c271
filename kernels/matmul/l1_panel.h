// The chunks of one operand that L1 holds.
#pragma once

#include "kernel_operator.h"
#include "kernels/matmul/matmul_tiling.h"

namespace kernel_matmul {

/// A ring of slots. Chunks are requested in the order of their use. The slot behind that of the
/// last request is therefore the least recently used one.
class L1Panel {
 public:
  __aicore__ inline void Init(uint32_t slots) {
    slots_ = slots;
    last_ = slots - 1;
    for (uint32_t slot = 0; slot < kMatmulMostSlots; ++slot) tags_[slot] = kEmpty;
  }

  /// The slot of chunk `chunk` of panel `panel`, a row or column of tiles. `load` receives whether
  /// the chunk has to be loaded.
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
