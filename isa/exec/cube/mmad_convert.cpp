// Compiled once for every vector unit that Highway knows and chosen between at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/cube/mmad_convert.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include <cstring>

#include "isa/exec/cube/mmad_convert.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "isa/numeric/int4.hpp"
#include "isa/numeric/layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Targets whose conversions from and to half are instructions; Highway's emulation elsewhere rounds
// differently from the device.
#undef DAVSIM_NATIVE_HALF
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
#define DAVSIM_NATIVE_HALF 1
#else
#define DAVSIM_NATIVE_HALF 0
#endif

const hn::ScalableTag<float> kFloats;
const hn::Rebind<std::uint16_t, hn::ScalableTag<float>> kHalfBits;

void HalfToFloat(float* to, const std::uint16_t* from, std::size_t count) {
  std::size_t i = 0;
#if DAVSIM_NATIVE_HALF
  const hn::Rebind<hwy::float16_t, hn::ScalableTag<float>> halves;
  for (; i + hn::Lanes(kFloats) <= count; i += hn::Lanes(kFloats)) {
    const auto bits = hn::BitCast(halves, hn::LoadU(kHalfBits, from + i));
    hn::StoreU(hn::PromoteTo(kFloats, bits), kFloats, to + i);
  }
#endif
  for (; i < count; ++i) to[i] = float_from_half_bits(from[i]);
}

void FloatToHalf(std::uint16_t* to, const float* from, std::size_t count) {
  std::size_t i = 0;
#if DAVSIM_NATIVE_HALF
  const hn::Rebind<hwy::float16_t, hn::ScalableTag<float>> halves;
  for (; i + hn::Lanes(kFloats) <= count; i += hn::Lanes(kFloats)) {
    const auto narrow = hn::DemoteTo(halves, hn::LoadU(kFloats, from + i));
    hn::StoreU(hn::BitCast(kHalfBits, narrow), kHalfBits, to + i);
  }
#endif
  for (; i < count; ++i) to[i] = half_bits_from_float(from[i]);
}

void BfloatToFloat(float* to, const std::uint16_t* from, std::size_t count) {
  const hn::RebindToUnsigned<hn::ScalableTag<float>> words;
  std::size_t i = 0;
  for (; i + hn::Lanes(kFloats) <= count; i += hn::Lanes(kFloats)) {
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(words, hn::LoadU(kHalfBits, from + i)));
    hn::StoreU(hn::BitCast(kFloats, bits), kFloats, to + i);
  }
  for (; i < count; ++i) to[i] = float_from_bfloat16_bits(from[i]);
}

void Int8ToFloat(float* to, const std::int8_t* from, std::size_t count) {
  const hn::Rebind<std::int8_t, hn::ScalableTag<float>> bytes;
  const hn::RebindToSigned<hn::ScalableTag<float>> words;
  std::size_t i = 0;
  for (; i + hn::Lanes(kFloats) <= count; i += hn::Lanes(kFloats)) {
    const auto wide = hn::PromoteTo(words, hn::LoadU(bytes, from + i));
    hn::StoreU(hn::ConvertTo(kFloats, wide), kFloats, to + i);
  }
  for (; i < count; ++i) to[i] = from[i];
}

/// Two numbers a byte, the first in the low bits.
void Int4ToFloat(float* to, const std::byte* from, std::size_t count) {
  const hn::Rebind<std::int8_t, hn::ScalableTag<float>> bytes;
  const hn::RebindToSigned<hn::ScalableTag<float>> words;
  const std::size_t lanes = hn::Lanes(kFloats);
  const auto* pairs = reinterpret_cast<const std::int8_t*>(from);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto pair = hn::PromoteTo(words, hn::LoadU(bytes, pairs + i / 2));
    const auto low = hn::ShiftRight<28>(hn::ShiftLeft<28>(pair));
    const auto high = hn::ShiftRight<4>(pair);
    hn::StoreInterleaved2(hn::ConvertTo(kFloats, low), hn::ConvertTo(kFloats, high), kFloats,
                          to + i);
  }
  for (; i < count; ++i) to[i] = int4_of_pair(static_cast<std::uint8_t>(pairs[i / 2]), i);
}

void ToFloats(float* to, const std::byte* from, DType type, std::size_t count) {
  switch (type) {
    case DType::kF16:
      return HalfToFloat(to, reinterpret_cast<const std::uint16_t*>(from), count);
    case DType::kBF16:
      return BfloatToFloat(to, reinterpret_cast<const std::uint16_t*>(from), count);
    case DType::kI8:
      return Int8ToFloat(to, reinterpret_cast<const std::int8_t*>(from), count);
    case DType::kI4:
      return Int4ToFloat(to, from, count);
    default:
      std::memcpy(to, from, count * sizeof(float));
      return;
  }
}

/// A 4 x 4 block of floats.
#if HWY_TARGET == HWY_SCALAR
void Transpose4(float* to, std::size_t to_pitch, const float* from, std::size_t from_pitch) {
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t col = 0; col < 4; ++col)
      to[col * to_pitch + row] = from[row * from_pitch + col];
  }
}
#else
HWY_INLINE void Transpose4(float* to, std::size_t to_pitch, const float* from,
                           std::size_t from_pitch) {
  const hn::FixedTag<float, 4> four;
  const hn::FixedTag<double, 2> two;
  const auto r0 = hn::LoadU(four, from), r1 = hn::LoadU(four, from + from_pitch);
  const auto r2 = hn::LoadU(four, from + 2 * from_pitch);
  const auto r3 = hn::LoadU(four, from + 3 * from_pitch);
  const auto a = hn::BitCast(two, hn::InterleaveLower(four, r0, r1));
  const auto b = hn::BitCast(two, hn::InterleaveUpper(four, r0, r1));
  const auto c = hn::BitCast(two, hn::InterleaveLower(four, r2, r3));
  const auto d = hn::BitCast(two, hn::InterleaveUpper(four, r2, r3));
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, a, c)), four, to);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, a, c)), four, to + to_pitch);
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, b, d)), four, to + 2 * to_pitch);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, b, d)), four, to + 3 * to_pitch);
}
#endif

void ToFloatsTransposed(float* to, const std::byte* from, DType type, std::size_t count,
                        std::size_t pitch) {
  const std::size_t c0 = c0_elements(type);
  float fractal[kFractalRows * kLargestC0];
  for (std::size_t i = 0; i < count; ++i) {
    ToFloats(fractal, from + i * pitch, type, kFractalRows * c0);
    for (std::size_t col = 0; col < c0; col += 4) {
      for (std::size_t row = 0; row < kFractalRows; row += 4) {
        Transpose4(to + col * kFractalRows + row, kFractalRows, fractal + row * c0 + col, c0);
      }
    }
    to += kFractalRows * c0;
  }
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(ToFloats);
HWY_EXPORT(ToFloatsTransposed);
HWY_EXPORT(FloatToHalf);

void to_floats(float* to, const std::byte* from, DType type, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(ToFloats)(to, from, type, count);
}

void to_floats_transposed(float* to, const std::byte* from, DType type, std::size_t count,
                          std::size_t pitch) {
  HWY_DYNAMIC_DISPATCH(ToFloatsTransposed)(to, from, type, count, pitch);
}

void to_halves(std::uint16_t* to, const float* from, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(FloatToHalf)(to, from, count);
}

void to_bfloats(std::uint16_t* to, const float* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = bfloat16_bits_from_float(from[i]);
}

}  // namespace davsim::isa
#endif
