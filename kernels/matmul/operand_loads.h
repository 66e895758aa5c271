// The loads of one operand of a matrix product: from global memory to a chunk of fractals in L1,
// and from L1 to L0A or L0B. They cover both orientations and both formats of the stored matrix.
//
// A chunk has the orientation of the stored matrix in L1: columns of fractals (NZ) of `l1_rows`
// rows each. If k runs along the rows, the loads to L0 transpose.
#pragma once

#include "kernel_operator.h"
#include "kernels/matmul/matmul_tiling.h"

namespace kernel_matmul {

using namespace AscendC;

constexpr uint32_t kFractalRows = 16;
constexpr uint32_t kFractalBytes = 512;
constexpr uint32_t kBlockBytes = 32;

/// The elements of one row of a fractal.
template <typename T>
constexpr uint32_t kC0 = kBlockBytes / sizeof(T);

/// For LoadData of a feature map: the kernel sets the padding value once, each load sets the
/// feature map.
constexpr IsResetLoad3dConfig kKeepPadding = {true, false};

__aicore__ inline uint32_t AlignUp(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// A piece of the product along k and along the operand's other side, m of A or n of B.
struct Extent {
  uint32_t side;  ///< elements of m or n
  uint32_t k;
};

/// A chunk of one operand in L1.
template <typename T>
struct Chunk {
  LocalTensor<T> tensor;
  uint32_t l1_rows;  ///< rows of a column of fractals
  uint32_t side;     ///< elements of m or n
};

/// The number of rows of a column of fractals in L1. Transposing loads of 8-bit types need squares
/// of two fractals.
template <typename T>
__aicore__ inline uint32_t L1Rows(const MatmulOperandTiling& operand, const Extent& extent) {
  if (operand.k_in_columns) return AlignUp(extent.side, kFractalRows);
  return AlignUp(extent.k, sizeof(T) == 1 ? 2 * kFractalRows : kFractalRows);
}

/// Loads the piece that starts at (`side`, `k`) into L1: one instruction.
template <typename T>
__aicore__ inline void LoadChunk(const LocalTensor<T>& l1, const GlobalTensor<T>& gm,
                                 const MatmulOperandTiling& operand, uint32_t side, uint32_t k,
                                 const Extent& extent) {
  const uint32_t row = operand.k_in_columns ? side : k;
  const uint32_t col = operand.k_in_columns ? k : side;
  const uint32_t rows = operand.k_in_columns ? extent.side : extent.k;
  const uint32_t cols = operand.k_in_columns ? extent.k : extent.side;
  const uint32_t l1_rows = L1Rows<T>(operand, extent);
  if (operand.nz) {
    const uint32_t moved_rows = AlignUp(rows, kFractalRows);
    DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(AlignUp(cols, kC0<T>) / kC0<T>);
    copy.blockLen = static_cast<uint16_t>(moved_rows);  // a row of a fractal is one DataBlock
    copy.srcGap = static_cast<uint16_t>(operand.rows - moved_rows);
    copy.dstGap = static_cast<uint16_t>(l1_rows - moved_rows);
    DataCopy(l1,
             gm[static_cast<uint64_t>(col) * operand.rows + static_cast<uint64_t>(row) * kC0<T>],
             copy);
    return;
  }
  Nd2NzParams copy;
  copy.ndNum = 1;
  copy.nValue = static_cast<uint16_t>(rows);
  copy.dValue = static_cast<uint16_t>(cols);
  copy.srcDValue = static_cast<uint16_t>(operand.cols);
  copy.dstNzC0Stride = static_cast<uint16_t>(l1_rows);
  copy.dstNzNStride = 1;
  DataCopy(l1, gm[static_cast<uint64_t>(row) * operand.cols + col], copy);
}

/// Describes the chunk as a feature map of one row of pixels with a filter of 1 x 1. The img2col
/// matrix of this feature map is the stored matrix.
template <typename T>
__aicore__ inline LoadData3DParamsV2<T> AsFeatureMap(const Chunk<T>& chunk, uint32_t columns) {
  LoadData3DParamsV2<T> load;
  load.l1H = 1;
  load.l1W = static_cast<uint16_t>(chunk.l1_rows);
  load.channelSize = static_cast<uint16_t>(AlignUp(columns, kC0<T>));
  return load;
}

/// Loads the columns [k, k + depth) of a chunk whose k runs along the columns to L0A: A[side,
/// depth].
template <typename T>
__aicore__ inline void LoadPlainA(const LocalTensor<T>& l0a, const Chunk<T>& chunk, uint32_t k,
                                  uint32_t depth) {
  LoadData3DParamsV2<T> load = AsFeatureMap(chunk, k + depth);
  load.kExtension = static_cast<uint16_t>(AlignUp(depth, kC0<T>));
  load.mExtension = static_cast<uint16_t>(chunk.l1_rows);
  load.kStartPt = static_cast<uint16_t>(k);
  LoadData<T, kKeepPadding>(l0a, chunk.tensor, load);
}

/// Loads and transposes the rows [k, k + depth) of a chunk whose k runs along the rows: to L0A as
/// A[side, depth], to L0B as B[depth, side].
template <typename T>
__aicore__ inline void LoadTurned(const LocalTensor<T>& l0, const Chunk<T>& chunk, uint32_t k,
                                  uint32_t depth, bool to_l0a) {
  LoadData3DParamsV2<T> load = AsFeatureMap(chunk, chunk.side);
  load.kExtension = static_cast<uint16_t>(AlignUp(chunk.side, kC0<T>));
  load.mExtension = static_cast<uint16_t>(AlignUp(depth, kFractalRows));
  load.mStartPt = static_cast<uint16_t>(k);
  load.enTranspose = to_l0a;
  LoadData<T, kKeepPadding>(l0, chunk.tensor, load);
}

/// LoadTurned to L0A for 8-bit types, because feature maps cannot transpose them. Each 32 columns
/// of m take an instruction for a row of squares of 32 x 32.
template <typename T>
__aicore__ inline void LoadSquaresA(const LocalTensor<T>& l0a, const Chunk<T>& chunk, uint32_t k,
                                    uint32_t depth) {
  constexpr uint32_t kSquare = kC0<T>;
  const uint32_t deep = AlignUp(depth, kSquare) / kSquare;
  LoadData2dTransposeParams load;
  load.repeatTimes = static_cast<uint8_t>(deep);
  load.srcStride = 1;
  load.dstGap = 0;
  load.dstFracGap = static_cast<uint16_t>(deep - 1);  // 16 rows of m further down
  for (uint32_t column = 0; column < chunk.side; column += kSquare) {
    load.startIndex = static_cast<uint16_t>((column / kSquare * chunk.l1_rows + k) / kSquare);
    LoadDataWithTranspose(l0a[column * deep * kSquare], chunk.tensor, load);
  }
}

/// LoadTurned to L0B for 8-bit types. Each 32 rows of k take an instruction for a row of squares.
/// If n is an odd number of fractals, the last square of a row overlaps the next row, which is
/// loaded after it.
template <typename T>
__aicore__ inline void LoadSquaresB(const LocalTensor<T>& l0b, const Chunk<T>& chunk, uint32_t k,
                                    uint32_t depth) {
  constexpr uint32_t kSquare = kC0<T>;
  const uint32_t padded_n = AlignUp(chunk.side, kFractalRows);
  LoadData2dTransposeParams load;
  load.repeatTimes = static_cast<uint8_t>(AlignUp(chunk.side, kSquare) / kSquare);
  load.srcStride = static_cast<uint16_t>(chunk.l1_rows / kSquare);
  load.dstGap = 1;
  load.dstFracGap = 0;
  for (uint32_t row = 0; row < depth; row += kSquare) {
    load.startIndex = static_cast<uint16_t>((k + row) / kSquare);
    if (row > 0 && padded_n % kSquare != 0) PipeBarrier<PIPE_MTE1>();
    LoadDataWithTranspose(l0b[row * padded_n], chunk.tensor, load);
  }
}

/// Loads the columns [k, k + depth) of a chunk whose k runs along the columns to L0B. The fractals
/// stay as they are.
template <typename T>
__aicore__ inline void LoadPlainB(const LocalTensor<T>& l0b, const Chunk<T>& chunk, uint32_t k,
                                  uint32_t depth) {
  LoadData2DParams load;
  load.repeatTimes =
      static_cast<uint8_t>(AlignUp(depth, kC0<T>) / kC0<T> * chunk.l1_rows / kFractalRows);
  load.srcStride = 1;
  LoadData(l0b, chunk.tensor[k * chunk.l1_rows], load);
}

template <typename T>
__aicore__ inline void LoadA(const LocalTensor<T>& l0a, const Chunk<T>& chunk,
                             const MatmulOperandTiling& operand, uint32_t k, uint32_t depth) {
  if (operand.k_in_columns) {
    LoadPlainA(l0a, chunk, k, depth);
  } else if constexpr (sizeof(T) == 1) {
    LoadSquaresA(l0a, chunk, k, depth);
  } else {
    LoadTurned(l0a, chunk, k, depth, true);
  }
}

template <typename T>
__aicore__ inline void LoadB(const LocalTensor<T>& l0b, const Chunk<T>& chunk,
                             const MatmulOperandTiling& operand, uint32_t k, uint32_t depth) {
  if (operand.k_in_columns) {
    LoadPlainB(l0b, chunk, k, depth);
  } else if constexpr (sizeof(T) == 1) {
    LoadSquaresB(l0b, chunk, k, depth);
  } else {
    LoadTurned(l0b, chunk, k, depth, false);
  }
}

}  // namespace kernel_matmul
