#include "runtime/basic_operators/softmax.hpp"

#include <utility>

#include "runtime/basic_operators/device/softmax_tiling.h"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/reductions.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::SoftmaxTiling;

void add_softmax_kernel(WorkList& work, const aclTensor& self, const RowView& view, bool logarithm,
                        const aclTensor& out) {
  const DataType in = self.GetDataType();
  const DataType made = out.GetDataType() == in ? in : ge::DT_FLOAT;
  RowResult result(work, out, view, made);
  SoftmaxTiling tiling{};
  tiling.shares =
      row_shares(view.rows(), view.length(), row_tile(softmax_bytes_in_ub({in, made}, 2)));
  tiling.in = *element_of(in);
  tiling.out = *element_of(made);
  tiling.logarithm = logarithm ? 1 : 0;
  work.add_kernel({"davsim_softmax",
                   work.type(),
                   cores_of(tiling.shares),
                   {as_rows(work, self, view, in), &result.tensor()},
                   bytes_of(tiling)});
  result.finish();
}

/// In double, by steps of the host.
void add_softmax_steps(WorkList& work, const aclTensor& self, const RowView& view, bool logarithm,
                       const aclTensor& out) {
  const Shape shape{view.rows(), view.length()}, one{view.rows(), 1};
  const auto make = [&](const Shape& sizes) { return temporary(work, ge::DT_DOUBLE, sizes); };
  const aclTensor* const x = as_rows(work, self, view, ge::DT_DOUBLE);
  const aclTensor* const greatest =
      reshaped(work, *reduced(work, *x, {.op = Arithmetic::kMax}, ge::DT_DOUBLE), one);
  aclTensor *const difference = make(shape), *const powers = make(shape);
  add_pointwise(work, {.op = PointwiseOp::kAxpy,
                       .operands = {{x, "self"}, {greatest, "self"}},
                       .out = difference,
                       .a = -1});
  add_pointwise(work, {.op = PointwiseOp::kExp, .operands = {{difference, "self"}}, .out = powers});
  const aclTensor* const sums = reshaped(work, *reduced(work, *powers, {}, ge::DT_DOUBLE), one);
  RowResult result(work, out, view, ge::DT_DOUBLE);
  const aclTensor* const to = &result.tensor();
  if (logarithm) {
    aclTensor* const logarithms = make(one);
    add_pointwise(work, {.op = PointwiseOp::kLog, .operands = {{sums, "self"}}, .out = logarithms});
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{difference, "self"}, {logarithms, "self"}},
                         .out = to,
                         .a = -1});
  } else {
    add_pointwise(
        work, {.op = PointwiseOp::kDiv, .operands = {{powers, "self"}, {sums, "self"}}, .out = to});
  }
  result.finish();
}

}  // namespace

std::uint64_t softmax_bytes_in_ub(std::initializer_list<DataType> tensors, std::uint64_t tiles) {
  std::uint64_t bytes = 4 * tiles;
  for (const DataType type : tensors) bytes += 2 * static_cast<std::uint64_t>(op::TypeSize(type));
  return bytes;
}

void add_softmax(WorkList& work, const aclTensor& self, const RowView& view, bool logarithm,
                 const aclTensor& out) {
  if (out.IsEmpty()) return;
  const bool by_host = self.GetDataType() == ge::DT_DOUBLE;
  (by_host ? add_softmax_steps : add_softmax_kernel)(work, self, view, logarithm, out);
}

}  // namespace davsim::basic
