// Functions that consist of several pointwise steps.
#pragma once

#include "runtime/basic_operators/pointwise.hpp"

namespace davsim::basic {

/// Steps that compute in one type of floating numbers, whatever the operands have, and leave what
/// they make in the workspace. Operands are repeated to a common shape; one of them is a tensor.
class Formula {
 public:
  /// `type`: float, or double for the host.
  explicit Formula(WorkList& work, DataType type = ge::DT_FLOAT) : work_(work), type_(type) {}
  /// In double if that is the tensor's type, else in float.
  Formula(WorkList& work, const aclTensor& like);

  DataType type() const { return type_; }

  Operand of(PointwiseOp op, const Operand& x, double a = 0, double b = 0, double c = 0);
  Operand of(PointwiseOp op, const Operand& x, const Operand& y, double a = 0);
  Operand of(PointwiseOp op, const Operand& x, const Operand& y, const Operand& z, double a = 0);

  Operand times(const Operand& x, const Operand& y) { return of(PointwiseOp::kMul, x, y); }
  Operand over(const Operand& x, const Operand& y) { return of(PointwiseOp::kDiv, x, y); }
  /// x + factor * y
  Operand more(const Operand& x, const Operand& y, double factor = 1) {
    return of(PointwiseOp::kAxpy, x, y, factor);
  }
  Operand less(const Operand& x, const Operand& y) { return more(x, y, -1); }
  /// x + factor * y * z
  Operand more_product(const Operand& x, const Operand& y, const Operand& z, double factor = 1) {
    return of(PointwiseOp::kAddcmul, x, y, z, factor);
  }
  /// 1 where `condition` is not 0, as comparisons have it.
  Operand choose(const Operand& condition, const Operand& yes, const Operand& no) {
    return of(PointwiseOp::kWhere, yes, no, condition);
  }
  /// The sum of each row of [rows, length], as [rows, 1].
  Operand row_sums(const Operand& x);
  /// The sums of the elements of rows [rows, length] at each place, as [1, length].
  Operand column_sums(const Operand& x);
  /// The sum of all elements, as [1].
  Operand total(const Operand& x);
  Operand sigmoid(const Operand& x) { return of(PointwiseOp::kSigmoid, x); }

  /// out = what the steps have made, under the same number of elements.
  void finish(const Operand& from, const aclTensor& out);

 private:
  Operand step(Pointwise call);

  WorkList& work_;
  DataType type_;
};

}  // namespace davsim::basic
