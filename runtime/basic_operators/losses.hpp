// What losses have in common: how their elements become the result, and what a gradient is divided
// by for that.
#pragma once

#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/rows.hpp"

namespace davsim::basic {

/// The documented numbers.
enum class LossReduction : std::int64_t { kNone = 0, kMean = 1, kSum = 2, kMeanOfBatch = 3 };
/// Throws ApiError(161002) for a number beyond `most`.
LossReduction loss_reduction(std::int64_t number, LossReduction most = LossReduction::kSum);
/// Of "none", "mean" and "sum"; a null pointer is the mean.
LossReduction loss_reduction(const char* name);

/// out = the elements, their mean or their sum, which has one element whatever the shape of `out`.
void add_reduced_loss(WorkList& work, Formula& formula, const Operand& elements,
                      LossReduction reduction, const aclTensor& out);
/// What the gradient of such a result is divided by for each of the elements.
double loss_divisor(const Shape& shape, LossReduction reduction);

/// Of classes: a row for each element of the target.
class ClassRows {
 public:
  /// `dim` of `self` has the classes, its other dimensions are those of `target`. A class that
  /// there is not, and that is not `ignored`, is an error of the stream. `weight` may be null
  /// for 1.
  ClassRows(WorkList& work, Formula& formula, const aclTensor& self, std::size_t dim,
            const aclTensor& target, const aclTensor* weight, std::int64_t ignored);

  const Shape& rows_shape() const { return view_.kept; }
  const RowView& view() const { return view_; }
  /// `self` in [rows, classes].
  const Operand& elements() const { return elements_; }
  /// 1 for the class that the target names, in [rows, classes].
  const Operand& named() const { return named_; }
  /// The weight of that class in [rows, 1], 0 where it is ignored.
  const Operand& row_weights() const { return row_weights_; }
  /// 1 where it is not ignored, in [rows, 1].
  const Operand& counts() const { return counts_; }
  /// The weights in [1, classes].
  const Operand& weights() const { return weights_; }
  /// In [rows, 1], from a tensor with an element for each row, or one for all.
  Operand of_rows(const aclTensor& tensor, const char* name) const;
  /// out = what is in [rows, classes], under the shape of `self`.
  void finish(const Operand& from, const aclTensor& out) const;

 private:
  const aclTensor* class_numbers(const aclTensor& target, std::int64_t ignored) const;

  WorkList& work_;
  Formula& formula_;
  RowView view_;
  Operand elements_{0.0}, named_{0.0}, row_weights_{0.0}, counts_{0.0}, weights_{1.0};
};

}  // namespace davsim::basic
