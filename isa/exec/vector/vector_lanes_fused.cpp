// Lanes of fused instructions. Each gives the same results as the single instructions one after
// another, with all roundings.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/vector_lanes_fused.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/vector_lanes-inl.hpp"
#include "isa/numeric/convert.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

/// The larger one of a number and 0, as Relu has it: NaN stays NaN, -0 becomes +0.
HWY_INLINE float rectified(float x) {
  return x > 0.0f ? x : x == x ? 0.0f : std::numeric_limits<float>::quiet_NaN();
}
HWY_INLINE std::int16_t rectified(std::int16_t x) {
  return x > 0 ? x : std::int16_t{0};
}

HWY_INLINE std::int16_t wrapped_sum(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(a) + static_cast<std::uint16_t>(b));
}
HWY_INLINE std::int16_t wrapped_difference(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(a) - static_cast<std::uint16_t>(b));
}

struct AddReluOp {
  HWY_INLINE float operator()(float a, float b) const { return rectified(a + b); }
  HWY_INLINE std::int16_t operator()(std::int16_t a, std::int16_t b) const {
    return rectified(wrapped_sum(a, b));
  }
};

struct SubReluOp {
  HWY_INLINE float operator()(float a, float b) const { return rectified(a - b); }
  HWY_INLINE std::int16_t operator()(std::int16_t a, std::int16_t b) const {
    return rectified(wrapped_difference(a, b));
  }
};

struct MulOp {
  HWY_INLINE float operator()(float a, float b) const { return a * b; }
};

struct LeakyReluOp {
  HWY_INLINE float operator()(float a, float slope) const {
    return canonical(a >= 0.0f ? a : a * slope);
  }
};

/// int16 sources, int8 results.
template <class Op>
struct NarrowedSum {
  HWY_INLINE std::int8_t operator()(std::int16_t a, std::int16_t b) const {
    return saturating_narrow<std::int8_t>(Op()(a, b));
  }
};

/// dst = Op(src0, src1) with narrower results.
template <class To, class From, class Op>
void binary_into(void* dst, const void* src0, const void* src1, std::uint64_t, std::size_t n) {
  auto* to = static_cast<To*>(dst);
  const auto* a = static_cast<const From*>(src0);
  const auto* b = static_cast<const From*>(src1);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) to[i] = Op()(a[i], b[i]);
}

/// dst = half(Op(src0, src1)) with fp32 sources.
template <class Op>
void float_into_half(void* dst, const void* src0, const void* src1, std::uint64_t, std::size_t n) {
  alignas(64) float results[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* a = static_cast<const float*>(src0);
  const auto* b = static_cast<const float*>(src1);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    binary_lanes<float, Op>(results, a + done, b + done, 0, lanes);
    narrow(results, to + done, lanes);
  }
}

/// dst = To(half(Op(src0, src1))) with half sources: the result is rounded to half first.
template <class To, class Op>
void half_into_int(void* dst, const void* src0, const void* src1, std::uint64_t, std::size_t n) {
  std::uint16_t rounded[kHalfChunk];
  alignas(64) float wide[kHalfChunk];
  auto* to = static_cast<To*>(dst);
  const auto* a = static_cast<const std::uint16_t*>(src0);
  const auto* b = static_cast<const std::uint16_t*>(src1);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    half_lanes<binary_lanes<float, Op>>(rounded, a + done, b + done, 0, lanes);
    widen(rounded, wide, lanes);
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < lanes; ++i) {
      to[done + i] = saturating_int<To>(wide[i], RoundMode::kRint);
    }
  }
}

/// dst = src0 * dst + src1, the product rounded to fp32 before the sum.
template <bool kRelu>
void multiply_add_float(void* dst, const void* src0, const void* src1, std::uint64_t,
                        std::size_t n) {
  auto* to = static_cast<float*>(dst);
  const auto* a = static_cast<const float*>(src0);
  const auto* b = static_cast<const float*>(src1);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = a[i] * to[i] + b[i];
    to[i] = kRelu ? rectified(sum) : canonical(sum);
  }
}

/// dst = src0 * dst + src1 in half. The product is rounded to half before the sum.
template <bool kRelu>
void multiply_add_half(void* dst, const void* src0, const void* src1, std::uint64_t,
                       std::size_t n) {
  std::uint16_t products[kHalfChunk];
  alignas(64) float sums[kHalfChunk], addends[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* a = static_cast<const std::uint16_t*>(src0);
  const auto* b = static_cast<const std::uint16_t*>(src1);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    half_lanes<binary_lanes<float, MulOp>>(products, a + done, to + done, 0, lanes);
    widen(products, sums, lanes);
    widen(b + done, addends, lanes);
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < lanes; ++i) {
      const float sum = sums[i] + addends[i];
      sums[i] = kRelu ? rectified(sum) : canonical(sum);
    }
    narrow(sums, to + done, lanes);
  }
}

