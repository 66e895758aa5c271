// Rows in the NZ layout. A row is cut into pieces of C0 elements (a DataBlock of 32 bytes). The
// pieces with the same number of all rows are contiguous. Piece p of row r of a block of `pitch`
// rows starts at element (p * pitch + r) * C0.
#pragma once

#include "kernels/common/row_wise.h"

namespace kernel_common {

/// C0: the number of elements of a piece.
template <typename T>
constexpr uint32_t kNzPiece = kBlockBytes / sizeof(T);

/// Element (row, column) of a block of `pitch` rows.
template <typename T>
__aicore__ inline uint64_t NzOffset(uint64_t pitch, uint64_t row, uint64_t column) {
  return (column / kNzPiece<T> * pitch + row) * kNzPiece<T> + column % kNzPiece<T>;
}

/// Casts rows in UB and stores them in NZ. `dst` is the first element of a block of `pitch` rows,
/// of which `rows` are written. `width` is a multiple of C0 of To. src.pitch is at most 255
/// DataBlocks. One instruction converts 256 bytes of the wider type of up to 255 rows.
template <typename To, typename From>
__aicore__ inline void CastToNz(const AscendC::LocalTensor<To>& dst, uint32_t pitch,
                                const Rows<From>& src, uint32_t rows, uint32_t width,
                                AscendC::RoundMode mode) {
  constexpr uint32_t kWidest = sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From);
  constexpr uint32_t kLanes = kRepeatBytes / kWidest;
  const AscendC::UnaryRepeatParams strides(pitch, 1, 1, src.pitch * sizeof(From) / kBlockBytes);
  for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
    const uint32_t repeats = rows - row < kMaxRepeats ? rows - row : kMaxRepeats;
    for (uint32_t column = 0; column < width; column += kLanes) {
      const uint32_t lanes = width - column < kLanes ? width - column : kLanes;
      AscendC::Cast(dst[NzOffset<To>(pitch, row, column)], src.data[row * src.pitch + column], mode,
                    lanes, repeats, strides);
    }
  }
}

}  // namespace kernel_common
