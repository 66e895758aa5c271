#include "runtime/basic_operators/sorting.hpp"

#include "runtime/basic_operators/device/sort_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/launch.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::SortOrder;
using davsim_basic::SortTiling;

bool sorts_by_kernel(DataType type, std::int64_t length, std::int64_t kept) {
  return is_kernel_float(type) &&
         (length <= davsim_basic::kSortTile || kept <= davsim_basic::kMostKept);
}

SortOrder order_of(const SortCall& call, std::int64_t length) {
  if (call.descending) return SortOrder::kDescending;
  return length <= davsim_basic::kSortTile ? SortOrder::kAscending : SortOrder::kLeast;
}

}  // namespace

void add_sort(WorkList& work, const SortCall& call) {
  const RowView view = rows_along(call.self, {call.dim}, "dim");
  if (view.rows() == 0 || call.kept == 0) return;
  const DataType type = call.self.GetDataType();
  const aclTensor& any = call.values == nullptr ? *call.indices : *call.values;
  const Shape shape = any.GetViewShape();
  // What is not wanted is left in the workspace.
  const auto wanted = [&](const aclTensor* tensor, DataType made) -> const aclTensor& {
    return tensor == nullptr ? *temporary(work, made, shape) : *tensor;
  };
  const RowView kept = rows_along(any, {call.dim}, "dim");
  RowResult values(work, wanted(call.values, type), kept, type);
  RowResult places(work, wanted(call.indices, ge::DT_INT32), kept, ge::DT_INT32);
  const aclTensor* const rows = as_rows(work, call.self, view, type);
  if (sorts_by_kernel(type, view.length(), call.kept)) {
    SortTiling tiling{};
    tiling.shares = row_shares(view.rows(), view.length(), davsim_basic::kSortTile);
    tiling.shares.at_once = 1;
    tiling.kept = static_cast<std::uint32_t>(call.kept);
    tiling.order = order_of(call, view.length());
    tiling.element = *element_of(type);
    work.add_kernel({"davsim_sort",
                     work.type(),
                     cores_of(tiling.shares),
                     {rows, &values.tensor(), &places.tensor()},
                     bytes_of(tiling)});
  } else {
    work.add_task({&values.tensor(), &places.tensor()}, {rows},
                  [descending = call.descending](auto to, auto from) {
                    sort_rows(to[0], to[1], from[0], descending);
                  });
  }
  if (call.values != nullptr) values.finish();
  if (call.indices != nullptr) places.finish();
}

}  // namespace davsim::basic
