// Functions of one tensor that the host computes in double: functions/special.txt.
#include <cmath>
#include <limits>
#include <numbers>

#include "lists/special.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/tensors.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoEnd = std::numeric_limits<double>::infinity();

/// By Newton's method from a first guess; the distance from 1 is exact where it is small.
double inverse_error_function(double x) {
  const double magnitude = std::fabs(x);
  if (!(magnitude <= 1)) return kNotANumber;
  if (magnitude == 1) return std::copysign(kNoEnd, x);
  const double logarithm = std::log1p(-magnitude * magnitude);
  const double half = 2 / (std::numbers::pi * 0.147) + logarithm / 2;
  double y = std::sqrt(std::sqrt(half * half - logarithm / 0.147) - half);
  for (int step = 0; step < 4; ++step) {
    const double off = magnitude < 0.5 ? std::erf(y) - magnitude : (1 - magnitude) - std::erfc(y);
    const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-y * y);
    y -= off / (slope + off * y);
  }
  return std::copysign(y, x);
}

/// By its recurrence up to where the asymptotic series is exact; below 0 by reflection.
double digamma(double x) {
  if (x == 0) return std::copysign(kNoEnd, -x);
  if (x < 0) {
    if (x == std::floor(x)) return kNotANumber;
    const double part = x - std::floor(x);
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * part);
  }
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double square = 1 / (x * x);
  const double series =
      square *
      (1.0 / 12 -
       square * (1.0 / 120 -
                 square * (1.0 / 252 -
                           square * (1.0 / 240 - square * (1.0 / 132 - square * 691 / 32760)))));
  return sum + std::log(x) - 0.5 / x - series;
}

double logarithm_of_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

/// Whole numbers become float.
void add_of_one(WorkList& work, const aclTensor* self, const char* name, const aclTensor* out,
                double (*function)(double)) {
  const DataType type = required(self, name).GetDataType();
  const bool whole = op::IsIntegralType(type, true);
  if (!whole && !op::IsRealNumberType(type)) {
    davsim::runtime::refuse_aclnn(std::string(name) + " has real numbers, not " + text(type));
  }
  require_shape(required(out, "out"), "out", self->GetViewShape());
  require_cast(whole ? ge::DT_FLOAT : type, *out, "out");
  if (out->IsEmpty()) return;
  Result result(work, *out, whole ? ge::DT_FLOAT : type);
  work.add_task({&result.tensor()}, {as(work, *self, type)}, [function](auto to, auto from) {
    for (uint64_t i = 0; i < to[0].elements(); ++i) {
      set_number(to[0], i, function(number_at(from[0], i)));
    }
  });
  result.finish();
}

}  // namespace

DAVSIM_FIRST_PHASE(Erfinv, (const aclTensor* self, aclTensor* out),
                   { add_of_one(work, self, "self", out, inverse_error_function); })

DAVSIM_FIRST_PHASE(InplaceErfinv, (aclTensor * selfRef),
                   { add_of_one(work, selfRef, "selfRef", selfRef, inverse_error_function); })

DAVSIM_FIRST_PHASE(Digamma, (const aclTensor* self, aclTensor* out),
                   { add_of_one(work, self, "self", out, digamma); })

DAVSIM_FIRST_PHASE(Lgamma, (const aclTensor* self, aclTensor* out),
                   { add_of_one(work, self, "self", out, logarithm_of_gamma); })
