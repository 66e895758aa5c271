// Lanes of Cast: the conversions of isa/numeric/ in every documented pair of types and mode.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/vector_lanes_cast.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/vector_lanes-inl.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/convert.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

/// dst = Op(src0) with two types.
template <class To, class From, class Op>
void convert_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  auto* to = static_cast<To*>(dst);
  const auto* from = static_cast<const From*>(src0);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) to[i] = Op()(from[i]);
}

/// A half source is widened to fp32 first and then converted.
template <class To, LaneFn kFromFloat>
void from_half_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  alignas(64) float wide[kHalfChunk];
  auto* to = static_cast<To*>(dst);
  const auto* from = static_cast<const std::uint16_t*>(src0);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    widen(from + done, wide, lanes);
    kFromFloat(to + done, wide, nullptr, 0, lanes);
  }
}

void half_to_float_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  widen(static_cast<const std::uint16_t*>(src0), static_cast<float*>(dst), n);
}

/// fp32 -> half, to nearest even.
void float_to_half_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  narrow(static_cast<const float*>(src0), static_cast<std::uint16_t*>(dst), n);
}

/// Converts integers that are exact in fp32 to half, to nearest even.
template <class From>
void small_int_to_half_lanes(void* dst, const void* src0, const void*, std::uint64_t,
                             std::size_t n) {
  alignas(64) float wide[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const From*>(src0);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < lanes; ++i) wide[i] = static_cast<float>(from[done + i]);
    narrow(wide, to + done, lanes);
  }
}

/// int32 -> half, scaled: the factor is in `scalar`, as half.
void scaled_int_to_half_lanes(void* dst, const void* src0, const void*, std::uint64_t scalar,
                              std::size_t n) {
  alignas(64) float wide[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const std::int32_t*>(src0);
  const float scale = scalar_of<half>(scalar);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    DAVSIM_INDEPENDENT_LANES
    for (std::size_t i = 0; i < lanes; ++i) {
      wide[i] = canonical(static_cast<float>(from[done + i]) * scale);
    }
    narrow(wide, to + done, lanes);
  }
}

/// round_to_integral with builtins, which are single instructions if the target has them.
template <RoundMode mode>
HWY_INLINE float whole_of(float x) {
  switch (mode) {
    case RoundMode::kNone:
    case RoundMode::kRint:
      return __builtin_nearbyintf(x);
    case RoundMode::kFloor:
      return __builtin_floorf(x);
    case RoundMode::kCeil:
      return __builtin_ceilf(x);
    case RoundMode::kRound: {
      const float magnitude = __builtin_fabsf(x);
      const float below = __builtin_truncf(magnitude);
      const float away = below + (magnitude - below >= 0.5f ? 1.0f : 0.0f);
      return __builtin_copysignf(away, x);
    }
    case RoundMode::kTrunc:
    case RoundMode::kOdd:
      break;
  }
  return __builtin_truncf(x);
}

#if HWY_TARGET != HWY_SCALAR
/// The same for vectors.
template <RoundMode mode, class V>
HWY_INLINE V wholes_of(V x) {
  switch (mode) {
    case RoundMode::kNone:
    case RoundMode::kRint:
      return hn::Round(x);
    case RoundMode::kFloor:
      return hn::Floor(x);
    case RoundMode::kCeil:
      return hn::Ceil(x);
    case RoundMode::kRound: {
      const hn::DFromV<V> d;
      const V magnitude = hn::Abs(x), below = hn::Trunc(magnitude);
      const auto up = hn::Ge(hn::Sub(magnitude, below), hn::Set(d, 0.5f));
      return hn::CopySign(hn::Add(below, hn::IfThenElseZero(up, hn::Set(d, 1.0f))), x);
    }
    case RoundMode::kTrunc:
    case RoundMode::kOdd:
      break;
  }
  return hn::Trunc(x);
}

