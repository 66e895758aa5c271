#include "runtime/basic_operators/rows.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/basic_operators/launch.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {

Shape RowView::values_shape(bool keep) const {
  if (!keep) return kept;
  Shape shape;
  shape.SetDimNum(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    shape.SetDim(order[i], i < kept.GetDimNum() ? kept.GetDim(i) : 1);
  }
  return shape;
}

RowView rows_along(const aclTensor& tensor, const std::vector<std::int64_t>& dims,
                   const char* name) {
  const Shape& shape = tensor.GetViewShape();
  const std::size_t rank = shape.GetDimNum();
  std::vector<bool> is_within(std::max<std::size_t>(rank, 1), false);
  for (const std::int64_t dim : dims) {
    const std::size_t at = dimension(dim, rank, name);
    if (is_within[at]) {
      runtime::refuse_aclnn(std::string(name) + " has the dimension " + std::to_string(dim) +
                            " twice");
    }
    is_within[at] = true;
  }
  RowView view;
  for (const bool within : {false, true}) {
    for (std::size_t i = 0; i < rank; ++i) {
      if (is_within[i] != within) continue;
      view.order.push_back(i);
      (within ? view.within : view.kept).AppendDim(shape.GetDim(i));
    }
  }
  return view;
}

RowView rows_along_all(const aclTensor& tensor) {
  std::vector<std::int64_t> dims(tensor.GetViewShape().GetDimNum());
  std::iota(dims.begin(), dims.end(), 0);
  return rows_along(tensor, dims, "self");
}

RowView rows_along(const aclTensor& tensor, const aclIntArray* dims, const char* name) {
  runtime::require_aclnn(dims, name);
  if (dims->Size() == 0) return rows_along_all(tensor);
  return rows_along(
      tensor, std::vector<std::int64_t>(dims->GetData(), dims->GetData() + dims->Size()), name);
}

const aclTensor* permuted(WorkList& work, const aclTensor& tensor,
                          const std::vector<std::size_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return &tensor;
  aclTensor* const view = work.view(tensor);
  for (std::size_t i = 0; i < order.size(); ++i) {
    view->shape.SetDim(i, tensor.shape.GetDim(order[i]));
    view->strides[i] = tensor.strides[order[i]];
  }
  return view;
}

const aclTensor* as_rows(WorkList& work, const aclTensor& tensor, const RowView& view,
                         DataType type) {
  const aclTensor* const elements = as(work, *permuted(work, tensor, view.order), type);
  return reshaped(work, *elements, {view.rows(), view.length()});
}

RowResult::RowResult(WorkList& work, const aclTensor& out, const RowView& view, DataType type)
    : result_(work, *permuted(work, out, view.order), type),
      rows_(reshaped(work, result_.tensor(), {view.rows(), view.length()})) {}

void require_kernel_float(const aclTensor& tensor, const char* name) {
  require_type(tensor, name, {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
}

bool is_kernel_float(DataType type) {
  return op::CheckType(type, {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
}

bool is_small_whole_type(DataType type) {
  return op::CheckType(type, {ge::DT_INT32, ge::DT_INT16, ge::DT_INT8, ge::DT_UINT8, ge::DT_BOOL});
}

std::uint32_t row_tile(std::uint64_t bytes) {
  // Values of rows, and what RowReducer has.
  constexpr std::uint64_t kValues = 30 * 1024, kUnit = 64;
  return static_cast<std::uint32_t>((ub_bytes() - kValues) / bytes / kUnit * kUnit);
}

davsim_basic::RowShares row_shares(std::int64_t rows, std::int64_t length, std::uint32_t tile,
                                   std::uint32_t unit) {
  const auto all = static_cast<std::uint64_t>(rows), elements = static_cast<std::uint64_t>(length);
  const std::uint64_t share = rows_of_vector_cores(all).share;
  const std::uint64_t room = tile / ((elements + unit - 1) / unit * unit);
  const std::uint64_t at_once =
      std::clamp<std::uint64_t>(std::min(room, share), 1, davsim_basic::kMostRows);
  return {all, share, elements, tile, unit, static_cast<std::uint32_t>(at_once)};
}

Parts parts_of(std::int64_t rows, std::int64_t length, std::int64_t least) {
  constexpr std::int64_t kUnit = 64;
  const std::int64_t wanted = std::min<std::int64_t>(vector_cores() / rows, length / least);
  if (wanted <= 1) return {1, length};
  const std::int64_t part = ((length + wanted - 1) / wanted + kUnit - 1) / kUnit * kUnit;
  return {(length + part - 1) / part, part};
}

std::uint32_t cores_of(const davsim_basic::RowShares& shares) {
  return static_cast<std::uint32_t>((shares.rows + shares.share - 1) / shares.share);
}

}  // namespace davsim::basic
