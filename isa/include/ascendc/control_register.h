// The control register CTRL: what happens to results that do not fit, and how the mask counts.
#pragma once

#include "ascendc/data_copy_emit.h"

namespace davsim::api {

/// The bits that davsim models. A change of the device's other bits is refused, not ignored.
inline constexpr char kCtrlBits[] = "46, 47, 48, 51, 53, 56 and 59";
constexpr bool is_modelled_ctrl_bit(int bit) {
  return bit == isa::kCtrlHf32 || bit == isa::kCtrlHf32NearestAway ||
         bit == isa::kCtrlKeepsInfNan || bit == isa::kCtrlColumnMajor ||
         bit == isa::kCtrlIntegersSaturate || bit == isa::kCtrlMaskCounts ||
         bit == isa::kCtrlCastsWrap;
}

/// Bits that calls of their own set are kept where those calls keep them.
inline std::uint64_t control_register() {
  const auto& all = registers();
  const auto bit = [](bool set, unsigned place) { return std::uint64_t{set} << place; };
  return all.ctrl | bit(all.hf32, isa::kCtrlHf32) |
         bit(all.hf32_nearest_away, isa::kCtrlHf32NearestAway) |
         bit(all.mm_column_major, isa::kCtrlColumnMajor) |
         bit(all.mask_mode == isa::MaskMode::kCounter, isa::kCtrlMaskCounts);
}

inline void set_control_register(std::uint64_t value, Location where) {
  auto& all = registers();
  const auto take = [&](unsigned place) {
    const bool set = (value >> place & 1u) != 0;
    value &= ~(std::uint64_t{1} << place);
    return set;
  };
  all.hf32 = take(isa::kCtrlHf32);
  all.hf32_nearest_away = take(isa::kCtrlHf32NearestAway);
  all.mm_column_major = take(isa::kCtrlColumnMajor);
  all.mask_mode = take(isa::kCtrlMaskCounts) ? isa::MaskMode::kCounter : isa::MaskMode::kNormal;
  all.ctrl = value;
  emit_set_register(where);
}

}  // namespace davsim::api

namespace AscendC {

/// Sets one of these bits of CTRL:
///   46  SetHF32Mode
///   47  SetHF32TransMode
///   48  half and bfloat16_t results: 0 infinities become the largest number and NaN becomes 0,
///       1 (as kernels find it) both stay
///   51  SetMMLayoutTransform
///   53  integer arithmetic that overflows: 0 (as kernels find it) wraps around, 1 saturates
///   56  the mask: 0 has a bit a lane (SetMaskNorm), 1 counts elements (SetMaskCount)
///   59  conversions to integers: 0 (as kernels find it) saturate, 1 keep the low bits
template <std::int8_t startBit, std::int8_t endBit>
void SetCtrlSpr(std::int64_t value,
                davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(
      startBit == endBit && davsim::api::is_modelled_ctrl_bit(startBit),
      "SetCtrlSpr: the bits of CTRL to be set here are 46, 47, 48, 51, 53, 56 and 59, one "
      "at a time");
  davsim::api::require_range("SetCtrlSpr", "value", value, 0, 1, where);
  const std::uint64_t bit = std::uint64_t{1} << startBit;
  const std::uint64_t others = davsim::api::control_register() & ~bit;
  davsim::api::set_control_register(value != 0 ? others | bit : others, where);
}

/// Bits startBit to endBit of CTRL.
template <std::int8_t startBit, std::int8_t endBit>
std::int64_t GetCtrlSpr() {
  static_assert(0 <= startBit && startBit <= endBit && endBit < 64,
                "GetCtrlSpr: 0 <= startBit <= endBit <= 63");
  const std::uint64_t shifted = davsim::api::control_register() >> startBit;
  constexpr int kBits = endBit - startBit + 1;
  return static_cast<std::int64_t>(kBits == 64 ? shifted
                                               : shifted & ((std::uint64_t{1} << kBits % 64) - 1));
}

/// The same bits as kernels find them.
template <std::int8_t startBit, std::int8_t endBit>
void ResetCtrlSpr(davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(startBit == endBit, "ResetCtrlSpr: one bit at a time");
  SetCtrlSpr<startBit, endBit>(davsim::isa::kCtrlAtStart >> startBit & 1u, where);
}

}  // namespace AscendC
