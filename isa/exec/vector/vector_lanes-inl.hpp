// Loops over packed lanes, compiled once for each host instruction set. The vector_lanes_*.cpp
// include this file after hwy/foreach_target.h. The loops are plain, and the compiler vectorises
// them. For this it must know that floating-point traps and errno are not used (see
// isa/CMakeLists.txt). Only the fp16 conversions are written with Highway's vectors, because the
// compiler does not find the instructions for them.

// Re-included for every target: Highway's toggle instead of #pragma once.
#if defined(DAVSIM_VECTOR_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DAVSIM_VECTOR_LANES_INL
#undef DAVSIM_VECTOR_LANES_INL
#else
#define DAVSIM_VECTOR_LANES_INL
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "isa/exec/vector/vector_lanes.hpp"
#include "isa/numeric/half.hpp"

// Iterations are independent, because a destination is its source or disjoint from it.
#undef DAVSIM_INDEPENDENT_LANES
#ifdef __clang__
#define DAVSIM_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define DAVSIM_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
// Several translation units include this.
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The NaN of all arithmetic results. They do not depend on the payload that the host chooses.
HWY_INLINE float canonical(float x) {
  return x == x ? x : std::numeric_limits<float>::quiet_NaN();
}

/// fp16 <-> fp32, with the same bits as half_bits_from_float and float_from_half_bits.
HWY_INLINE void widen(const std::uint16_t* from, float* to, std::size_t n) {
  std::size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const auto* halves = reinterpret_cast<const hwy::float16_t*>(from);
  for (; i + hn::Lanes(df) <= n; i += hn::Lanes(df)) {
    hn::StoreU(hn::PromoteTo(df, hn::LoadU(dh, halves + i)), df, to + i);
  }
#endif
  DAVSIM_INDEPENDENT_LANES
  for (; i < n; ++i) to[i] = float_from_half_bits(from[i]);
}

HWY_INLINE void narrow(const float* from, std::uint16_t* to, std::size_t n) {
  std::size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  auto* halves = reinterpret_cast<hwy::float16_t*>(to);
  for (; i + hn::Lanes(df) <= n; i += hn::Lanes(df)) {
    hn::StoreU(hn::DemoteTo(dh, hn::LoadU(df, from + i)), dh, halves + i);
  }
#endif
  DAVSIM_INDEPENDENT_LANES
  for (; i < n; ++i) to[i] = half_bits_from_float(from[i]);
}

/// The number of half lanes that are computed in fp32 at a time.
inline constexpr std::size_t kHalfChunk = 256;

template <class T>
HWY_INLINE T scalar_of(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <>
HWY_INLINE half scalar_of<half>(std::uint64_t bits) {
  return half::from_bits(static_cast<std::uint16_t>(bits));
}

/// dst = Op(src0)
template <class T, class Op>
void unary_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  auto* to = static_cast<T*>(dst);
  const auto* a = static_cast<const T*>(src0);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) to[i] = Op()(a[i]);
}

/// dst = Op(src0, src1)
template <class T, class Op>
void binary_lanes(void* dst, const void* src0, const void* src1, std::uint64_t, std::size_t n) {
  auto* to = static_cast<T*>(dst);
  const auto* a = static_cast<const T*>(src0);
  const auto* b = static_cast<const T*>(src1);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) to[i] = Op()(a[i], b[i]);
}

/// dst = Op(src0, scalar)
template <class T, class Op>
void scalar_lanes(void* dst, const void* src0, const void*, std::uint64_t scalar, std::size_t n) {
  auto* to = static_cast<T*>(dst);
  const auto* a = static_cast<const T*>(src0);
  const T b = scalar_of<T>(scalar);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) to[i] = Op()(a[i], b);
}

/// Runs an fp32 function of lanes on half lanes: widen, compute, round once.
template <LaneFn kFloatLanes>
void half_lanes(void* dst, const void* src0, const void* src1, std::uint64_t scalar,
                std::size_t n) {
  alignas(64) float a[kHalfChunk], b[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from0 = static_cast<const std::uint16_t*>(src0);
  const auto* from1 = static_cast<const std::uint16_t*>(src1);
  const std::uint64_t wide_scalar =
      std::bit_cast<std::uint32_t>(static_cast<float>(scalar_of<half>(scalar)));
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    widen(from0 + done, a, lanes);
    if (from1 != nullptr) widen(from1 + done, b, lanes);
    kFloatLanes(a, a, b, wide_scalar, lanes);
    narrow(a, to + done, lanes);
  }
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DAVSIM_VECTOR_LANES_INL
