// Lanes of CastDequant, which scales by the words of DEQSCALE, and of the casts from and to int4.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/vector_lanes_dequant.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/vector_dequant.hpp"
#include "isa/exec/vector/vector_lanes-inl.hpp"
#include "isa/numeric/convert.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

/// dst = To(src0 * scale + offset), rounded to nearest even and saturated. `src1` is a
/// DequantTable. The row for a lane is the lane's place in its DataBlock.
template <class To>
void dequantise_lanes(void* dst, const void* src0, const void* src1, std::uint64_t, std::size_t n) {
  auto* to = static_cast<To*>(dst);
  const auto* from = static_cast<const std::int16_t*>(src0);
  const auto& table = *static_cast<const DequantTable*>(src1);
  for (std::size_t first = 0; first < n; first += kDequantWords) {
    const std::size_t lanes = std::min(n - first, kDequantWords);
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < lanes; ++i) {
      const float scaled = static_cast<float>(from[first + i]) * table.scale[i];
      // A sum of an int32 and a 9-bit offset that overflows is outside 8 bits in either case.
      const std::int32_t whole = saturating_int<std::int32_t>(scaled, RoundMode::kRint);
      const std::int32_t bounded = std::clamp(whole, -0x10000, 0x10000) + table.offset[i];
      to[first + i] = static_cast<To>(std::clamp<std::int32_t>(
          bounded, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
    }
  }
}

/// Converts halves to pairs of int4. The first of a pair has the low bits. Numbers saturate.
template <RoundMode mode, bool kWraps>
void half_to_int4_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  alignas(64) float wide[kHalfChunk];
  auto* to = static_cast<std::uint8_t*>(dst);
  const auto* from = static_cast<const std::uint16_t*>(src0);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    widen(from + done, wide, lanes);
    for (std::size_t i = 0; i + 1 < lanes; i += 2) {
      std::int32_t low = saturating_int<std::int32_t>(wide[i], mode);
      std::int32_t high = saturating_int<std::int32_t>(wide[i + 1], mode);
      if (!kWraps) {
        low = std::clamp(low, -8, 7);
        high = std::clamp(high, -8, 7);
      }
      to[(done + i) / 2] = static_cast<std::uint8_t>((low & 0xf) | (high & 0xf) << 4);
    }
  }
}

void int4_to_half_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  // -8 to 7 as halves, in the order of their four bits.
  constexpr std::uint16_t kHalves[16] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500,
                                         0x4600, 0x4700, 0xc800, 0xc700, 0xc600, 0xc500,
                                         0xc400, 0xc200, 0xc000, 0xbc00};
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const std::uint8_t*>(src0);
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    to[i] = kHalves[from[i / 2] & 0xf];
    to[i + 1] = kHalves[from[i / 2] >> 4];
  }
}

template <RoundMode mode>
void add_int4_mode(LaneTable& table, RoundMode as) {
  table.set_cast(DType::kI4, DType::kF16, as, half_to_int4_lanes<mode, false>);
  table.set_wrapping_cast(DType::kI4, DType::kF16, as, half_to_int4_lanes<mode, true>);
}

void add_dequant(LaneTable& table) {
  table.set(Opcode::kCastDequant, DType::kI8, DType::kI16, dequantise_lanes<std::int8_t>);
  table.set(Opcode::kCastDequant, DType::kU8, DType::kI16, dequantise_lanes<std::uint8_t>);
  table.set_cast(DType::kF16, DType::kI4, RoundMode::kNone, int4_to_half_lanes);
  add_int4_mode<RoundMode::kRint>(table, RoundMode::kNone);
  add_int4_mode<RoundMode::kRint>(table, RoundMode::kRint);
  add_int4_mode<RoundMode::kFloor>(table, RoundMode::kFloor);
  add_int4_mode<RoundMode::kCeil>(table, RoundMode::kCeil);
  add_int4_mode<RoundMode::kRound>(table, RoundMode::kRound);
  add_int4_mode<RoundMode::kTrunc>(table, RoundMode::kTrunc);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(add_dequant);

void add_dequant_lanes(LaneTable& table) {
  HWY_DYNAMIC_DISPATCH(add_dequant)(table);
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
