#include "runtime/basic_operators/reductions.hpp"

#include <algorithm>

#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/reduce_task.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/op_host/elements.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::ArgTiling;
using davsim_basic::ReduceTiling;

bool is_host_type(DataType type) {
  return type == ge::DT_INT64 || type == ge::DT_DOUBLE;
}

/// A core that has less is not worth a second launch.
constexpr std::int64_t kLeastPart = 4096;

/// What both kernels have of a tiling: shares of the parts, and `row`, `parts`, `in`, `whole`.
template <class Tiling>
Tiling tiling_of_rows(const aclTensor& rows, const Parts& parts, std::uint32_t tile,
                      DataType computed) {
  Tiling tiling{};
  tiling.shares = row_shares(rows.shape.GetDim(0) * parts.count, parts.length, tile);
  if (parts.count > 1) tiling.shares.at_once = 1;
  tiling.row = static_cast<std::uint64_t>(rows.shape.GetDim(1));
  tiling.parts = static_cast<std::uint32_t>(parts.count);
  tiling.in = *element_of(rows.GetDataType());
  tiling.whole = computed == ge::DT_INT32 ? 1 : 0;
  return tiling;
}

void add_reduce_kernel(WorkList& work, const aclTensor& rows, const Parts& parts,
                       const Reduction& reduction, const aclTensor& to) {
  constexpr std::uint32_t kTile = 8192;
  auto tiling = tiling_of_rows<ReduceTiling>(rows, parts, kTile, to.GetDataType());
  tiling.op = reduction.op;
  tiling.map = reduction.map;
  tiling.power = static_cast<float>(reduction.power);
  tiling.scale = static_cast<float>(reduction.scale);
  work.add_kernel({"davsim_reduce",
                   work.type(),
                   cores_of(tiling.shares),
                   {&rows, reduction.shift, &to},
                   bytes_of(tiling)});
}

void add_arg_kernel(WorkList& work, const aclTensor& rows, const aclTensor* places_before,
                    const Parts& parts, bool least, const aclTensor& values,
                    const aclTensor& places) {
  constexpr std::uint32_t kTile = 6144;
  auto tiling = tiling_of_rows<ArgTiling>(rows, parts, kTile, values.GetDataType());
  tiling.least = least ? 1 : 0;
  tiling.has_places = places_before == nullptr ? 0 : 1;
  work.add_kernel({"davsim_arg_reduce",
                   work.type(),
                   cores_of(tiling.shares),
                   {&rows, places_before, &values, &places},
                   bytes_of(tiling)});
}

}  // namespace

DataType computed_type(DataType type) {
  if (is_kernel_float(type)) return ge::DT_FLOAT;
  if (is_small_whole_type(type)) return ge::DT_INT32;
  if (is_host_type(type)) return type;
  runtime::refuse_aclnn("self is " + text(type) + ", which is no type of real numbers");
}

const aclTensor* rows_to_reduce(WorkList& work, const aclTensor& self, const RowView& view,
                                DataType computed) {
  const DataType own = self.GetDataType();
  const bool reads_own = computed == ge::DT_FLOAT && is_kernel_float(own);
  return as_rows(work, self, view, reads_own ? own : computed);
}

void add_reduction(WorkList& work, const aclTensor& rows, const Reduction& reduction,
                   const aclTensor& to) {
  const DataType computed = to.GetDataType();
  if (is_host_type(computed)) {
    std::vector<const aclTensor*> from{&rows};
    if (reduction.shift != nullptr) from.push_back(reduction.shift);
    const ReduceTask task{reduction.op, reduction.map, reduction.power, reduction.scale};
    work.add_task({&to}, from, [task](auto out, auto in) { task.run(out[0], in); });
    return;
  }
  const Parts parts = parts_of(rows.shape.GetDim(0), rows.shape.GetDim(1), kLeastPart);
  if (parts.count == 1) return add_reduce_kernel(work, rows, parts, reduction, to);
  const aclTensor* const partial = temporary(work, computed, {rows.shape.GetDim(0), parts.count});
  Reduction first = reduction, second{.op = reduction.op, .scale = reduction.scale};
  first.scale = 1;
  add_reduce_kernel(work, rows, parts, first, *partial);
  add_reduce_kernel(work, *partial, {1, parts.count}, second, to);
}

const aclTensor* reduced(WorkList& work, const aclTensor& rows, const Reduction& reduction,
                         DataType computed) {
  const aclTensor* const to = temporary(work, computed, {rows.shape.GetDim(0)});
  add_reduction(work, rows, reduction, *to);
  return to;
}

void add_arg_reduction(WorkList& work, const aclTensor& rows, bool least, const aclTensor& values,
                       const aclTensor& places) {
  const DataType computed = values.GetDataType();
  if (is_host_type(computed)) {
    work.add_task({&values, &places}, {&rows},
                  [least](auto out, auto in) { find_best(out[0], out[1], in[0], least); });
    return;
  }
  const Parts parts = parts_of(rows.shape.GetDim(0), rows.shape.GetDim(1), kLeastPart);
  if (parts.count == 1) return add_arg_kernel(work, rows, nullptr, parts, least, values, places);
  const Shape shape{rows.shape.GetDim(0), parts.count};
  const aclTensor* const best = temporary(work, computed, shape);
  const aclTensor* const at = temporary(work, ge::DT_INT32, shape);
  add_arg_kernel(work, rows, nullptr, parts, least, *best, *at);
  add_arg_kernel(work, *best, at, {1, parts.count}, least, values, places);
}

void add_fill(WorkList& work, const aclTensor& to, double value) {
  Result result(work, to, to.GetDataType());
  work.add_task({&result.tensor()}, {}, [value](auto out, auto) {
    op_host::fill_elements(out[0].first(), out[0].elements(), out[0].type, value);
  });
  result.finish();
}

}  // namespace davsim::basic
