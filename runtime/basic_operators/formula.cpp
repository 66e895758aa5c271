#include "runtime/basic_operators/formula.hpp"

#include "runtime/basic_operators/reductions.hpp"

namespace davsim::basic {

Formula::Formula(WorkList& work, const aclTensor& like)
    : Formula(work, like.GetDataType() == ge::DT_DOUBLE ? ge::DT_DOUBLE : ge::DT_FLOAT) {}

Operand Formula::of(PointwiseOp op, const Operand& x, double a, double b, double c) {
  return step({.op = op, .operands = {x}, .a = a, .b = b, .c = c});
}

Operand Formula::of(PointwiseOp op, const Operand& x, const Operand& y, double a) {
  return step({.op = op, .operands = {x, y}, .a = a});
}

Operand Formula::of(PointwiseOp op, const Operand& x, const Operand& y, const Operand& z,
                    double a) {
  return step({.op = op, .operands = {x, y, z}, .a = a});
}

Operand Formula::row_sums(const Operand& x) {
  const aclTensor* const rows = as(work_, *x.tensor, type_);
  const aclTensor* const sums = reduced(work_, *rows, {}, type_);
  return {reshaped(work_, *sums, {rows->GetViewShape().GetDim(0), 1}), x.name};
}

Operand Formula::column_sums(const Operand& x) {
  const RowView view = rows_along(*x.tensor, std::vector<std::int64_t>{0}, x.name);
  const aclTensor* const columns = as_rows(work_, *x.tensor, view, type_);
  const aclTensor* const sums = reduced(work_, *columns, {}, type_);
  return {reshaped(work_, *sums, {1, view.rows()}), x.name};
}

Operand Formula::total(const Operand& x) {
  const aclTensor* const elements = as(work_, *x.tensor, type_);
  const aclTensor* const row = reshaped(work_, *elements, {1, elements->Numel()});
  return {reduced(work_, *row, {}, type_), x.name};
}

void Formula::finish(const Operand& from, const aclTensor& out) {
  const bool same = from.tensor->GetViewShape() == out.GetViewShape();
  add_cast(work_, same ? *from.tensor : *reshaped(work_, *from.tensor, out.GetViewShape()), out);
}

Operand Formula::step(Pointwise call) {
  const aclTensor* const made = temporary(work_, type_, common_shape(call.operands));
  call.type = type_;
  call.out = made;
  add_pointwise(work_, call);
  return {made, call.operands[0].name};
}

}  // namespace davsim::basic
