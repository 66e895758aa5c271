// Lanes of the other overflow modes: integer arithmetic that saturates (CTRL[53]), conversions to
// integers that wrap around (CTRL[59]), and the pass that makes half and bfloat16 results finite
// (CTRL[48]).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/vector_lanes_overflow.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/vector_lanes-inl.hpp"
#include "isa/instr/vector_types.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/convert.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

/// An integer operation, computed exactly and saturated to the range of T.
template <class T, class Exact>
struct Saturated {
  HWY_INLINE T operator()(T a, T b) const {
    return saturating_narrow<T>(Exact()(std::int64_t{a}, std::int64_t{b}));
  }
};
struct Sum {
  HWY_INLINE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct Difference {
  HWY_INLINE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a - b; }
};
struct Product {
  HWY_INLINE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a * b; }
};
template <class Exact>
struct Rectified {
  HWY_INLINE std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    const std::int64_t result = Exact()(a, b);
    return result > 0 ? result : 0;
  }
};

/// int8 results of int16 sources.
template <class Exact>
void narrowed_lanes(void* dst, const void* src0, const void* src1, std::uint64_t, std::size_t n) {
  auto* to = static_cast<std::int8_t*>(dst);
  const auto* a = static_cast<const std::int16_t*>(src0);
  const auto* b = static_cast<const std::int16_t*>(src1);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = saturating_narrow<std::int8_t>(Exact()(std::int64_t{a[i]}, std::int64_t{b[i]}));
  }
}

/// AddDeqRelu whose integer sum saturates.
void saturated_dequantised_relu(void* dst, const void* src0, const void* src1, std::uint64_t scalar,
                                std::size_t n) {
  alignas(64) float results[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* a = static_cast<const std::int32_t*>(src0);
  const auto* b = static_cast<const std::int32_t*>(src1);
  const float scale = scalar_of<half>(scalar);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::int32_t sum = Saturated<std::int32_t, Sum>()(a[done + i], b[done + i]);
      const float scaled = static_cast<float>(sum) * scale;
      results[i] = scaled > 0.0f      ? scaled
                   : scaled == scaled ? 0.0f
                                      : std::numeric_limits<float>::quiet_NaN();
    }
    narrow(results, to + done, lanes);
  }
}

template <class T>
void add_saturating_arithmetic(LaneTable& table, DType type) {
  const auto set = [&](Opcode op, LaneFn fn) { table.set_saturating(op, type, type, fn); };
  set(Opcode::kAdd, binary_lanes<T, Saturated<T, Sum>>);
  set(Opcode::kSub, binary_lanes<T, Saturated<T, Difference>>);
  set(Opcode::kMul, binary_lanes<T, Saturated<T, Product>>);
  set(Opcode::kAdds, scalar_lanes<T, Saturated<T, Sum>>);
  set(Opcode::kMuls, scalar_lanes<T, Saturated<T, Product>>);
}

/// dst = the low bits of src0, rounded to an integer.
template <class To, class From, RoundMode mode>
void wrapping_cast(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  auto* to = static_cast<To*>(dst);
  const auto* from = static_cast<const From*>(src0);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<From>) {
      to[i] = static_cast<To>(from[i]);
    } else {
      to[i] = static_cast<To>(saturating_int<std::int64_t>(static_cast<float>(from[i]), mode));
    }
  }
}

template <class To, class From, RoundMode mode>
void add_wrapping_cast(LaneTable& table, DType to, DType from) {
  if (cast_mode_exists(to, from, mode)) {
    table.set_wrapping_cast(to, from, mode, wrapping_cast<To, From, mode>);
  }
}

template <RoundMode mode>
void add_wrapping_mode(LaneTable& table) {
  using D = DType;
  add_wrapping_cast<std::int8_t, half, mode>(table, D::kI8, D::kF16);
  add_wrapping_cast<std::uint8_t, half, mode>(table, D::kU8, D::kF16);
  add_wrapping_cast<std::int16_t, half, mode>(table, D::kI16, D::kF16);
  add_wrapping_cast<std::int32_t, half, mode>(table, D::kI32, D::kF16);
  add_wrapping_cast<std::int32_t, bfloat16_t, mode>(table, D::kI32, D::kBF16);
  add_wrapping_cast<std::int16_t, float, mode>(table, D::kI16, D::kF32);
  add_wrapping_cast<std::int32_t, float, mode>(table, D::kI32, D::kF32);
}

void add_overflow(LaneTable& table) {
  using D = DType;
  add_saturating_arithmetic<std::int16_t>(table, D::kI16);
  add_saturating_arithmetic<std::int32_t>(table, D::kI32);
  table.set_saturating(Opcode::kAddRelu, D::kI16, D::kI16,
                       binary_lanes<std::int16_t, Saturated<std::int16_t, Rectified<Sum>>>);
  table.set_saturating(Opcode::kSubRelu, D::kI16, D::kI16,
                       binary_lanes<std::int16_t, Saturated<std::int16_t, Rectified<Difference>>>);
  table.set_saturating(Opcode::kAddReluCast, D::kI8, D::kI16, narrowed_lanes<Rectified<Sum>>);
  table.set_saturating(Opcode::kSubReluCast, D::kI8, D::kI16,
                       narrowed_lanes<Rectified<Difference>>);
  table.set_saturating(Opcode::kAddDeqRelu, D::kF16, D::kI32, saturated_dequantised_relu);
  add_wrapping_mode<RoundMode::kNone>(table);
  add_wrapping_mode<RoundMode::kRint>(table);
  add_wrapping_mode<RoundMode::kFloor>(table);
  add_wrapping_mode<RoundMode::kCeil>(table);
  add_wrapping_mode<RoundMode::kRound>(table);
  add_wrapping_mode<RoundMode::kTrunc>(table);
  constexpr RoundMode kNone = RoundMode::kNone;
  table.set_wrapping_cast(D::kI16, D::kI32, kNone,
                          wrapping_cast<std::int16_t, std::int32_t, kNone>);
  table.set_wrapping_cast(D::kI32, D::kI64, kNone,
                          wrapping_cast<std::int32_t, std::int64_t, kNone>);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(add_overflow);

void add_overflow_lanes(LaneTable& table) {
  HWY_DYNAMIC_DISPATCH(add_overflow)(table);
}

namespace {

/// Makes 16-bit floating-point numbers finite. The infinity of their type has these bits.
template <std::uint16_t kInfinity>
void saturate(void* results, std::size_t n) {
  auto* bits = static_cast<std::uint16_t*>(results);
  for (std::size_t i = 0; i < n; ++i) {
    const auto magnitude = static_cast<std::uint16_t>(bits[i] & 0x7fffu);
    const auto largest = static_cast<std::uint16_t>((bits[i] & 0x8000u) | (kInfinity - 1u));
    const std::uint16_t special = magnitude == kInfinity ? largest : std::uint16_t{0};
    bits[i] = magnitude >= kInfinity ? special : bits[i];
  }
}

}  // namespace

SaturateFn saturate_lanes(DType type) {
  if (type == DType::kF16) return saturate<0x7c00>;
  if (type == DType::kBF16) return saturate<0x7f80>;
  return nullptr;
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
