// Rows of floats in UB with one value for each row: reductions of a row to its value, and
// operations on a row with its value.
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
                                       uint32_t repeats, int32_t stride = 1, int32_t pitch = 8) {
    BlockReduceMax<float>(dst, src, static_cast<int32_t>(repeats), kFloatLanes, 1, stride, pitch);
  }
  static __aicore__ inline void Pairs(const LocalTensor<float>& dst, const LocalTensor<float>& a,
                                      const LocalTensor<float>& b, uint32_t lanes, uint32_t repeats,
                                      const BinaryRepeatParams& strides) {
    Max(dst, a, b, lanes, repeats, strides);
  }
};
struct SumReduction {
  static __aicore__ inline void Blocks(const LocalTensor<float>& dst, const LocalTensor<float>& src,
                                       uint32_t repeats, int32_t stride = 1, int32_t pitch = 8) {
    BlockReduceSum<float>(dst, src, static_cast<int32_t>(repeats), kFloatLanes, 1, stride, pitch);
  }
  static __aicore__ inline void Pairs(const LocalTensor<float>& dst, const LocalTensor<float>& a,
                                      const LocalTensor<float>& b, uint32_t lanes, uint32_t repeats,
                                      const BinaryRepeatParams& strides) {
    Add(dst, a, b, lanes, repeats, strides);
  }
};

/// values[r] = reduction of src[r][0, width), for rows r < rows. `width` is a multiple of 64 and at
/// most 1024. The rows are dense. `scratch` holds width / 8 + 16 floats for each row. `values` and
/// `scratch` are written for a multiple of 8 rows.
///
/// Block reductions reduce blocks of 8 floats to one until a row has one value. They are seven
/// times as fast as reductions of whole repeats. Blocks of a row that do not fill a repeat are
/// combined with each other first.
template <class Reduction>
__aicore__ inline void ReduceRows(const LocalTensor<float>& values, const LocalTensor<float>& src,
                                  uint32_t rows, uint32_t width,
                                  const LocalTensor<float>& scratch) {
  uint32_t blocks = width / kFloatLanes;  // of a row, after the first reduction
  const uint32_t groups = (rows + kBlocksPerRepeat - 1) / kBlocksPerRepeat;
  LocalTensor<float> row_blocks = scratch;
  Reduction::Blocks(scratch, src, rows * blocks);
  PipeBarrier<PIPE_V>();
  if (blocks % kBlocksPerRepeat == 0) {
    row_blocks = scratch[groups * kBlocksPerRepeat * blocks * kFloatsPerBlock];
    blocks /= kBlocksPerRepeat;
    Reduction::Blocks(row_blocks, scratch, rows * blocks);
    PipeBarrier<PIPE_V>();
  }
  // Combines the second half of a row's blocks with the first half. A repeat is a row.
  const uint32_t pitch = blocks;
  const BinaryRepeatParams strides(1, 1, 1, pitch, pitch, pitch);
  for (; blocks > 1; blocks -= blocks / 2) {
    const uint32_t half = blocks / 2;
    Reduction::Pairs(row_blocks, row_blocks, row_blocks[(blocks - half) * kFloatsPerBlock],
                     half * kFloatsPerBlock, rows, strides);
    PipeBarrier<PIPE_V>();
  }
  Reduction::Blocks(values, row_blocks, groups, static_cast<int32_t>(pitch),
                    static_cast<int32_t>(pitch * kBlocksPerRepeat));
  PipeBarrier<PIPE_V>();
}

/// Makes a block of eight copies of the value of each of `rows` rows, rounded up to 8.
__aicore__ inline void SpreadRows(const LocalTensor<float>& blocks,
                                  const LocalTensor<float>& values, uint32_t rows) {
  Brcb(blocks, values, static_cast<uint8_t>((rows + 7) / 8), {1, 8});
  PipeBarrier<PIPE_V>();
}

/// data[r][c] = Op(data[r][c], value of row r) for c < width. `blocks` has a block of copies of
/// each value.
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

/// data[r][c] = data[r][c] * factor[r] + summand[r][c] for c < width. The factors are blocks of
/// copies. A `summand` of pitch 0 is, too.
__aicore__ inline void MultiplyAdd(const LocalTensor<float>& data, uint32_t pitch,
                                   const LocalTensor<float>& factors, uint32_t factor_pitch,
                                   const LocalTensor<float>& summand, uint32_t summand_pitch,
                                   uint32_t rows, uint32_t width) {
  const uint32_t stride = pitch / kFloatsPerBlock;
  const bool spread = summand_pitch == 0;
  const uint32_t summand_stride = spread ? 1 : summand_pitch / kFloatsPerBlock;
  const uint32_t columns = (width + kFloatLanes - 1) / kFloatLanes;
  if (rows >= columns || width % kFloatLanes != 0) {
    const BinaryRepeatParams strides(1, 0, spread ? 0 : 1, stride, factor_pitch, summand_stride);
    for (uint32_t column = 0; column < width; column += kFloatLanes) {
      FusedMulAdd(data[column], factors, summand[spread ? 0 : column],
                  min(kFloatLanes, width - column), rows, strides);
    }
  } else {
    const BinaryRepeatParams strides(1, 0, spread ? 0 : 1, 8, 0, spread ? 0 : 8);
    for (uint32_t row = 0; row < rows; ++row) {
      FusedMulAdd(data[row * pitch], factors[row * factor_pitch * kFloatsPerBlock],
                  summand[row * (spread ? kFloatsPerBlock : summand_pitch)], kFloatLanes, columns,
                  strides);
    }
  }
  PipeBarrier<PIPE_V>();
}

}  // namespace kernel_attention
