// Copies of rows between global memory and UB, where each row begins on a DataBlock.
#pragma once

#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {

/// Rows of `width` elements: `gm_pitch` elements apart in global memory, `ub_pitch` in UB. Rows of
/// UB begin on DataBlocks.
struct RowCopies {
  std::uint32_t rows, width, gm_pitch, ub_pitch;

  template <class T>
  void load(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from) const {
    AscendC::DataCopyPad(
        to, from, AscendC::DataCopyExtParams(count(), bytes<T>(), gm_gap<T>(), ub_gap<T>(), 0),
        AscendC::DataCopyPadExtParams<T>{});
  }
  template <class T>
  void store(const AscendC::GlobalTensor<T>& to, const AscendC::LocalTensor<T>& from) const {
    AscendC::DataCopyPad(
        to, from, AscendC::DataCopyExtParams(count(), bytes<T>(), ub_gap<T>(), gm_gap<T>(), 0));
  }

 private:
  std::uint16_t count() const { return static_cast<std::uint16_t>(rows); }
  template <class T>
  std::uint32_t bytes() const {
    return width * static_cast<std::uint32_t>(sizeof(T));
  }
  template <class T>
  std::uint32_t gm_gap() const {
    return (gm_pitch - width) * static_cast<std::uint32_t>(sizeof(T));
  }
  template <class T>
  std::uint32_t ub_gap() const {
    return (ub_pitch * static_cast<std::uint32_t>(sizeof(T)) - round_up(bytes<T>(), 32)) / 32;
  }
};

/// Bytes of UB that rows of a tile and what belongs to them may take.
constexpr std::uint32_t kRoomForRows = 184 * 1024;

/// Rows of a tile: as many of `row_bytes` bytes as UB has room for beside `others` bytes. Throws
/// std::invalid_argument if none fits.
inline std::uint32_t rows_that_fit(std::uint32_t row_bytes, std::uint32_t others,
                                   std::uint32_t rows) {
  constexpr std::uint32_t kMostRows = 255;
  if (others + row_bytes > kRoomForRows) {
    throw std::invalid_argument("a row needs " + std::to_string(row_bytes) +
                                " bytes of UB beside " + std::to_string(others) + "; there are " +
                                std::to_string(kRoomForRows));
  }
  return std::min({(kRoomForRows - others) / row_bytes, kMostRows, std::max(rows, 1u)});
}

}  // namespace davsim::silicon
