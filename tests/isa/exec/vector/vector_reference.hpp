// What the tests of vector instructions compare with: number conversions by way of double, and a
// walk over repeats, blocks and lanes one element at a time, written down from the documentation.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernel_operator.h"
#include "tests/isa/test_core.hpp"

namespace davsim::test {

inline constexpr std::uint32_t kNanBits = 0x7fc00000;
inline constexpr std::uint16_t kHalfNanBits = 0x7e00;

/// `value` to a whole number: the rounding modes by their definitions.
double round_whole(double value, isa::RoundMode mode);

/// A binary floating-point format: bits of the fraction and the exponent of its smallest normal.
struct Format {
  int fraction_bits;
  int min_exponent;
  int max_exponent;
};
inline constexpr Format kHalfFormat = {10, -14, 15};
inline constexpr Format kBfloat16Format = {7, -126, 127};
inline constexpr Format kFloatFormat = {23, -126, 127};

/// A number (not NaN) rounded to a format; what is too large becomes infinity.
double round_to_format(double value, Format format, isa::RoundMode mode);

/// Bits of a 16-bit number that is in the format exactly.
std::uint16_t encode(double value, Format format);
double decode(std::uint16_t bits, Format format);

/// An integer as the neighbouring fp32 that the mode asks for. In long double, which holds every
/// int64.
float int_to_float(std::int64_t value, isa::RoundMode mode);

/// A result as an element: arithmetic NaN is the one quiet NaN.
inline std::uint16_t to_half_bits(double value, isa::RoundMode mode = isa::RoundMode::kRint) {
  if (std::isnan(value)) return kHalfNanBits;
  return encode(round_to_format(value, kHalfFormat, mode), kHalfFormat);
}
inline float to_float(double value) {
  return std::isnan(value) ? std::bit_cast<float>(kNanBits) : static_cast<float>(value);
}

/// The arithmetic of the reference: half and float in double, rounded once (twice the digits and
/// more, so that no second rounding shows); integers in 64 bits, cut off.
template <class T>
struct Exact {
  using Value = double;
  static double read(T x) {
    if constexpr (std::is_same_v<T, half>)
      return decode(x.bits, kHalfFormat);
    else
      return x;
  }
  static T write(double x) {
    if constexpr (std::is_same_v<T, half>)
      return half::from_bits(to_half_bits(x));
    else
      return to_float(x);
  }
};
template <std::integral T>
struct Exact<T> {
  using Value = std::int64_t;
  static std::int64_t read(T x) { return x; }
  static T write(std::int64_t x) { return static_cast<T>(static_cast<std::uint64_t>(x)); }
};

/// Documented for NaN (wins) and zeros (-0 < +0).
inline double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline std::int64_t larger(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}
inline double smaller(double a, double b) {
  return -larger(-a, -b);
}
inline std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

/// Fills UB with numbers of T, every fifth of them a special one.
template <class T>
void fill_numbers(std::vector<std::byte>& bytes, std::uint32_t seed);

/// Distances between blocks and repeats in DataBlocks.
struct Strides {
  std::uint32_t block = 1, repeat = 8;
};

/// Byte offset of a lane: eight blocks of 32 bytes a repeat, or as many as the wider type leaves.
std::size_t lane_offset(std::size_t base, Strides strides, std::uint32_t repeat, std::uint32_t lane,
                        std::size_t element_bytes);

/// Which lanes of which repeats are computed.
struct Lanes {
  std::uint32_t repeats = 1;
  std::uint32_t per_repeat = 64;
  std::uint32_t all = 0;                    ///< lanes of all repeats together
  std::uint32_t of_repeat = 0;              ///< the first lanes of a repeat
  std::uint64_t low = ~0ULL, high = ~0ULL;  ///< a bit for each of the first 128 lanes of a repeat

  static Lanes count(std::uint32_t n, std::uint32_t per_repeat) {
    return {(n + per_repeat - 1) / per_repeat, per_repeat, n, per_repeat};
  }
  static Lanes first(std::uint32_t n, std::uint32_t per_repeat, std::uint32_t repeats) {
    return {repeats, per_repeat, repeats * per_repeat, n};
  }
  static Lanes bits(std::uint64_t low, std::uint64_t high, std::uint32_t per_repeat,
                    std::uint32_t repeats) {
    return {repeats, per_repeat, repeats * per_repeat, per_repeat, low, high};
  }

  bool active(std::uint32_t repeat, std::uint32_t lane) const {
    if (repeat * per_repeat + lane >= all || lane >= of_repeat) return false;
    return lane >= 128 || ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1) != 0;
  }
};

/// A core whose UB is compared with an expectation, byte by byte, so that every element that an
/// instruction should have left alone is checked as well.
class VectorTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kUbBytes = 192 * 1024;

  template <class T>
  void fill(std::uint32_t seed = 1) {
    expected.resize(kUbBytes);
    fill_numbers<T>(expected, seed);
    std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  }

  template <class T>
  AscendC::LocalTensor<T> tensor(std::uint32_t byte_offset) const {
    return {AscendC::TPosition::VECCALC, byte_offset,
            static_cast<std::uint32_t>((kUbBytes - byte_offset) / sizeof(T))};
  }

  template <class T>
  T get(std::size_t byte_offset) const {
    T value;
    std::memcpy(&value, expected.data() + byte_offset, sizeof(T));
    return value;
  }
  template <class T>
  void put(std::size_t byte_offset, T value) {
    std::memcpy(expected.data() + byte_offset, &value, sizeof(T));
  }

  /// Writes op(src0, src1, dst) into the expected UB, repeat after repeat; a repeat reads all
  /// before it writes.
  template <class To, class From, class Op>
  void expect_walk(const Lanes& lanes, std::size_t dst, Strides to, std::size_t src0, Strides from0,
                   std::size_t src1, Strides from1, Op op) {
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      std::vector<std::pair<std::size_t, To>> results;
      for (std::uint32_t l = 0; l < lanes.per_repeat; ++l) {
        if (!lanes.active(r, l)) continue;
        const std::size_t at = lane_offset(dst, to, r, l, sizeof(To));
        results.emplace_back(
            at, op(get<From>(lane_offset(src0, from0, r, l, sizeof(From))),
                   get<From>(lane_offset(src1, from1, r, l, sizeof(From))), get<To>(at)));
      }
      for (const auto& [at, value] : results) put(at, value);
    }
  }

  /// UB is as expected, every byte.
  void check() {
    const auto* actual = core.buffer<std::byte>(isa::Space::kUb);
    if (std::memcmp(actual, expected.data(), kUbBytes) == 0) return;
    std::size_t at = 0;
    while (actual[at] == expected[at]) ++at;
    at -= at % 4;
    std::uint32_t is = 0;
    std::memcpy(&is, actual + at, 4);
    FAIL() << "byte " << at << " of UB: is " << std::hex << is << ", should be "
           << get<std::uint32_t>(at);
  }

  TestCore core;
  std::vector<std::byte> expected;
};

}  // namespace davsim::test
