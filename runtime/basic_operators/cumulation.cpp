#include "runtime/basic_operators/cumulation.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/reductions.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::CumulateTiling;

/// Lanes are whole repeats.
constexpr std::int64_t kLaneUnit = 64;

struct Cumulated {
  const aclTensor* values;  ///< [rows, lanes]
  const aclTensor* totals;  ///< [lanes]
};

/// Each lane of [rows, lanes] by itself, into `to`.
Cumulated add_lanes(WorkList& work, const aclTensor& x, const Cumulation& cumulation,
                    const aclTensor& to) {
  const std::int64_t lanes = x.shape.GetDim(1);
  const aclTensor* const totals = temporary(work, x.GetDataType(), {lanes});
  const std::int64_t cores = vector_cores();
  std::int64_t share = (lanes + cores - 1) / cores;
  share = (share + kLaneUnit - 1) / kLaneUnit * kLaneUnit;
  CumulateTiling tiling{};
  tiling.rows = static_cast<std::uint64_t>(x.shape.GetDim(0));
  tiling.lanes = static_cast<std::uint64_t>(lanes);
  tiling.share = static_cast<std::uint64_t>(share);
  constexpr std::uint64_t kBytes = 6 * 4;  // two buffers of both tensors, and two tiles
  tiling.tile = row_tile(kBytes);
  tiling.op = cumulation.op;
  tiling.whole = x.GetDataType() == ge::DT_INT32 ? 1 : 0;
  tiling.exclusive = cumulation.exclusive ? 1 : 0;
  tiling.reverse = cumulation.reverse ? 1 : 0;
  work.add_kernel({"davsim_cumulate",
                   work.type(),
                   static_cast<std::uint32_t>((lanes + share - 1) / share),
                   {&x, &to, totals},
                   bytes_of(tiling)});
  return {&to, totals};
}

Cumulated lanes_of(WorkList& work, const aclTensor& x, const Cumulation& cumulation) {
  return add_lanes(work, x, cumulation, *temporary(work, x.GetDataType(), x.GetViewShape()));
}

/// [a, b] as [b, a].
const aclTensor* transposed(WorkList& work, const aclTensor& x) {
  return as(work, *permuted(work, x, {1, 0}), x.GetDataType());
}

/// The first `length` elements of each row of [rows, more].
aclTensor* first_columns(WorkList& work, const aclTensor& x, std::int64_t length) {
  aclTensor* const view = work.view(x);
  view->shape.SetDim(1, length);
  return view;
}

/// Few long rows [rows, length]: parts of them are lanes of their own, to which the totals of the
/// parts before them are added.
void add_parts(WorkList& work, const aclTensor& rows, std::int64_t parts,
               const Cumulation& cumulation, const aclTensor& to) {
  const DataType type = rows.GetDataType();
  const std::int64_t count = rows.shape.GetDim(0), length = rows.shape.GetDim(1);
  const std::int64_t part = (length + parts - 1) / parts, lanes = count * parts;
  aclTensor* const padded = temporary(work, type, {count, parts * part});
  work.add_zeros(*padded);
  work.add_copy(*first_columns(work, *padded, length), rows);
  const aclTensor* const by_lanes = transposed(work, *reshaped(work, *padded, {lanes, part}));
  const Cumulated own = lanes_of(work, *by_lanes, cumulation);
  Cumulation of_totals = cumulation;
  of_totals.exclusive = true;
  const aclTensor* const totals = transposed(work, *reshaped(work, *own.totals, {count, parts}));
  const aclTensor* const before = transposed(work, *lanes_of(work, *totals, of_totals).values);
  aclTensor* const sums = temporary(work, type, {part, lanes});
  const bool is_product = cumulation.op == Arithmetic::kMul;
  add_pointwise(work,
                {.op = is_product ? PointwiseOp::kMul : PointwiseOp::kAxpy,
                 .operands = {{own.values, "self"}, {reshaped(work, *before, {1, lanes}), "self"}},
                 .out = sums,
                 .a = 1});
  const aclTensor* const in_rows = reshaped(work, *transposed(work, *sums), {count, parts * part});
  work.add_copy(to, *first_columns(work, *in_rows, length));
}

template <class T>
void cumulate_by_host(const runtime::BoundTensor& to, const runtime::BoundTensor& from,
                      const Cumulation& cumulation) {
  const auto* const x = reinterpret_cast<const T*>(from.first());
  auto* const out = reinterpret_cast<T*>(to.first());
  const std::int64_t rows = from.shape.GetDim(0), length = from.shape.GetDim(1);
  const bool is_product = cumulation.op == Arithmetic::kMul;
  for (std::int64_t row = 0; row < rows; ++row) {
    T total = is_product ? 1 : 0;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = row * length + (cumulation.reverse ? length - 1 - i : i);
      const T before = total;
      if constexpr (std::is_integral_v<T>) {  // wraps around
        const auto a = static_cast<std::uint64_t>(total), b = static_cast<std::uint64_t>(x[at]);
        total = static_cast<T>(is_product ? a * b : a + b);
      } else {
        total = is_product ? total * x[at] : total + x[at];
      }
      out[at] = cumulation.exclusive ? before : total;
    }
  }
}

void add_host_cumulation(WorkList& work, const aclTensor& rows, const Cumulation& cumulation,
                         const aclTensor& to) {
  work.add_task({&to}, {&rows}, [cumulation](auto out, auto from) {
    if (out[0].type == ge::DT_DOUBLE) return cumulate_by_host<double>(out[0], from[0], cumulation);
    cumulate_by_host<std::int64_t>(out[0], from[0], cumulation);
  });
}

/// Parts of each row that keep all cores busy and are about as many as they are long.
std::int64_t parts_of_rows(std::int64_t rows, std::int64_t length) {
  constexpr std::int64_t kLeast = 64;  // elements of a row that is worth it
  const std::int64_t lanes = kLaneUnit * vector_cores();
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(length)));
  return length < kLeast ? 1 : std::min(lanes / rows, root);
}

}  // namespace

void add_cumulation(WorkList& work, const aclTensor& self, std::int64_t dim,
                    const Cumulation& cumulation, const aclTensor& out) {
  if (out.IsEmpty()) return;
  const RowView view = rows_along(self, {dim}, "dim");
  const DataType type = computed_type(out.GetDataType());
  const std::int64_t parts = parts_of_rows(view.rows(), view.length());
  const bool by_host = type == ge::DT_INT64 || type == ge::DT_DOUBLE;
  if (by_host || parts > 1) {
    RowResult result(work, out, view, type);
    const aclTensor& rows = *as_rows(work, self, view, type);
    if (by_host) {
      add_host_cumulation(work, rows, cumulation, result.tensor());
    } else {
      add_parts(work, rows, parts, cumulation, result.tensor());
    }
    return result.finish();
  }
  // The dimension before all others.
  RowView lanes = view;
  std::rotate(lanes.order.begin(),
              lanes.order.end() - static_cast<std::ptrdiff_t>(view.within.GetDimNum()),
              lanes.order.end());
  lanes.kept = view.within;
  lanes.within = view.kept;
  RowResult result(work, out, lanes, type);
  add_lanes(work, *as_rows(work, self, lanes, type), cumulation, result.tensor());
  result.finish();
}

}  // namespace davsim::basic
