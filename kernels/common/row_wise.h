// Element-wise operations on blocks of rows in UB, with as few vector instructions as the row shape
// allows.
#pragma once

#include "kernel_operator.h"

namespace kernel_common {

/// Rows of a UB tensor, the first at data[0]. `pitch` is the distance between rows in elements, a
/// multiple of a DataBlock (32 bytes); 0 means that all rows are the same row.
template <typename T>
struct Rows {
  AscendC::LocalTensor<T> data;
  uint32_t pitch;

  /// The same rows from column `column` on.
  __aicore__ inline Rows From(uint32_t column) const { return {data[column], pitch}; }
  __aicore__ inline Rows Row(uint32_t row) const { return {data[row * pitch], pitch}; }
};

/// A row that is combined with every row of the other operand.
template <typename T>
__aicore__ inline Rows<T> SameRow(const AscendC::LocalTensor<T>& row) {
  return {row, 0};
}

// The vector instructions that RowWise can carry out, as types because the device language has no
// pointers to functions.
struct AddOp {
  template <typename T>
  static __aicore__ inline void Call(const AscendC::LocalTensor<T>& dst,
                                     const AscendC::LocalTensor<T>& a,
                                     const AscendC::LocalTensor<T>& b, uint64_t mask,
                                     uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
    AscendC::Add(dst, a, b, mask, repeats, strides);
  }
};
struct SubOp {
  template <typename T>
  static __aicore__ inline void Call(const AscendC::LocalTensor<T>& dst,
                                     const AscendC::LocalTensor<T>& a,
                                     const AscendC::LocalTensor<T>& b, uint64_t mask,
                                     uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
    AscendC::Sub(dst, a, b, mask, repeats, strides);
  }
};
struct MulOp {
  template <typename T>
  static __aicore__ inline void Call(const AscendC::LocalTensor<T>& dst,
                                     const AscendC::LocalTensor<T>& a,
                                     const AscendC::LocalTensor<T>& b, uint64_t mask,
                                     uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
    AscendC::Mul(dst, a, b, mask, repeats, strides);
  }
};
struct DivOp {
  template <typename T>
  static __aicore__ inline void Call(const AscendC::LocalTensor<T>& dst,
                                     const AscendC::LocalTensor<T>& a,
                                     const AscendC::LocalTensor<T>& b, uint64_t mask,
                                     uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
    AscendC::Div(dst, a, b, mask, repeats, strides);
  }
};

/// Repeats and repeat strides (in DataBlocks) of a vector instruction are 8-bit fields.
constexpr uint32_t kMaxRepeats = 255;
constexpr uint32_t kMaxRepeatStride = 255;
/// A repeat covers eight DataBlocks.
constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kBlockBytes = 32;

/// Repeats go down the rows: one instruction processes up to 255 rows of one column tile.
template <class Op, typename T>
__aicore__ inline void DownColumns(const Rows<T>& dst, const Rows<T>& a, const Rows<T>& b,
                                   uint32_t rows, uint32_t width) {
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
  constexpr uint32_t kPerBlock = kBlockBytes / sizeof(T);
  const AscendC::BinaryRepeatParams strides(1, 1, 1, dst.pitch / kPerBlock, a.pitch / kPerBlock,
                                            b.pitch / kPerBlock);
  for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
    const uint32_t repeats = rows - row < kMaxRepeats ? rows - row : kMaxRepeats;
    for (uint32_t column = 0; column < width; column += kLanes) {
      const uint32_t lanes = width - column < kLanes ? width - column : kLanes;
      Op::Call(dst.data[row * dst.pitch + column], a.data[row * a.pitch + column],
               b.data[row * b.pitch + column], lanes, repeats, strides);
    }
  }
}

/// Repeats go along the row: one instruction processes one row.
template <class Op, typename T>
__aicore__ inline void AlongRows(const Rows<T>& dst, const Rows<T>& a, const Rows<T>& b,
                                 uint32_t rows, uint32_t width) {
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
  const AscendC::BinaryRepeatParams strides(1, 1, 1, 8, 8, 8);
  const uint32_t whole = width / kLanes;
  const uint32_t tail = width % kLanes;
  for (uint32_t row = 0; row < rows; ++row) {
    const auto to = dst.data[row * dst.pitch];
    const auto x = a.data[row * a.pitch];
    const auto y = b.data[row * b.pitch];
    for (uint32_t done = 0; done < whole; done += kMaxRepeats) {
      const uint32_t repeats = whole - done < kMaxRepeats ? whole - done : kMaxRepeats;
      Op::Call(to[done * kLanes], x[done * kLanes], y[done * kLanes], kLanes, repeats, strides);
    }
    if (tail != 0) {
      Op::Call(to[whole * kLanes], x[whole * kLanes], y[whole * kLanes], tail, 1, strides);
    }
  }
}

/// dst[r][c] = Op(a[r][c], b[r][c]) for r < rows, c < width. Operands may be the same tensor.
/// Row starts must be 32-byte aligned; `width` is free.
template <class Op, typename T>
__aicore__ inline void RowWise(const Rows<T>& dst, const Rows<T>& a, const Rows<T>& b,
                               uint32_t rows, uint32_t width) {
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
  constexpr uint32_t kReach = kMaxRepeatStride * (kBlockBytes / sizeof(T));
  const bool in_reach = dst.pitch <= kReach && a.pitch <= kReach && b.pitch <= kReach;
  if (in_reach && (width + kLanes - 1) / kLanes <= rows) {
    DownColumns<Op>(dst, a, b, rows, width);
  } else {
    AlongRows<Op>(dst, a, b, rows, width);
  }
}

}  // namespace kernel_common
