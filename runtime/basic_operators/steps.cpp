#include "runtime/basic_operators/steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/basic_operators/device/steps_tiling.h"
#include "runtime/basic_operators/launch.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::StepsOut;
using davsim_basic::StepsTiling;

/// Elements that are in UB at a time.
constexpr std::int64_t kStepsTile = 4096;

std::optional<StepsOut> steps_out(DataType type) {
  switch (type) {
    case ge::DT_FLOAT:
      return StepsOut::kFloat;
    case ge::DT_FLOAT16:
      return StepsOut::kHalf;
    case ge::DT_BF16:
      return StepsOut::kBfloat;
    case ge::DT_INT32:
      return StepsOut::kInt32;
    case ge::DT_INT64:
      return StepsOut::kInt64;
    default:
      return std::nullopt;
  }
}

/// All numbers and products on the way have the type that is computed in.
bool are_exact(double first, double step, std::int64_t count, bool whole) {
  constexpr double kWhole = std::numeric_limits<std::int32_t>::max(), kCounted = 1 << 24;
  const double way = std::fabs(step) * static_cast<double>(std::max(count, kStepsTile));
  if (whole) return std::fabs(first) + way <= kWhole;
  return static_cast<double>(count) <= kCounted;
}

}  // namespace

bool add_steps(WorkList& work, double first, double step, bool whole, const aclTensor& out) {
  const std::optional<StepsOut> type = steps_out(out.GetDataType());
  const bool out_is_whole = op::IsIntegralType(out.GetDataType());
  if (!type || (out_is_whole && !whole) || out.IsEmpty()) return false;
  // Whole numbers as float are exact as long as float has them.
  constexpr double kFloat = 1 << 24;
  const double reach = std::fabs(first) + std::fabs(step) * static_cast<double>(out.Numel());
  if (whole && !out_is_whole && reach > kFloat) return false;
  if (!are_exact(first, step, out.Numel(), out_is_whole)) return false;
  Result result(work, out, out.GetDataType());
  const auto bytes = static_cast<std::uint64_t>(bytes_of_element(out));
  const Shares shares =
      shares_of_vector_cores(static_cast<std::uint64_t>(out.Numel()), bytes, bytes);
  StepsTiling tiling{};
  tiling.elements = shares.elements;
  tiling.share = shares.share;
  tiling.tile = kStepsTile;
  tiling.out = *type;
  tiling.whole = out_is_whole ? 1 : 0;
  tiling.first = static_cast<float>(first);
  tiling.step = static_cast<float>(step);
  if (out_is_whole) {
    tiling.whole_first = static_cast<std::int32_t>(first);
    tiling.whole_step = static_cast<std::int32_t>(step);
  }
  work.add_kernel(
      {"davsim_steps", work.type(), shares.cores, {&result.tensor()}, bytes_of(tiling)});
  result.finish();
  return true;
}

}  // namespace davsim::basic
