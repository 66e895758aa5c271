// Rows of floats in UB and one value a row: reductions to it, and what is done to a row with it.
#pragma once

#include "kernel_operator.h"
#include "kernels/common/row_wise.h"

namespace kernel_attention {

using namespace AscendC;

constexpr uint32_t kFloatLanes = 64;     ///< of a repeat
constexpr uint32_t kFloatsPerBlock = 8;  ///< of a DataBlock
constexpr uint32_t kBlocksPerRepeat = 8;

struct MaxReduction {
  static __aicore__ inline void Blocks(const LocalTensor<float>& dst, const LocalTensor<float>& src,
                                       uint32_t repeats) {
    BlockReduceMax<float>(dst, src, static_cast<int32_t>(repeats), kFloatLanes, 1, 1, 8);
  }
  static __aicore__ inline void Pairs(const LocalTensor<float>& dst, const LocalTensor<float>& a,
                                      const LocalTensor<float>& b, uint32_t repeats,
                                      const BinaryRepeatParams& strides) {
    Max(dst, a, b, kFloatLanes, repeats, strides);
  }
};
struct SumReduction {
  static __aicore__ inline void Blocks(const LocalTensor<float>& dst, const LocalTensor<float>& src,
                                       uint32_t repeats) {
    BlockReduceSum<float>(dst, src, static_cast<int32_t>(repeats), kFloatLanes, 1, 1, 8);
  }
  static __aicore__ inline void Pairs(const LocalTensor<float>& dst, const LocalTensor<float>& a,
                                      const LocalTensor<float>& b, uint32_t repeats,
                                      const BinaryRepeatParams& strides) {
    Add(dst, a, b, kFloatLanes, repeats, strides);
  }
};

/// values[r] = reduction of src[r][0, width), for rows r < rows. `width` is a multiple of 64 and at
/// most 512, rows lie densely. `scratch` holds width / 8 + 8 floats a row; values and scratch are
/// written for a multiple of 8 rows.
///
/// Blocks of 8 to one value, then what is left of a row to one block, then that to one value: block
/// reductions are seven times as fast as those of whole repeats.
template <class Reduction>
__aicore__ inline void ReduceRows(const LocalTensor<float>& values, const LocalTensor<float>& src,
                                  uint32_t rows, uint32_t width,
                                  const LocalTensor<float>& scratch) {
  const uint32_t blocks = width / kFloatLanes;  // of a row, after the first reduction
  const uint32_t groups = (rows + kBlocksPerRepeat - 1) / kBlocksPerRepeat;
  LocalTensor<float> row_blocks = scratch;
  Reduction::Blocks(scratch, src, rows * blocks);
  PipeBarrier<PIPE_V>();
  if (blocks > 1) {
    row_blocks = scratch[groups * kBlocksPerRepeat * blocks * kFloatsPerBlock];
    if (blocks == kBlocksPerRepeat) {
      Reduction::Blocks(row_blocks, scratch, rows);
    } else {
      // A repeat takes one block of each of eight rows.
      const auto stride = static_cast<uint8_t>(blocks);
      const auto pitch = static_cast<uint8_t>(blocks * kBlocksPerRepeat);
      Reduction::Pairs(row_blocks, scratch, scratch[kFloatsPerBlock], groups,
                       {1, stride, stride, 8, pitch, pitch});
      for (uint32_t block = 2; block < blocks; ++block) {
        PipeBarrier<PIPE_V>();
        Reduction::Pairs(row_blocks, row_blocks, scratch[block * kFloatsPerBlock], groups,
                         {1, 1, stride, 8, 8, pitch});
      }
    }
    PipeBarrier<PIPE_V>();
  }
  Reduction::Blocks(values, row_blocks, groups);
  PipeBarrier<PIPE_V>();
}

/// A block of eight copies of each of the values of `rows` rows, rounded up to 8.
__aicore__ inline void SpreadRows(const LocalTensor<float>& blocks,
                                  const LocalTensor<float>& values, uint32_t rows) {
  Brcb(blocks, values, static_cast<uint8_t>((rows + 7) / 8), {1, 8});
  PipeBarrier<PIPE_V>();
}

/// data[r][c] = Op(data[r][c], value of row r) for c < width; `blocks` are the values, spread.
template <class Op>
__aicore__ inline void WithRowValues(const LocalTensor<float>& data, uint32_t pitch,
                                     const LocalTensor<float>& blocks, uint32_t rows,
                                     uint32_t width) {
  const uint32_t columns = (width + kFloatLanes - 1) / kFloatLanes;
  if (rows >= columns || width % kFloatLanes != 0) {
    const auto stride = static_cast<uint8_t>(pitch / kFloatsPerBlock);
    for (uint32_t column = 0; column < width; column += kFloatLanes) {
      const uint32_t lanes = min(kFloatLanes, width - column);
      Op::Call(data[column], data[column], blocks, lanes, static_cast<uint8_t>(rows),
               {1, 1, 0, stride, stride, 1});
    }
  } else {
    for (uint32_t row = 0; row < rows; ++row) {
      Op::Call(data[row * pitch], data[row * pitch], blocks[row * kFloatsPerBlock], kFloatLanes,
               static_cast<uint8_t>(columns), {1, 1, 0, 8, 8, 0});
    }
  }
  PipeBarrier<PIPE_V>();
}

}  // namespace kernel_attention
