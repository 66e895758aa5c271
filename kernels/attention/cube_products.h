// The products of the cube core's part of attention, and the rings in L1 that hold their operands.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/attention_tiling.h"

namespace kernel_attention {

/// A ring of places of one kind in L1.
class L1Ring {
 public:
  /// Returns the address behind it.
  __aicore__ inline uint32_t Init(uint32_t first, uint32_t places, uint32_t bytes) {
    first_ = first, places_ = places, bytes_ = bytes;
    return first + places * bytes;
  }
  __aicore__ inline uint32_t At(uint32_t index) const { return first_ + index % places_ * bytes_; }
  __aicore__ inline uint32_t Take() { return At(taken_++); }

 private:
  uint32_t first_ = 0, places_ = 1, bytes_ = 0, taken_ = 0;
};

/// The products of one load of key or value rows, from L1 on: one for each of its blocks of
/// columns. Those of key rows are added up, those of value rows are sums of their own.
struct Product {
  bool of_scores;
  bool first, last;  ///< whether it is the first or last of the products of its sums
  bool ends_step, ends_unit;
  uint32_t m;
  uint32_t rows;       ///< of key or value
  uint32_t from, end;  ///< blocks of columns
  uint32_t a, b;       ///< addresses in L1
  uint32_t a_name;     ///< of the block of probabilities, or of the first block of the query
  uint64_t to;         ///< the address of the sum, or of the first block of sums
  uint32_t to_pitch;
  bool adds;    ///< to the numbers at `to`
  int32_t sum;  ///< the half of L0C
  int32_t event;
};

/// The product of one block of columns.
struct BlockProduct {
  uint32_t place;  ///< the number of the block in its load
  uint32_t n, k;
  uint32_t a_name;   ///< equal names mean equal contents of A
  bool first, last;  ///< of its sum
  bool of_rope;
};

__aicore__ inline uint32_t Blocks(uint32_t extent) {
  return (extent + kAttentionBlock - 1) / kAttentionBlock;
}
__aicore__ inline uint32_t BlockExtent(uint32_t extent, uint32_t block) {
  return min(kAttentionBlock, extent - block * kAttentionBlock);
}

}  // namespace kernel_attention
