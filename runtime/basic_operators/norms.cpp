#include "runtime/basic_operators/norms.hpp"

#include <optional>

#include "runtime/basic_operators/device/norm_tiling.h"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::NormTiling;

/// A result that may not be wanted.
class OptionalResult {
 public:
  OptionalResult(WorkList& work, const aclTensor* out, DataType type) {
    if (out != nullptr) result_.emplace(work, *out, type);
  }
  const aclTensor* tensor() const { return result_ ? &result_->tensor() : nullptr; }
  void finish() {
    if (result_) result_->finish();
  }

 private:
  std::optional<Result> result_;
};

std::uint32_t flag(const aclTensor* tensor) {
  return tensor == nullptr ? 0 : 1;
}

NormTiling tiling_of_norm(const RowNorm& norm) {
  const DataType type = norm.x->GetDataType();
  const auto size = static_cast<std::uint64_t>(op::TypeSize(type));
  NormTiling tiling{};
  tiling.has_second = flag(norm.second);
  tiling.has_bias = flag(norm.bias);
  tiling.has_gamma = flag(norm.gamma);
  tiling.has_beta = flag(norm.beta);
  tiling.has_sum = flag(norm.sum);
  tiling.has_means = flag(norm.means);
  tiling.has_rstd = flag(norm.rstd);
  tiling.in = *element_of(type);
  tiling.centred = norm.centred ? 1 : 0;
  tiling.epsilon = static_cast<float>(norm.epsilon);
  tiling.weight_rows = static_cast<std::uint64_t>(norm.weight_rows);
  // Two buffers of each tensor, a row of each weight, and two tiles.
  const std::uint64_t bytes = 2 * size * (2 + tiling.has_second + tiling.has_sum) +
                              4 * (tiling.has_bias + tiling.has_gamma + tiling.has_beta + 2);
  tiling.shares = row_shares(norm.rows, norm.length, row_tile(bytes));
  if (norm.weight_rows > 1) tiling.shares.at_once = 1;
  return tiling;
}

}  // namespace

void add_norm(WorkList& work, const RowNorm& norm) {
  const DataType type = norm.x->GetDataType();
  Result y(work, *norm.y, type);
  OptionalResult sum(work, norm.sum, type), means(work, norm.means, ge::DT_FLOAT),
      rstd(work, norm.rstd, ge::DT_FLOAT);
  const auto elements = [&](const aclTensor* tensor, DataType as_type) {
    return tensor == nullptr ? nullptr : as(work, *tensor, as_type);
  };
  const NormTiling tiling = tiling_of_norm(norm);
  work.add_kernel(
      {"davsim_norm",
       work.type(),
       cores_of(tiling.shares),
       {elements(norm.x, type), elements(norm.second, type), elements(norm.bias, ge::DT_FLOAT),
        elements(norm.gamma, ge::DT_FLOAT), elements(norm.beta, ge::DT_FLOAT), &y.tensor(),
        sum.tensor(), means.tensor(), rstd.tensor()},
       bytes_of(tiling)});
  y.finish();
  sum.finish();
  means.finish();
  rstd.finish();
}

void require_groups(const aclTensor& tensor, std::int64_t batch, std::int64_t channels,
                    std::int64_t size, std::int64_t groups) {
  if (groups <= 0 || channels <= 0 || channels % groups != 0) {
    runtime::refuse_aclnn("group is " + std::to_string(groups) +
                          ", which does not divide C = " + std::to_string(channels));
  }
  if (tensor.Numel() == batch * channels * size) return;
  runtime::refuse_aclnn("self has N * C * HxW = " + std::to_string(batch * channels * size) +
                        " elements, not the shape " + text(tensor.GetViewShape()));
}

const aclTensor* for_each_channel(WorkList& work, const aclTensor* tensor, const char* name,
                                  std::int64_t channels, std::int64_t size, std::int64_t groups) {
  if (tensor == nullptr) return nullptr;
  require_kernel_float(*tensor, name);
  require_shape(*tensor, name, {channels});
  const aclTensor* const elements = as(work, *tensor, ge::DT_FLOAT);
  const aclTensor* const column = reshaped(work, *elements, {channels, 1});
  return reshaped(work, *as(work, *column, ge::DT_FLOAT, {channels, size}),
                  {groups, channels / groups * size});
}

}  // namespace davsim::basic
