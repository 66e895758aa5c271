#include "runtime/basic_operators/losses.hpp"

#include <cmath>
#include <string_view>

#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {

LossReduction loss_reduction(std::int64_t number, LossReduction most) {
  const auto last = static_cast<std::int64_t>(most);
  if (number < 0 || number > last) {
    runtime::refuse_aclnn("reduction is from 0 to " + std::to_string(last) + ", not " +
                          std::to_string(number));
  }
  return static_cast<LossReduction>(number);
}

LossReduction loss_reduction(const char* name) {
  const std::string_view is = name == nullptr ? "mean" : name;
  if (is == "mean") return LossReduction::kMean;
  if (is == "sum") return LossReduction::kSum;
  if (is == "none") return LossReduction::kNone;
  runtime::refuse_aclnn("reductionOptional is none, mean or sum, not " + std::string(is));
}

double loss_divisor(const Shape& shape, LossReduction reduction) {
  if (reduction == LossReduction::kMean) return static_cast<double>(shape.GetShapeSize());
  if (reduction != LossReduction::kMeanOfBatch || shape.GetDimNum() == 0) return 1;
  return static_cast<double>(shape.GetDim(0));
}

void add_reduced_loss(WorkList& work, Formula& formula, const Operand& elements,
                      LossReduction reduction, const aclTensor& out) {
  const Shape& shape = elements.tensor->GetViewShape();
  if (reduction == LossReduction::kNone) {
    require_shape(out, "out", shape);
    if (!out.IsEmpty()) formula.finish(elements, out);
    return;
  }
  if (out.Numel() != 1) {
    runtime::refuse_aclnn("out has one element where the loss is reduced, not the shape " +
                          text(out.GetViewShape()));
  }
  if (shape.GetShapeSize() == 0) {
    return add_fill(work, out, reduction == LossReduction::kSum ? 0 : std::nan(""));
  }
  const double divisor = loss_divisor(shape, reduction);
  const Operand sum = formula.total(elements);
  formula.finish(divisor == 1 ? sum : formula.times(sum, Operand(1 / divisor)), out);
}

ClassRows::ClassRows(WorkList& work, Formula& formula, const aclTensor& self, std::size_t dim,
                     const aclTensor& target, const aclTensor* weight, std::int64_t ignored)
    : work_(work),
      formula_(formula),
      view_(rows_along(self, {static_cast<std::int64_t>(dim)}, "self")) {
  const std::int64_t classes = view_.length();
  require_type(target, "target", {ge::DT_INT64, ge::DT_INT32, ge::DT_UINT8});
  require_shape(target, "target", view_.kept);
  if (weight != nullptr) {
    require_kernel_float(*weight, "weight");
    require_shape(*weight, "weight", {classes});
    weights_ = {reshaped(work, *as(work, *weight, formula.type()), {1, classes}), "weight"};
  }
  if (self.IsEmpty()) return;
  elements_ = {as_rows(work, self, view_, formula.type()), "self"};
  const Operand numbers(class_numbers(target, ignored), "target");
  aclTensor* const counted = temporary(work, formula.type(), {classes});
  make_elements(work, *counted, [](std::uint64_t i) { return static_cast<double>(i); });
  named_ = formula.of(PointwiseOp::kEq, numbers, {reshaped(work, *counted, {1, classes}), "self"});
  counts_ = formula.of(PointwiseOp::kGe, numbers, Operand(0.0));
  row_weights_ = weight == nullptr
                     ? counts_
                     : formula.row_sums(formula.choose(named_, weights_, Operand(0.0)));
}

/// The class of each row, [rows, 1], and -1 where it is ignored.
const aclTensor* ClassRows::class_numbers(const aclTensor& target, std::int64_t ignored) const {
  const std::int64_t classes = view_.length();
  aclTensor* const numbers = temporary(work_, formula_.type(), {view_.rows(), 1});
  work_.add_task({numbers}, {as(work_, target, target.GetDataType())},
                 [function = work_.type(), classes, ignored](auto to, auto from) {
                   for (std::uint64_t i = 0; i < to[0].elements(); ++i) {
                     const std::int64_t number = whole_at(from[0], i);
                     const bool counts = number != ignored;
                     if (counts && (number < 0 || number >= classes)) {
                       out_of_range(function, "target", i, number, 0, classes);
                     }
                     set_number(to[0], i, counts ? static_cast<double>(number) : -1);
                   }
                 });
  return numbers;
}

Operand ClassRows::of_rows(const aclTensor& tensor, const char* name) const {
  if (tensor.Numel() != 1 && tensor.Numel() != view_.rows()) {
    runtime::refuse_aclnn(std::string(name) + " has an element for each of target, or one, not " +
                          "the shape " + text(tensor.GetViewShape()));
  }
  return {reshaped(work_, *as(work_, tensor, formula_.type()), {tensor.Numel(), 1}), name};
}

void ClassRows::finish(const Operand& from, const aclTensor& out) const {
  RowResult result(work_, out, view_, out.GetDataType());
  add_cast(work_, *from.tensor, result.tensor());
  result.finish();
}

}  // namespace davsim::basic
