#include "runtime/basic_operators/pointwise_task.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "opdev/data_type_utils.h"
#include "runtime/aclnn/element_copy.hpp"
#include "runtime/op_host/elements.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::PointwiseOp;
using runtime::BoundTensor;

std::int64_t floor_quotient(std::int64_t x, std::int64_t y) {
  const std::int64_t quotient = x / y;
  return quotient - ((x % y != 0) && ((x < 0) != (y < 0)));
}

std::int64_t whole_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    return base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exponent); left > 0; left >>= 1) {
    if (left & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<std::int64_t>(result);
}

/// What compares two numbers of any type or takes them for truths; nothing for other functions.
template <class Number>
std::optional<bool> truth(PointwiseOp op, Number x, Number y) {
  switch (op) {
    case PointwiseOp::kEq:
      return x == y;
    case PointwiseOp::kNe:
      return x != y;
    case PointwiseOp::kGt:
      return x > y;
    case PointwiseOp::kGe:
      return x >= y;
    case PointwiseOp::kLt:
      return x < y;
    case PointwiseOp::kLe:
      return x <= y;
    case PointwiseOp::kLogicalAnd:
      return x != 0 && y != 0;
    case PointwiseOp::kLogicalOr:
      return x != 0 || y != 0;
    case PointwiseOp::kLogicalXor:
      return (x != 0) != (y != 0);
    default:
      return std::nullopt;
  }
}

/// Of whole numbers, with the low bits of what has more than 64. A quotient by 0 is -1, as on the
/// device's CPUs.
struct WholeNumbers {
  std::int64_t a, b;

  std::int64_t operator()(PointwiseOp op, std::int64_t x, std::int64_t y, std::int64_t z) const {
    if (const auto compared = truth(op, x, y)) return *compared;
    const auto bits = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    switch (op) {
      case PointwiseOp::kAbs:
        return x < 0 ? whole(0 - bits(x)) : x;
      case PointwiseOp::kNeg:
        return whole(0 - bits(x));
      case PointwiseOp::kRelu:
        return std::max<std::int64_t>(x, 0);
      case PointwiseOp::kSign:
        return (x > 0) - (x < 0);
      case PointwiseOp::kClamp:
        return std::min(std::max(x, a), b);
      case PointwiseOp::kThreshold:
        return x > a ? x : b;
      case PointwiseOp::kAxpy:
        return whole(bits(x) + bits(a) * bits(y));
      case PointwiseOp::kMul:
        return whole(bits(x) * bits(y));
      case PointwiseOp::kAddcmul:
        return whole(bits(x) + bits(a) * bits(y) * bits(z));
      case PointwiseOp::kFloorDivide:
        return y == 0 || y == -1 ? (y == 0 ? -1 : whole(0 - bits(x))) : floor_quotient(x, y);
      case PointwiseOp::kTruncDivide:
        return y == 0 || y == -1 ? (y == 0 ? -1 : whole(0 - bits(x))) : x / y;
      case PointwiseOp::kFmod:
        return y == 0 || y == -1 ? 0 : x % y;
      case PointwiseOp::kRemainder:
        return y == 0 || y == -1 ? 0 : x - floor_quotient(x, y) * y;
      case PointwiseOp::kPow:
        return whole_power(x, y);
      case PointwiseOp::kMaximum:
        return std::max(x, y);
      case PointwiseOp::kMinimum:
        return std::min(x, y);
      case PointwiseOp::kBitAnd:
        return x & y;
      case PointwiseOp::kBitOr:
        return x | y;
      case PointwiseOp::kBitXor:
        return x ^ y;
      case PointwiseOp::kLogicalNot:
        return x == 0;
      case PointwiseOp::kIsFinite:
        return 1;
      case PointwiseOp::kIsInf:
        return 0;
      case PointwiseOp::kWhere:
        return z != 0 ? x : y;
      default:  // rounding and the like leave whole numbers as they are
        return x;
    }
  }
};

double remainder_of(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

struct RealNumbers {
  double a, b, c;

  double operator()(PointwiseOp op, double x, double y, double z) const {
    if (op < PointwiseOp::kAtan2) return of_one(op, x);
    if (const auto compared = truth(op, x, y)) return *compared;
    switch (op) {
      case PointwiseOp::kAtan2:
        return std::atan2(x, y);
      case PointwiseOp::kAxpy:
        return x + a * y;
      case PointwiseOp::kMul:
        return x * y;
      case PointwiseOp::kDiv:
        return x / y;
      case PointwiseOp::kFloorDivide:
        return std::floor(x / y);
      case PointwiseOp::kTruncDivide:
        return std::trunc(x / y);
      case PointwiseOp::kFmod:
        return std::fmod(x, y);
      case PointwiseOp::kRemainder:
        return remainder_of(x, y);
      case PointwiseOp::kPow:
        return std::pow(x, y);
      case PointwiseOp::kMaximum:
        return std::isnan(x) || x > y ? x : y;
      case PointwiseOp::kMinimum:
        return std::isnan(x) || x < y ? x : y;
      case PointwiseOp::kAddcmul:
        return x + a * y * z;
      case PointwiseOp::kAddcdiv:
        return x + a * y / z;
      case PointwiseOp::kLerp:
        return x + z * (y - x);
      case PointwiseOp::kWhere:
        return z != 0 ? x : y;
      default:
        throw std::logic_error("a pointwise function that the host does not have");
    }
  }

  double of_one(PointwiseOp op, double x) const {
    constexpr double kRootOfHalf = 0.70710678118654752440, kPi = 3.14159265358979323846;
    const auto sigmoid = [](double value) { return 1 / (1 + std::exp(-value)); };
    switch (op) {
      case PointwiseOp::kCopy:
        return x;
      case PointwiseOp::kAbs:
        return std::fabs(x);
      case PointwiseOp::kAcos:
        return std::acos(x);
      case PointwiseOp::kAcosh:
        return std::acosh(x);
      case PointwiseOp::kAsin:
        return std::asin(x);
      case PointwiseOp::kAsinh:
        return std::asinh(x);
      case PointwiseOp::kAtan:
        return std::atan(x);
      case PointwiseOp::kAtanh:
        return std::atanh(x);
      case PointwiseOp::kCeil:
        return std::ceil(x);
      case PointwiseOp::kClamp:
        return std::min(std::max(x, a), b);
      case PointwiseOp::kCos:
        return std::cos(x);
      case PointwiseOp::kCosh:
        return std::cosh(x);
      case PointwiseOp::kElu:
        return x > 0 ? b * x : a * b * std::expm1(c * x);
      case PointwiseOp::kErf:
        return std::erf(x);
      case PointwiseOp::kErfc:
        return std::erfc(x);
      case PointwiseOp::kExp:
        return std::exp(x);
      case PointwiseOp::kExp2:
        return std::exp2(x);
      case PointwiseOp::kExpm1:
        return std::expm1(x);
      case PointwiseOp::kFloor:
        return std::floor(x);
      case PointwiseOp::kFrac:
        return x - std::trunc(x);
      case PointwiseOp::kGelu:
        return x * 0.5 * (1 + std::erf(x * kRootOfHalf));
      case PointwiseOp::kGeluTanh:
        return x * sigmoid(2 * std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x));
      case PointwiseOp::kHardsigmoid:
        return std::min(std::max(x / 6 + 0.5, 0.0), 1.0);
      case PointwiseOp::kHardswish:
        return x * std::min(std::max(x + 3, 0.0), 6.0) / 6;
      case PointwiseOp::kIsFinite:
        return std::isfinite(x);
      case PointwiseOp::kIsInf:
        return std::isinf(x);
      case PointwiseOp::kLeakyRelu:
        return x > 0 ? x : a * x;
      case PointwiseOp::kLog:
        return std::log(x);
      case PointwiseOp::kLog10:
        return std::log10(x);
      case PointwiseOp::kLog1p:
        return std::log1p(x);
      case PointwiseOp::kLog2:
        return std::log2(x);
      case PointwiseOp::kLogicalNot:
        return x == 0;
      case PointwiseOp::kLogSigmoid:
        return std::min(x, 0.0) - std::log1p(std::exp(-std::fabs(x)));
      case PointwiseOp::kMish:
        return x * std::tanh(std::log1p(std::exp(x)));
      case PointwiseOp::kNanToNum:
        return std::isnan(x) ? a : std::isinf(x) ? (x > 0 ? b : c) : x;
      case PointwiseOp::kNeg:
        return -x;
      case PointwiseOp::kReciprocal:
        return 1 / x;
      case PointwiseOp::kRelu:
        return std::max(x, 0.0);
      case PointwiseOp::kRound:
        return std::nearbyint(x);
      case PointwiseOp::kRsqrt:
        return 1 / std::sqrt(x);
      case PointwiseOp::kSigmoid:
        return sigmoid(x);
      case PointwiseOp::kSign:
        return (x > 0) - (x < 0);
      case PointwiseOp::kSin:
        return std::sin(x);
      case PointwiseOp::kSinh:
        return std::sinh(x);
      case PointwiseOp::kSoftplus:
        return a * x > b ? x : std::log1p(std::exp(a * x)) / a;
      case PointwiseOp::kSqrt:
        return std::sqrt(x);
      case PointwiseOp::kSwish:
        return x * sigmoid(a * x);
      case PointwiseOp::kTan:
        return std::tan(x);
      case PointwiseOp::kTanh:
        return std::tanh(x);
      case PointwiseOp::kThreshold:
        return x > a ? x : b;
      case PointwiseOp::kTrunc:
        return std::trunc(x);
      default:
        throw std::logic_error("a pointwise function that the host does not have");
    }
  }
};

/// Calls `compute` with the operands of each element and writes what it returns.
template <class Number, class Read, class Write, class Compute>
void for_each_element(const BoundTensor& to, std::span<const BoundTensor> from,
                      const std::vector<Number>& numbers, const std::vector<bool>& is_number,
                      const Read& read, const Write& write, const Compute& compute) {
  for (std::uint64_t i = 0; i < to.elements(); ++i) {
    Number operands[davsim_basic::kMostOperands] = {};
    std::size_t next = 0;
    for (std::size_t o = 0; o < numbers.size(); ++o) {
      operands[o] = is_number[o] ? numbers[o] : read(from[next++], i);
    }
    write(to, i, compute(operands[0], operands[1], operands[2]));
  }
}

const std::byte* element(const BoundTensor& tensor, std::uint64_t i) {
  return tensor.first() + i * op::TypeSize(tensor.type);
}

}  // namespace

