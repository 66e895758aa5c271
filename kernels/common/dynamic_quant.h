// Dynamic symmetric int8 quantisation of fp32 rows in UB, with one scale for each row:
//
//   s = 127 / max |x|;  y = sat8(rint(x * s));  dequantise with 1 / s
//
// A row of zeros has s = inf. Its products are NaN, which RoundToInt8 turns into 0, and 1 / s is 0.
#pragma once

#include "kernels/common/row_norm.h"
#include "kernels/common/static_quant.h"

namespace kernel_common {

/// dst = quantised rows, scales[r] = dequantisation scale of row r. `x` is overwritten. `scales`
/// holds AlignUp(rows, 8) floats.
__aicore__ inline void DynamicQuantRows(const AscendC::LocalTensor<int8_t>& dst,
                                        const AscendC::LocalTensor<float>& scales,
                                        const AscendC::LocalTensor<float>& x,
                                        const RowScratch& scratch, uint32_t rows, uint32_t width) {
  AscendC::Abs(scratch.squares, x, rows * width);
  AscendC::PipeBarrier<PIPE_V>();
  RowMaxima(scratch.numbers, scratch.squares, scratch.folds, rows, width);
  AscendC::Duplicate(scales, 127.0f, rows);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Div(scratch.numbers, scales, scratch.numbers, rows);
  AscendC::PipeBarrier<PIPE_V>();
  SpreadNumbers(scratch.blocks, scratch.numbers, rows);
  AscendC::Duplicate(scales, 1.0f, rows);
  WithNumbers<MulOp>(x, x, scratch.blocks, rows, width);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Div(scales, scales, scratch.numbers, rows);
  RoundToInt8(dst, x, scratch.squares.ReinterpretCast<half>(), rows * width);
  AscendC::PipeBarrier<PIPE_V>();
}

}  // namespace kernel_common
