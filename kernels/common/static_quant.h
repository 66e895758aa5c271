// Static int8 quantisation of fp32 rows in UB, with one scale and one offset for each column.
#pragma once

#include "kernels/common/row_wise.h"

namespace kernel_common {

/// values[r][c] = values[r][c] * scale[c], rounded to fp32.
__aicore__ inline void ScaleRows(const Rows<float>& values,
                                 const AscendC::LocalTensor<float>& scale, uint32_t rows,
                                 uint32_t width) {
  RowWise<MulOp>(values, values, SameRow(scale), rows, width);
}

/// values[r][c] = values[r][c] + offset[c], rounded to fp32.
__aicore__ inline void ShiftRows(const Rows<float>& values,
                                 const AscendC::LocalTensor<float>& offset, uint32_t rows,
                                 uint32_t width) {
  RowWise<AddOp>(values, values, SameRow(offset), rows, width);
}

/// values[r][c] = values[r][c] / scale[c] + offset[c], both operations rounded to fp32.
__aicore__ inline void DivideAndShift(const Rows<float>& values,
                                      const AscendC::LocalTensor<float>& scale,
                                      const AscendC::LocalTensor<float>& offset, uint32_t rows,
                                      uint32_t width) {
  RowWise<DivOp>(values, values, SameRow(scale), rows, width);
  AscendC::PipeBarrier<PIPE_V>();
  ShiftRows(values, offset, rows, width);
}

/// dst[i] = rint(values[i]), ties to even. NaN gives 0. A value beyond the range of int8 stays
/// beyond it. dst may be the memory of the intermediate int16 numbers.
///
/// The vector unit cannot convert fp32 to int8. The way over int16 rounds once: fp32 -> int16
/// rounds and saturates, int16 -> fp16 is exact unless the int8 result saturates anyway, and fp16
/// -> int8 saturates. (A direct fp32 -> fp16 would round twice: 3.4999 -> 3.5 -> 4.)
__aicore__ inline void RoundToIntegers(const AscendC::LocalTensor<half>& dst,
                                       const AscendC::LocalTensor<float>& values, uint32_t count) {
  const auto integers = dst.ReinterpretCast<int16_t>();
  AscendC::Cast(integers, values, AscendC::RoundMode::CAST_RINT, count);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Cast(dst, integers, AscendC::RoundMode::CAST_RINT, count);
}

/// dst[i] = sat8(rint(values[i])), ties to even, for i < count; NaN gives 0. `scratch` holds
/// `count` elements and may not overlap `values` or `dst`.
__aicore__ inline void RoundToInt8(const AscendC::LocalTensor<int8_t>& dst,
                                   const AscendC::LocalTensor<float>& values,
                                   const AscendC::LocalTensor<half>& scratch, uint32_t count) {
  RoundToIntegers(scratch, values, count);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Cast(dst, scratch, AscendC::RoundMode::CAST_RINT, count);
}

}  // namespace kernel_common