/// A vector of fp32 -> int32, as saturating_whole. Highway's conversions to int32 saturate.
template <RoundMode mode>
HWY_INLINE void convert_vector(const float* from, std::int32_t* to) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const auto x = hn::LoadU(df, from);
  const auto whole =
      mode == RoundMode::kRint ? hn::NearestInt(x) : hn::ConvertTo(di, wholes_of<mode>(x));
  hn::StoreU(hn::IfThenElseZero(hn::RebindMask(di, hn::Eq(x, x)), whole), di, to);
}

/// A vector of fp32 -> narrower integers in the low bits of its lanes. A number is limited to the
/// range first and then needs no saturation. The addition of 1.5 * 2^23 rounds it to nearest even
/// and puts it into the low bits of the mantissa.
template <RoundMode mode, class To>
HWY_INLINE auto narrow_wholes(const float* from) {
  const hn::ScalableTag<float> df;
  const auto x = hn::LoadU(df, from);
  const auto low = hn::Set(df, std::numeric_limits<To>::min());
  const auto high = hn::Set(df, std::numeric_limits<To>::max());
  const auto inside = hn::IfThenElseZero(hn::Eq(x, x), hn::Min(hn::Max(x, low), high));
  const auto whole = mode == RoundMode::kRint ? inside : wholes_of<mode>(inside);
  return hn::BitCast(hn::RebindToUnsigned<decltype(df)>(), hn::Add(whole, hn::Set(df, 0x1.8p23f)));
}

/// Two vectors of fp32 -> integers of at most 32 bits, as saturating_whole.
template <RoundMode mode, class To>
HWY_INLINE void convert_two_vectors(const float* from, To* to) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t step = hn::Lanes(d);
  if constexpr (sizeof(To) == 4) {
    convert_vector<mode>(from, to);
    convert_vector<mode>(from + step, to + step);
  } else {
    const auto low = narrow_wholes<mode, To>(from), high = narrow_wholes<mode, To>(from + step);
    auto* out = reinterpret_cast<std::make_unsigned_t<To>*>(to);
    if constexpr (sizeof(To) == 2) {
      const hn::ScalableTag<std::uint16_t> d16;
      hn::StoreU(hn::ConcatEven(d16, hn::BitCast(d16, high), hn::BitCast(d16, low)), d16, out);
    } else {
      const hn::Rebind<std::uint8_t, decltype(d)> d8;
      hn::StoreU(hn::TruncateTo(d8, low), d8, out);
      hn::StoreU(hn::TruncateTo(d8, high), d8, out + step);
    }
  }
}

/// A vector of fp32 -> bf16 to nearest even in the high bits of its lanes.
HWY_INLINE auto bfloat16_vector(const float* from) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const auto x = hn::LoadU(df, from);
  const auto bits = hn::BitCast(du, x);
  const auto last = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), last);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  return hn::BitCast(hn::Repartition<std::uint16_t, decltype(du)>(),
                     hn::IfThenElse(hn::RebindMask(du, hn::Eq(x, x)), rounded, quiet));
}
#endif  // HWY_TARGET != HWY_SCALAR

template <class To, RoundMode mode>
void float_to_int_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  auto* to = static_cast<To*>(dst);
  const auto* from = static_cast<const float*>(src0);
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const std::size_t step = 2 * hn::Lanes(hn::ScalableTag<float>());
  for (; i + 2 * step <= n; i += 2 * step) {
    convert_two_vectors<mode>(from + i, to + i);
    convert_two_vectors<mode>(from + i + step, to + i + step);
  }
  for (; i + step <= n; i += step) convert_two_vectors<mode>(from + i, to + i);
#endif
  for (; i < n; ++i) to[i] = saturating_whole<To>(whole_of<mode>(from[i]));
}

/// fp32 -> bf16, to nearest even.
void float_to_bfloat16_lanes(void* dst, const void* src0, const void*, std::uint64_t,
                             std::size_t n) {
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const float*>(src0);
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint16_t> d;
  const std::size_t step = hn::Lanes(d);
  for (; i + step <= n; i += step) {
    const auto low = bfloat16_vector(from + i), high = bfloat16_vector(from + i + step / 2);
    hn::StoreU(hn::ConcatOdd(d, high, low), d, to + i);
  }
#endif
  for (; i < n; ++i) to[i] = bfloat16_bits_from_float(from[i]);
}

