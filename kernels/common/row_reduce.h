// Reductions of fp32 rows in UB to one number for each row, and operations on rows with one number
// for each row.
//
// Rows are dense: row r begins at r * width. `width` is a multiple of 8 up to 64, or a number that
// becomes one by repeated division by 8 while it is above 64: 128, 512, 1536, ...
#pragma once

#include "kernels/common/row_wise.h"

namespace kernel_common {

constexpr uint32_t kFloatLanes = 64;     ///< of a repeat
constexpr uint32_t kFloatsPerBlock = 8;  ///< of a DataBlock

struct SumFold {
  static __aicore__ inline void Blocks(const AscendC::LocalTensor<float>& dst,
                                       const AscendC::LocalTensor<float>& src, uint32_t repeats) {
    AscendC::BlockReduceSum<float>(dst, src, repeats, kFloatLanes, 1, 1, 8);
  }
  static __aicore__ inline void Whole(const AscendC::LocalTensor<float>& dst,
                                      const AscendC::LocalTensor<float>& src, uint32_t lanes,
                                      uint32_t repeats) {
    AscendC::WholeReduceSum<float>(dst, src, lanes, repeats, 1, 1, lanes / kFloatsPerBlock);
  }
};

struct MaxFold {
  static __aicore__ inline void Blocks(const AscendC::LocalTensor<float>& dst,
                                       const AscendC::LocalTensor<float>& src, uint32_t repeats) {
    AscendC::BlockReduceMax<float>(dst, src, repeats, kFloatLanes, 1, 1, 8);
  }
  static __aicore__ inline void Whole(const AscendC::LocalTensor<float>& dst,
                                      const AscendC::LocalTensor<float>& src, uint32_t lanes,
                                      uint32_t repeats) {
    AscendC::WholeReduceMax<float>(dst, src, lanes, repeats, 1, 1, lanes / kFloatsPerBlock,
                                   AscendC::ReduceOrder::ORDER_ONLY_VALUE);
  }
};

/// dst[r] = fold of row r. `scratch` holds rows * width / 7 floats.
template <class Fold>
__aicore__ inline void FoldRows(const AscendC::LocalTensor<float>& dst,
                                const AscendC::LocalTensor<float>& rows_data,
                                const AscendC::LocalTensor<float>& scratch, uint32_t rows,
                                uint32_t width) {
  AscendC::LocalTensor<float> from = rows_data;
  AscendC::LocalTensor<float> to = scratch;
  while (width > kFloatLanes) {
    const uint32_t repeats = rows * width / kFloatLanes;
    for (uint32_t done = 0; done < repeats; done += kMaxRepeats) {
      const uint32_t now = repeats - done < kMaxRepeats ? repeats - done : kMaxRepeats;
      Fold::Blocks(to[done * kFloatsPerBlock], from[done * kFloatLanes], now);
    }
    AscendC::PipeBarrier<PIPE_V>();
    width /= kFloatsPerBlock;
    from = to;
    to = to[rows * width];
  }
  for (uint32_t done = 0; done < rows; done += kMaxRepeats) {
    const uint32_t now = rows - done < kMaxRepeats ? rows - done : kMaxRepeats;
    Fold::Whole(dst[done], from[done * width], width, now);
  }
  AscendC::PipeBarrier<PIPE_V>();
}

/// dst[r] = sum of row r.
__aicore__ inline void RowSums(const AscendC::LocalTensor<float>& dst,
                               const AscendC::LocalTensor<float>& rows_data,
                               const AscendC::LocalTensor<float>& scratch, uint32_t rows,
                               uint32_t width) {
  FoldRows<SumFold>(dst, rows_data, scratch, rows, width);
}

/// dst[r] = greatest element of row r.
__aicore__ inline void RowMaxima(const AscendC::LocalTensor<float>& dst,
                                 const AscendC::LocalTensor<float>& rows_data,
                                 const AscendC::LocalTensor<float>& scratch, uint32_t rows,
                                 uint32_t width) {
  FoldRows<MaxFold>(dst, rows_data, scratch, rows, width);
}

/// Spreads numbers to DataBlocks: every element of block r is numbers[r]. `blocks` has room for
/// AlignUp(rows, 8) DataBlocks. `numbers` is read up to the next multiple of 8.
template <typename T>
__aicore__ inline void SpreadNumbers(const AscendC::LocalTensor<T>& blocks,
                                     const AscendC::LocalTensor<T>& numbers, uint32_t rows) {
  AscendC::Brcb(blocks, numbers, (rows + 7) / 8, {1, 8});
  AscendC::PipeBarrier<PIPE_V>();
}

/// dst[r][c] = Op(a[r][c], number of row r). The numbers are those that SpreadNumbers has spread.
/// Rows are dense. `width` is a multiple of 8.
template <class Op>
__aicore__ inline void WithNumbers(const AscendC::LocalTensor<float>& dst,
                                   const AscendC::LocalTensor<float>& a,
                                   const AscendC::LocalTensor<float>& blocks, uint32_t rows,
                                   uint32_t width) {
  const uint32_t pitch = width / kFloatsPerBlock;
  if (rows >= (width + kFloatLanes - 1) / kFloatLanes && pitch <= kMaxRepeatStride) {
    const AscendC::BinaryRepeatParams down(1, 1, 0, pitch, pitch, 1);
    for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
      const uint32_t repeats = rows - row < kMaxRepeats ? rows - row : kMaxRepeats;
      for (uint32_t column = 0; column < width; column += kFloatLanes) {
        const uint32_t lanes = width - column < kFloatLanes ? width - column : kFloatLanes;
        Op::Call(dst[row * width + column], a[row * width + column], blocks[row * kFloatsPerBlock],
                 lanes, repeats, down);
      }
    }
    return;
  }
  const AscendC::BinaryRepeatParams along(1, 1, 0, 8, 8, 0);
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t first = row * width;
    const uint32_t whole = width / kFloatLanes;
    Op::Call(dst[first], a[first], blocks[row * kFloatsPerBlock], kFloatLanes, whole, along);
    if (width % kFloatLanes != 0) {
      const uint32_t tail = first + whole * kFloatLanes;
      Op::Call(dst[tail], a[tail], blocks[row * kFloatsPerBlock], width % kFloatLanes, 1, along);
    }
  }
}

}  // namespace kernel_common
