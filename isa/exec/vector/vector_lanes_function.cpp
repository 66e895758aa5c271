// Lanes of Exp, Ln, Sqrt, Rsqrt and Reciprocal. The device's approximations are not documented bit
// by bit. The results here are the fp32 numbers nearest to the true values. They are computed in
// double. Products and sums are fused only where the source says so, so the results are the same on
// every host.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/vector_lanes_function.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include <cmath>

#include "hwy/highway.h"
#include "isa/exec/vector/vector_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

// ln 2 in two parts. The first has so few bits that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fefap-1;
constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
constexpr double kLog2E = 0x1.71547652b82fep0;
/// Adding it to a number below 2^51 puts the nearest integer into the low bits of the mantissa.
constexpr double kRounder = 0x1.8p52;

/// ((highest * x + next) * x + ...) * x + lowest.
template <class... Coefficients>
HWY_INLINE double polynomial(double x, double highest, Coefficients... lower) {
  double sum = highest;
  ((sum = sum * x + lower), ...);
  return sum;
}

/// The same polynomial with each product fused with its sum.
template <class... Coefficients>
HWY_INLINE double fused_polynomial(double x, double highest, Coefficients... lower) {
  double sum = highest;
  ((sum = std::fma(sum, x, lower)), ...);
  return sum;
}

struct ExpOp {
  /// e^x = 2^k e^r with |r| <= ln 2 / 2. The polynomial interpolates e^r at eleven Chebyshev points
  /// of that range. Its relative error is at most 4e-16.
  HWY_INLINE float operator()(float value) const {
    // Outside these limits the result is 0 or infinity anyway. NaN passes.
    const double x = value > 100.0f ? 100.0f : value < -110.0f ? -110.0f : value;
    const double shifted = std::fma(x, kLog2E, kRounder);
    const double k = shifted - kRounder;
    const double r = std::fma(-k, kLn2Low, std::fma(-k, kLn2High, x));
    const double sum = fused_polynomial(
        r, 0x1.28a2c0a99e1f7p-22, 0x1.72faf02873319p-19, 0x1.a019a66a7378bp-16,
        0x1.a01978c6b760ep-13, 0x1.6c16c17f43a64p-10, 0x1.1111112dd67d7p-7, 0x1.55555555520afp-5,
        0x1.555555554b757p-3, 0x1.0000000000005p-1, 0x1.000000000001ep+0, 1.0);
    // The low bits of `shifted` are k. They become the exponent of 2^k.
    const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52;
    return canonical(static_cast<float>(sum * std::bit_cast<double>(power)));
  }
};

struct LnOp {
  /// ln x = k ln 2 + ln m with m in [sqrt 1/2, sqrt 2); ln m = 2 artanh((m - 1) / (m + 1)), whose
  /// series is cut off at 2e-19.
  HWY_INLINE float operator()(float value) const {
    constexpr std::uint64_t kOne = 1023;
    constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
    const auto bits = std::bit_cast<std::uint64_t>(double{value});
    const std::uint64_t biased = (bits - kSqrtHalf + (kOne << 52)) >> 52;  // k + 1023
    const double m = std::bit_cast<double>(bits - ((biased - kOne) << 52));
    // 2^52 with an integer below 2^52 in its mantissa is 2^52 plus this integer.
    const double k = std::bit_cast<double>(biased | 0x4330000000000000) - (0x1p52 + 1023);
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    const double sum = polynomial(z, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                  1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3);
    const double ln_m = 2.0 * s + 2.0 * s * (z * sum);
    const auto regular = static_cast<float>(k * kLn2High + (ln_m + k * kLn2Low));
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float edge = value == 0.0f        ? -kInfinity
                       : value == kInfinity ? kInfinity
                                            : std::numeric_limits<float>::quiet_NaN();
    const bool inside = (value > 0.0f) & (value < kInfinity);
    return inside ? regular : edge;
  }
};

struct ReciprocalOp {
  HWY_INLINE float operator()(float a) const { return canonical(1.0f / a); }
};

struct SqrtOp {
  HWY_INLINE float operator()(float a) const { return canonical(std::sqrt(a)); }
};

struct RsqrtOp {
  HWY_INLINE float operator()(float a) const {
    return canonical(static_cast<float>(1.0 / std::sqrt(double{a})));
  }
};

template <class Op>
void add_function(LaneTable& table, Opcode op) {
  table.set(op, DType::kF32, unary_lanes<float, Op>);
  table.set(op, DType::kF16, half_lanes<unary_lanes<float, Op>>);
}

void add_functions(LaneTable& table) {
  add_function<ExpOp>(table, Opcode::kExp);
  add_function<LnOp>(table, Opcode::kLn);
  add_function<SqrtOp>(table, Opcode::kSqrt);
  add_function<RsqrtOp>(table, Opcode::kRsqrt);
  add_function<ReciprocalOp>(table, Opcode::kReciprocal);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(add_functions);

void add_function_lanes(LaneTable& table) {
  HWY_DYNAMIC_DISPATCH(add_functions)(table);
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