template <RoundMode mode>
struct Rounded {
  /// fp32 -> half
  struct ToHalf {
    HWY_INLINE std::uint16_t operator()(float x) const { return half_bits_from_float(x, mode); }
  };
  /// int16 -> half; every int16 is an fp32 number.
  struct SmallIntToHalf {
    HWY_INLINE std::uint16_t operator()(std::int16_t x) const {
      return half_bits_from_float(static_cast<float>(x), mode);
    }
  };
  struct ToBfloat16 {
    HWY_INLINE std::uint16_t operator()(float x) const { return bfloat16_bits_from_float(x, mode); }
  };
  template <class To>
  struct ToInt {
    HWY_INLINE To operator()(float x) const { return saturating_whole<To>(whole_of<mode>(x)); }
    HWY_INLINE To operator()(std::uint16_t bfloat16_bits) const {
      return (*this)(float_from_bfloat16_bits(bfloat16_bits));
    }
  };
  /// fp32 -> whole fp32. Zeros become +0.
  struct ToIntegral {
    HWY_INLINE float operator()(float x) const {
      return canonical(round_to_integral(x, mode)) + 0.0f;
    }
  };
  struct FromInt {
    template <class From>
    HWY_INLINE float operator()(From x) const {
      return float_from_int(x, mode);
    }
  };
};

template <class To>
struct Narrowed {
  template <class From>
  HWY_INLINE To operator()(From x) const {
    return saturating_narrow<To>(x);
  }
};
struct Widened {
  HWY_INLINE std::int64_t operator()(std::int32_t x) const { return x; }
  HWY_INLINE float operator()(std::int16_t x) const { return static_cast<float>(x); }
  HWY_INLINE float operator()(std::uint16_t bfloat16_bits) const {
    return float_from_bfloat16_bits(bfloat16_bits);
  }
};

template <RoundMode mode>
void add_from_half(LaneTable& table) {
  using std::int16_t, std::int32_t, std::int8_t, std::uint8_t;
  using D = DType;
  table.set_cast(D::kI16, D::kF16, mode,
                 from_half_lanes<int16_t, float_to_int_lanes<int16_t, mode>>);
  table.set_cast(D::kI32, D::kF16, mode,
                 from_half_lanes<int32_t, float_to_int_lanes<int32_t, mode>>);
  table.set_cast(D::kI8, D::kF16, mode, from_half_lanes<int8_t, float_to_int_lanes<int8_t, mode>>);
  table.set_cast(D::kU8, D::kF16, mode,
                 from_half_lanes<uint8_t, float_to_int_lanes<uint8_t, mode>>);
}

template <RoundMode mode>
void add_from_float(LaneTable& table) {
  using R = Rounded<mode>;
  using std::int16_t, std::int32_t, std::int64_t, std::uint16_t;
  using D = DType;
  table.set_cast(D::kI16, D::kF32, mode, float_to_int_lanes<int16_t, mode>);
  table.set_cast(D::kI32, D::kF32, mode, float_to_int_lanes<int32_t, mode>);
  table.set_cast(D::kI64, D::kF32, mode,
                 convert_lanes<int64_t, float, typename R::template ToInt<int64_t>>);
  table.set_cast(D::kF32, D::kF32, mode, convert_lanes<float, float, typename R::ToIntegral>);
  table.set_cast(D::kF16, D::kF32, mode, convert_lanes<uint16_t, float, typename R::ToHalf>);
  table.set_cast(D::kBF16, D::kF32, mode, convert_lanes<uint16_t, float, typename R::ToBfloat16>);
  table.set_cast(D::kI32, D::kBF16, mode,
                 convert_lanes<int32_t, uint16_t, typename R::template ToInt<int32_t>>);
}

