// Rotary position embedding in the half-split form, on rows in UB. With h = width / 2:
//
//   out[i]     = x[i]     * cos[i]     - x[i + h] * sin[i]          i < h
//   out[i + h] = x[i + h] * cos[i + h] + x[i]     * sin[i + h]
//
// Every product and every sum is rounded to T. Subtracting the product is the same as adding the
// product with -sin, to the last bit: rounding to nearest is symmetric.
//
// The two steps are separate calls so that a kernel can put the products of many rows with
// different tables behind one another and pay for one barrier:
//
//   RopeProducts(...)  for each table;  PipeBarrier<PIPE_V>();  RopeSums(...)
#pragma once

#include "kernels/common/row_wise.h"

namespace kernel_common {

/// direct[r][i] = x[r][i] * cos[i]; crossed[r][i] = x[r][the other half's i] * sin[i].
/// cos and sin hold `width` values each; width is a multiple of two DataBlocks of T.
template <typename T>
__aicore__ inline void RopeProducts(const Rows<T>& direct, const Rows<T>& crossed, const Rows<T>& x,
                                    const AscendC::LocalTensor<T>& cos,
                                    const AscendC::LocalTensor<T>& sin, uint32_t rows,
                                    uint32_t width) {
  const uint32_t half_width = width / 2;
  RowWise<MulOp>(direct, x, SameRow(cos), rows, width);
  RowWise<MulOp>(crossed, x.From(half_width), SameRow(sin), rows, half_width);
  RowWise<MulOp>(crossed.From(half_width), x, SameRow(sin[half_width]), rows, half_width);
}

/// direct becomes the rotated rows.
template <typename T>
__aicore__ inline void RopeSums(const Rows<T>& direct, const Rows<T>& crossed, uint32_t rows,
                                uint32_t width) {
  const uint32_t half_width = width / 2;
  RowWise<SubOp>(direct, direct, crossed, rows, half_width);
  RowWise<AddOp>(direct.From(half_width), direct.From(half_width), crossed.From(half_width), rows,
                 half_width);
}

}  // namespace kernel_common
