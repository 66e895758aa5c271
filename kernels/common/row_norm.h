// RMSNorm and LayerNorm of fp32 rows in UB.
#pragma once

#include "kernels/common/row_reduce.h"

namespace kernel_common {

/// Scratch memory of work on `rows` rows of `width` floats.
struct RowScratch {
  AscendC::LocalTensor<float> squares;  ///< rows * width
  AscendC::LocalTensor<float> folds;    ///< rows * width / 7
  AscendC::LocalTensor<float> numbers;  ///< AlignUp(rows, 8)
  AscendC::LocalTensor<float> blocks;   ///< 8 * AlignUp(rows, 8)
};

/// Bytes of a RowScratch for at most `rows` rows of `width`.
__aicore__ inline uint32_t RowScratchBytes(uint32_t rows, uint32_t width) {
  const uint32_t numbers = (rows + 7) / 8 * 8;
  const uint32_t folds = (rows * width / 7 + 8) / 8 * 8;
  return (rows * width + folds + 9 * numbers) * sizeof(float);
}

__aicore__ inline RowScratch CutRowScratch(const AscendC::LocalTensor<float>& room, uint32_t rows,
                                           uint32_t width) {
  const uint32_t numbers = (rows + 7) / 8 * 8;
  const uint32_t folds = (rows * width / 7 + 8) / 8 * 8;
  RowScratch scratch;
  scratch.squares = room;
  scratch.folds = room[rows * width];
  scratch.numbers = room[rows * width + folds];
  scratch.blocks = room[rows * width + folds + numbers];
  return scratch;
}

/// blocks = sqrt(mean of the squares of each row + eps), as SpreadNumbers leaves it.
__aicore__ inline void SpreadRootMeanSquares(const RowScratch& scratch,
                                             const AscendC::LocalTensor<float>& x, float eps,
                                             uint32_t rows, uint32_t width) {
  AscendC::Mul(scratch.squares, x, x, rows * width);
  AscendC::PipeBarrier<PIPE_V>();
  RowSums(scratch.numbers, scratch.squares, scratch.folds, rows, width);
  AscendC::Muls(scratch.numbers, scratch.numbers, 1.0f / static_cast<float>(width), rows);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(scratch.numbers, scratch.numbers, eps, rows);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Sqrt(scratch.numbers, scratch.numbers, rows);
  AscendC::PipeBarrier<PIPE_V>();
  SpreadNumbers(scratch.blocks, scratch.numbers, rows);
}

/// x[r] = x[r] / sqrt(mean(x[r]^2) + eps) * gamma, all in fp32. The intermediate result goes to the
/// place of the squares, because a repeat that writes a bank from which the next one reads loses
/// time. UB's banks conflict least if the squares start 256 bytes (half the bank groups) after x
/// and gamma, and if gamma is in another 64 KiB than x.
__aicore__ inline void RmsNormRows(const AscendC::LocalTensor<float>& x,
                                   const AscendC::LocalTensor<float>& gamma,
                                   const RowScratch& scratch, float eps, uint32_t rows,
                                   uint32_t width) {
  SpreadRootMeanSquares(scratch, x, eps, rows, width);
  WithNumbers<DivOp>(scratch.squares, x, scratch.blocks, rows, width);
  AscendC::PipeBarrier<PIPE_V>();
  RowWise<MulOp, float>({x, width}, {scratch.squares, width}, SameRow(gamma), rows, width);
  AscendC::PipeBarrier<PIPE_V>();
}

/// x[r] = (x[r] - mean) / sqrt(variance + eps) * gamma + beta, all in fp32; the variance is biased.
__aicore__ inline void LayerNormRows(const AscendC::LocalTensor<float>& x,
                                     const AscendC::LocalTensor<float>& gamma,
                                     const AscendC::LocalTensor<float>& beta,
                                     const RowScratch& scratch, float eps, uint32_t rows,
                                     uint32_t width) {
  RowSums(scratch.numbers, x, scratch.folds, rows, width);
  AscendC::Muls(scratch.numbers, scratch.numbers, 1.0f / static_cast<float>(width), rows);
  AscendC::PipeBarrier<PIPE_V>();
  SpreadNumbers(scratch.blocks, scratch.numbers, rows);
  WithNumbers<SubOp>(x, x, scratch.blocks, rows, width);
  AscendC::PipeBarrier<PIPE_V>();
  RmsNormRows(x, gamma, scratch, eps, rows, width);
  const Rows<float> all = {x, width};
  RowWise<AddOp>(all, all, SameRow(beta), rows, width);
  AscendC::PipeBarrier<PIPE_V>();
}

}  // namespace kernel_common