template <RoundMode mode>
void add_from_int(LaneTable& table) {
  using R = Rounded<mode>;
  using D = DType;
  table.set_cast(D::kF32, D::kI32, mode, convert_lanes<float, std::int32_t, typename R::FromInt>);
  table.set_cast(D::kF32, D::kI64, mode, convert_lanes<float, std::int64_t, typename R::FromInt>);
  table.set_cast(D::kF16, D::kI16, mode,
                 convert_lanes<std::uint16_t, std::int16_t, typename R::SmallIntToHalf>);
}

template <RoundMode mode>
void add_rounding_casts(LaneTable& table) {
  add_from_half<mode>(table);
  add_from_float<mode>(table);
  add_from_int<mode>(table);
}

/// The pairs that are exact or only saturate, under CAST_NONE.
void add_plain_casts(LaneTable& table) {
  using D = DType;
  constexpr RoundMode kNone = RoundMode::kNone;
  table.set_cast(D::kF16, D::kI8, kNone, small_int_to_half_lanes<std::int8_t>);
  table.set_cast(D::kF16, D::kU8, kNone, small_int_to_half_lanes<std::uint8_t>);
  table.set_cast(D::kF32, D::kI16, kNone, convert_lanes<float, std::int16_t, Widened>);
  table.set_cast(D::kF32, D::kF16, kNone, half_to_float_lanes);
  table.set_cast(D::kF32, D::kBF16, kNone, convert_lanes<float, std::uint16_t, Widened>);
  table.set_cast(D::kI64, D::kI32, kNone, convert_lanes<std::int64_t, std::int32_t, Widened>);
  table.set_cast(D::kI16, D::kI32, kNone,
                 convert_lanes<std::int16_t, std::int32_t, Narrowed<std::int16_t>>);
  table.set_cast(D::kI32, D::kI64, kNone,
                 convert_lanes<std::int32_t, std::int64_t, Narrowed<std::int32_t>>);
}

/// For pairs that round, CAST_NONE is CAST_RINT, if the pair has CAST_NONE.
void add_default_modes(LaneTable& table) {
  using D = DType;
  const auto same_as_rint = [&table](DType dst, DType src) {
    table.set_cast(dst, src, RoundMode::kNone,
                   table.find(Opcode::kCast, dst, src, RoundMode::kRint));
  };
  same_as_rint(D::kF16, D::kI16);
  same_as_rint(D::kI8, D::kF16);
  same_as_rint(D::kU8, D::kF16);
  same_as_rint(D::kF32, D::kI32);
  same_as_rint(D::kF16, D::kF32);
}

void add_casts(LaneTable& table) {
  using D = DType;
  add_rounding_casts<RoundMode::kRint>(table);
  add_rounding_casts<RoundMode::kFloor>(table);
  add_rounding_casts<RoundMode::kCeil>(table);
  add_rounding_casts<RoundMode::kRound>(table);
  add_rounding_casts<RoundMode::kTrunc>(table);
  // Conversions to half and bfloat16 to nearest even have faster functions.
  table.set_cast(D::kF16, D::kF32, RoundMode::kRint, float_to_half_lanes);
  table.set_cast(D::kBF16, D::kF32, RoundMode::kRint, float_to_bfloat16_lanes);
  table.set_cast(D::kF16, D::kI16, RoundMode::kRint, small_int_to_half_lanes<std::int16_t>);
  table.set_cast(D::kF16, D::kF32, RoundMode::kOdd,
                 convert_lanes<std::uint16_t, float, Rounded<RoundMode::kOdd>::ToHalf>);
  for (std::size_t mode = 0; mode < kRoundModes; ++mode) {  // which is ignored
    table.set_cast(D::kF16, D::kI32, static_cast<RoundMode>(mode), scaled_int_to_half_lanes);
  }
  add_plain_casts(table);
  add_default_modes(table);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(add_casts);

void add_cast_lanes(LaneTable& table) {
  HWY_DYNAMIC_DISPATCH(add_casts)(table);
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