/// dst = Relu(half((src0 + src1) * scale)); `scalar` is the scale, as half.
void add_dequantised_relu(void* dst, const void* src0, const void* src1, std::uint64_t scalar,
                          std::size_t n) {
  alignas(64) float results[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* a = static_cast<const std::uint32_t*>(src0);
  const auto* b = static_cast<const std::uint32_t*>(src1);
  const float scale = scalar_of<half>(scalar);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto sum = static_cast<std::int32_t>(a[done + i] + b[done + i]);
      results[i] = rectified(static_cast<float>(sum) * scale);
    }
    narrow(results, to + done, lanes);
  }
}

/// Shifts are computed in 64 bits, in which all distances from 0 to the width of the type are
/// defined.
struct ShiftAmount {
  explicit ShiftAmount(std::uint64_t scalar)
      : places(static_cast<unsigned>(scalar & 0xffffffffu)), rounds((scalar >> 32 & 1u) != 0) {}
  unsigned places;
  bool rounds;
};

/// Signed numbers keep their sign bit. The bits next to it are shifted out.
template <class T>
void shift_left_lanes(void* dst, const void* src0, const void*, std::uint64_t scalar,
                      std::size_t n) {
  using Bits = std::make_unsigned_t<T>;
  constexpr Bits kSign = std::is_signed_v<T> ? Bits{1} << (sizeof(T) * 8 - 1) : Bits{0};
  const unsigned places = ShiftAmount(scalar).places;
  auto* to = static_cast<Bits*>(dst);
  const auto* a = static_cast<const Bits*>(src0);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) {
    const auto moved = static_cast<Bits>(std::uint64_t{a[i]} << places);
    to[i] = static_cast<Bits>((a[i] & kSign) | (moved & static_cast<Bits>(~kSign)));
  }
}

/// Shifts of signed numbers are arithmetic, others logical. Rounding adds the last bit that is
/// shifted out.
template <class T>
void shift_right_lanes(void* dst, const void* src0, const void*, std::uint64_t scalar,
                       std::size_t n) {
  const ShiftAmount amount(scalar);
  const std::int64_t half_step = amount.rounds && std::is_signed_v<T> && amount.places > 0
                                     ? std::int64_t{1} << (amount.places - 1)
                                     : 0;
  const unsigned places = amount.places;
  auto* to = static_cast<T*>(dst);
  const auto* a = static_cast<const T*>(src0);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = static_cast<T>((static_cast<std::int64_t>(a[i]) + half_step) >> places);
  }
}

template <class T>
void add_shifts(LaneTable& table, DType type) {
  table.set(Opcode::kShiftLeft, type, shift_left_lanes<T>);
  table.set(Opcode::kShiftRight, type, shift_right_lanes<T>);
}

template <class Op>
void add_rectified_sum(LaneTable& table, Opcode op, Opcode casting) {
  using D = DType;
  table.set(op, D::kF32, binary_lanes<float, Op>);
  table.set(op, D::kF16, half_lanes<binary_lanes<float, Op>>);
  table.set(op, D::kI16, binary_lanes<std::int16_t, Op>);
  table.set(casting, D::kF16, D::kF32, float_into_half<Op>);
  table.set(casting, D::kI8, D::kF16, half_into_int<std::int8_t, Op>);
  table.set(casting, D::kI8, D::kI16, binary_into<std::int8_t, std::int16_t, NarrowedSum<Op>>);
}

void add_fused(LaneTable& table) {
  using D = DType;
  add_rectified_sum<AddReluOp>(table, Opcode::kAddRelu, Opcode::kAddReluCast);
  add_rectified_sum<SubReluOp>(table, Opcode::kSubRelu, Opcode::kSubReluCast);
  table.set(Opcode::kMulCast, D::kI8, D::kF16, half_into_int<std::int8_t, MulOp>);
  table.set(Opcode::kMulCast, D::kU8, D::kF16, half_into_int<std::uint8_t, MulOp>);
  table.set(Opcode::kFusedMulAdd, D::kF32, multiply_add_float<false>);
  table.set(Opcode::kFusedMulAdd, D::kF16, multiply_add_half<false>);
  table.set(Opcode::kMulAddRelu, D::kF32, multiply_add_float<true>);
  table.set(Opcode::kMulAddRelu, D::kF16, multiply_add_half<true>);
  table.set(Opcode::kAddDeqRelu, D::kF16, D::kI32, add_dequantised_relu);
  table.set(Opcode::kLeakyRelu, D::kF32, scalar_lanes<float, LeakyReluOp>);
  table.set(Opcode::kLeakyRelu, D::kF16, half_lanes<scalar_lanes<float, LeakyReluOp>>);
  add_shifts<std::int16_t>(table, D::kI16);
  add_shifts<std::uint16_t>(table, D::kU16);
  add_shifts<std::int32_t>(table, D::kI32);
  add_shifts<std::uint32_t>(table, D::kU32);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(add_fused);

void add_fused_lanes(LaneTable& table) {
  HWY_DYNAMIC_DISPATCH(add_fused)(table);
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
