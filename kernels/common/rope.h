// Rotary position embedding on rows in UB. A row has a low and a high half of h values each. The
// tables have 2h values, and their halves may differ:
//
//   out[i]     = low[i]  * cos[i]     - high[i] * sin[i]          i < h
//   out[i + h] = high[i] * cos[i + h] + low[i]  * sin[i + h]
//
// In the half-split form the halves are those of the row. In the interleaved form the low half is
// the row's even values and the high half its odd values (Deinterleave). The result stays in this
// order.
//
// Every product and every sum is rounded to T. Subtracting the product gives the same bits as
// adding the product with -sin, because rounding to nearest is symmetric.
//
// The steps are separate calls. A kernel can issue the products of many rows with different tables
// one after the other and needs only one barrier:
//
//   RopeProducts(...)  for each table;  PipeBarrier<PIPE_V>();  RopeSums(...)
//
// Tables are rows too: one for each row, or SameRow for all.
#pragma once

#include "kernels/common/row_wise.h"

namespace kernel_common {

/// crossed[r] = the contribution of the other half to each half of row r.
template <typename T>
__aicore__ inline void CrossedProducts(const Rows<T>& crossed, const Rows<T>& low,
                                       const Rows<T>& high, const Rows<T>& sin, uint32_t rows,
                                       uint32_t half_width) {
  RowWise<MulOp>(crossed, high, sin, rows, half_width);
  RowWise<MulOp>(crossed.From(half_width), low, sin.From(half_width), rows, half_width);
}

/// Half-split form: direct[r][i] = x[r][i] * cos[i]; crossed[r][i] = x[r][the other half's i] *
/// sin[i]. `width` = 2h is a multiple of two DataBlocks of T.
template <typename T>
__aicore__ inline void RopeProducts(const Rows<T>& direct, const Rows<T>& crossed, const Rows<T>& x,
                                    const Rows<T>& cos, const Rows<T>& sin, uint32_t rows,
                                    uint32_t width) {
  RowWise<MulOp>(direct, x, cos, rows, width);
  CrossedProducts(crossed, x, x.From(width / 2), sin, rows, width / 2);
}

/// The same, with the two halves of the rows in separate places.
template <typename T>
__aicore__ inline void RopeProducts(const Rows<T>& direct, const Rows<T>& crossed,
                                    const Rows<T>& low, const Rows<T>& high, const Rows<T>& cos,
                                    const Rows<T>& sin, uint32_t rows, uint32_t width) {
  const uint32_t half_width = width / 2;
  RowWise<MulOp>(direct, low, cos, rows, half_width);
  RowWise<MulOp>(direct.From(half_width), high, cos.From(half_width), rows, half_width);
  CrossedProducts(crossed, low, high, sin, rows, half_width);
}

/// out becomes the rotated rows; it may be `direct`.
template <typename T>
__aicore__ inline void RopeSums(const Rows<T>& out, const Rows<T>& direct, const Rows<T>& crossed,
                                uint32_t rows, uint32_t width) {
  const uint32_t half_width = width / 2;
  RowWise<SubOp>(out, direct, crossed, rows, half_width);
  RowWise<AddOp>(out.From(half_width), direct.From(half_width), crossed.From(half_width), rows,
                 half_width);
}

/// Copies the even values of dense fp32 rows to `low` and the odd ones to `high`, both dense.
/// `count` is the number of values of the rows, a multiple of 64.
///
/// The sum of two neighbours of which one is masked off is the other one, unchanged.
__aicore__ inline void Deinterleave(const AscendC::LocalTensor<float>& low,
                                    const AscendC::LocalTensor<float>& high,
                                    const AscendC::LocalTensor<float>& x, uint32_t count) {
  const uint64_t even[2] = {0x5555555555555555, 0};
  const uint64_t odd[2] = {0xaaaaaaaaaaaaaaaa, 0};
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(float);
  for (uint32_t done = 0; done < count; done += kMaxRepeats * kLanes) {
    const uint32_t left = (count - done) / kLanes;
    const int32_t repeats = left < kMaxRepeats ? left : kMaxRepeats;
    AscendC::PairReduceSum(low[done / 2], x[done], repeats, even, 1, 1, 8);
    AscendC::PairReduceSum(high[done / 2], x[done], repeats, odd, 1, 1, 8);
  }
}

/// Interleaved form: out = the rotated rows of x, dense fp32 rows of `width`. rows * width is a
/// multiple of 64. x is overwritten, and out may be the same memory. `scratch` holds
/// 2 * rows * width floats.
__aicore__ inline void RopeInterleaved(const Rows<float>& out, const AscendC::LocalTensor<float>& x,
                                       const Rows<float>& cos, const Rows<float>& sin,
                                       const AscendC::LocalTensor<float>& scratch, uint32_t rows,
                                       uint32_t width) {
  const uint32_t half_width = width / 2;
  const Rows<float> low = {scratch, half_width};
  const Rows<float> high = {scratch[rows * half_width], half_width};
  const Rows<float> direct = {x, width};
  const Rows<float> crossed = {scratch[rows * width], width};
  AscendC::PipeBarrier<PIPE_V>();
  Deinterleave(low.data, high.data, x, rows * width);
  AscendC::PipeBarrier<PIPE_V>();
  RopeProducts<float>(direct, crossed, low, high, cos, sin, rows, width);
  AscendC::PipeBarrier<PIPE_V>();
  RopeSums<float>(out, direct, crossed, rows, width);
}

}  // namespace kernel_common
