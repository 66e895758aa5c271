// Transposes of single fractals and squares. Compiled once for every vector unit that Highway knows
// and chosen between at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/cube/load_fractal.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "isa/exec/cube/load.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

template <std::size_t kSize, class Element>
void TransposeSquare(Element* dst, const Element* src) {
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t col = 0; col < kSize; ++col) dst[col * kSize + row] = src[row * kSize + col];
  }
}

void TransposeFractal(std::uint16_t* dst, const std::uint16_t* src) {
  TransposeSquare<16>(dst, src);
}

void TransposeBytes(std::uint8_t* dst, const std::uint8_t* src) {
  TransposeSquare<32>(dst, src);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Lanes16 = hn::FixedTag<std::uint16_t, 8>;
using Vector16 = hn::Vec<Lanes16>;

template <class Wide>
HWY_INLINE void Interleave(Vector16& a, Vector16& b) {
  const hn::Repartition<Wide, Lanes16> wide;
  const auto x = hn::BitCast(wide, a);
  const auto y = hn::BitCast(wide, b);
  a = hn::BitCast(Lanes16(), hn::InterleaveLower(wide, x, y));
  b = hn::BitCast(Lanes16(), hn::InterleaveUpper(wide, x, y));
}

/// An 8 x 8 corner of a fractal whose rows are 16 elements apart.
HWY_INLINE void Transpose8x8(std::uint16_t* dst, const std::uint16_t* src) {
  const Lanes16 lanes;
  Vector16 r0 = hn::LoadU(lanes, src), r1 = hn::LoadU(lanes, src + 16);
  Vector16 r2 = hn::LoadU(lanes, src + 32), r3 = hn::LoadU(lanes, src + 48);
  Vector16 r4 = hn::LoadU(lanes, src + 64), r5 = hn::LoadU(lanes, src + 80);
  Vector16 r6 = hn::LoadU(lanes, src + 96), r7 = hn::LoadU(lanes, src + 112);
  Interleave<std::uint16_t>(r0, r1);
  Interleave<std::uint16_t>(r2, r3);
  Interleave<std::uint16_t>(r4, r5);
  Interleave<std::uint16_t>(r6, r7);
  // Now r0 holds columns 0 to 3 of rows 0 and 1, r1 columns 4 to 7, and so on.
  Interleave<std::uint32_t>(r0, r2);
  Interleave<std::uint32_t>(r1, r3);
  Interleave<std::uint32_t>(r4, r6);
  Interleave<std::uint32_t>(r5, r7);
  // r0, r2, r1, r3: columns 0-1, 2-3, 4-5, 6-7 of rows 0 to 3; r4, r6, r5, r7: of rows 4 to 7.
  Interleave<std::uint64_t>(r0, r4);
  Interleave<std::uint64_t>(r2, r6);
  Interleave<std::uint64_t>(r1, r5);
  Interleave<std::uint64_t>(r3, r7);
  hn::StoreU(r0, lanes, dst);
  hn::StoreU(r4, lanes, dst + 16);
  hn::StoreU(r2, lanes, dst + 32);
  hn::StoreU(r6, lanes, dst + 48);
  hn::StoreU(r1, lanes, dst + 64);
  hn::StoreU(r5, lanes, dst + 80);
  hn::StoreU(r3, lanes, dst + 96);
  hn::StoreU(r7, lanes, dst + 112);
}

void TransposeFractal(std::uint16_t* dst, const std::uint16_t* src) {
  Transpose8x8(dst, src);
  Transpose8x8(dst + 8 * 16, src + 8);
  Transpose8x8(dst + 8, src + 8 * 16);
  Transpose8x8(dst + 8 * 16 + 8, src + 8 * 16 + 8);
}

/// A corner of 16 x 16 bytes of a square whose rows are 32 bytes apart. Rows i and i + 8 are
/// interleaved, four times over all rows: byte c of row r moves from place (r, c) to (c, r).
HWY_INLINE void Transpose16x16Bytes(std::uint8_t* dst, const std::uint8_t* src) {
  constexpr std::size_t kRows = 16, kPitch = 32;
  const hn::FixedTag<std::uint8_t, kRows> lanes;
  hn::Vec<decltype(lanes)> rows[kRows], mixed[kRows];
  for (std::size_t i = 0; i < kRows; ++i) rows[i] = hn::LoadU(lanes, src + i * kPitch);
  for (std::size_t time = 0; time < 4; ++time) {
    for (std::size_t i = 0; i < kRows / 2; ++i) {
      mixed[2 * i] = hn::InterleaveLower(lanes, rows[i], rows[i + kRows / 2]);
      mixed[2 * i + 1] = hn::InterleaveUpper(lanes, rows[i], rows[i + kRows / 2]);
    }
    std::copy(mixed, mixed + kRows, rows);
  }
  for (std::size_t i = 0; i < kRows; ++i) hn::StoreU(rows[i], lanes, dst + i * kPitch);
}

void TransposeBytes(std::uint8_t* dst, const std::uint8_t* src) {
  constexpr std::size_t kDown = 16 * 32;  // from a corner to the one below it
  Transpose16x16Bytes(dst, src);
  Transpose16x16Bytes(dst + kDown, src + 16);
  Transpose16x16Bytes(dst + 16, src + kDown);
  Transpose16x16Bytes(dst + kDown + 16, src + kDown + 16);
}

#endif

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(TransposeFractal);
HWY_EXPORT(TransposeBytes);

void transpose_fractal_b16(std::byte* dst, const std::byte* src) {
  HWY_DYNAMIC_DISPATCH(TransposeFractal)
  (reinterpret_cast<std::uint16_t*>(dst), reinterpret_cast<const std::uint16_t*>(src));
}

void transpose_square_b8(std::byte* dst, const std::byte* src) {
  HWY_DYNAMIC_DISPATCH(TransposeBytes)
  (reinterpret_cast<std::uint8_t*>(dst), reinterpret_cast<const std::uint8_t*>(src));
}

void transpose_square_int4(std::byte* dst, const std::byte* src) {
  constexpr std::size_t kSize = 64, kRowBytes = kSize / 2;
  std::uint8_t from[kSize * kRowBytes], to[kSize * kRowBytes];
  std::memcpy(from, src, sizeof from);
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t pair = 0; pair < kRowBytes; ++pair) {
      // Rows 2 * pair and 2 * pair + 1 of column `row` become one byte.
      const unsigned low = from[2 * pair * kRowBytes + row / 2] >> (row % 2 * 4) & 0xfu;
      const unsigned high = from[(2 * pair + 1) * kRowBytes + row / 2] >> (row % 2 * 4) & 0xfu;
      to[row * kRowBytes + pair] = static_cast<std::uint8_t>(low | high << 4);
    }
  }
  std::memcpy(dst, to, sizeof to);
}

}  // namespace davsim::isa
#endif