void PointwiseTask::run(const BoundTensor& to, std::span<const BoundTensor> from) const {
  std::vector<bool> is_number;
  std::vector<double> reals;
  std::vector<std::int64_t> wholes;
  for (const Operand& operand : operands) {
    is_number.push_back(operand.is_number);
    reals.push_back(operand.number);
    wholes.push_back(operand.whole);
  }
  const ge::DataType type = from.empty() ? to.type : from.front().type;
  if (op::IsIntegralType(type, true)) {
    const WholeNumbers compute{static_cast<std::int64_t>(std::clamp(a, -9.2e18, 9.2e18)),
                               static_cast<std::int64_t>(std::clamp(b, -9.2e18, 9.2e18))};
    for_each_element(
        to, from, wholes, is_number,
        [](const BoundTensor& tensor, std::uint64_t i) {
          return op_api::whole_number_of(static_cast<aclDataType>(tensor.type), element(tensor, i));
        },
        [](const BoundTensor& tensor, std::uint64_t i, std::int64_t value) {
          if (tensor.type == ge::DT_BOOL) value = value != 0;
          std::memcpy(const_cast<std::byte*>(element(tensor, i)), &value,
                      op::TypeSize(tensor.type));
        },
        [&](std::int64_t x, std::int64_t y, std::int64_t z) { return compute(op, x, y, z); });
    return;
  }
  const RealNumbers compute{a, b, c};
  for_each_element(
      to, from, reals, is_number,
      [](const BoundTensor& tensor, std::uint64_t i) {
        return op_api::number_of(static_cast<aclDataType>(tensor.type), element(tensor, i));
      },
      [](const BoundTensor& tensor, std::uint64_t i, double value) {
        op_host::fill_elements(const_cast<std::byte*>(element(tensor, i)), 1, tensor.type, value);
      },
      [&](double x, double y, double z) { return compute(op, x, y, z); });
}

}  // namespace davsim::basic
