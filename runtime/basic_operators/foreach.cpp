#include "runtime/basic_operators/foreach.hpp"

#include <cmath>

#include "runtime/basic_operators/moves.hpp"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {

using runtime::refuse_aclnn;

namespace {

struct NamedList {
  const aclTensorList* list;
  const char* name;
};

/// Lists of as many tensors. Throws ApiError(161001, 161002).
std::uint64_t length_of(std::initializer_list<NamedList> lists) {
  for (const NamedList& each : lists) runtime::require_aclnn(each.list, each.name);
  const NamedList& first = *lists.begin();
  for (const NamedList& each : lists) {
    if (each.list->Size() == first.list->Size()) continue;
    refuse_aclnn(std::string(each.name) + " has as many tensors as " + first.name + ", " +
                 std::to_string(first.list->Size()) + ", not " + std::to_string(each.list->Size()));
  }
  return first.list->Size();
}

const aclTensor& tensor_at(const NamedList& of, std::uint64_t i) {
  return required((*of.list)[i], of.name);
}

/// The type that a tensor is computed in: float, or int32 for whole numbers.
DataType type_for(const aclTensor& x, const char* name) {
  require_type(x, name, {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT32});
  return x.GetDataType() == ge::DT_INT32 ? ge::DT_INT32 : ge::DT_FLOAT;
}

/// The result of each tensor has its shape and its type.
void require_like(const aclTensor& out, const aclTensor& x, const char* name) {
  require_type(out, name, {x.GetDataType()});
  require_shape(out, name, x.GetViewShape());
}

/// Calls `body` with a formula, the place and the result of each tensor that has elements.
template <class Body>
void for_each_tensor(WorkList& work, const NamedList& x, const aclTensorList* out,
                     const Body& body) {
  const std::uint64_t count = length_of({x, {out, "out"}});
  for (std::uint64_t i = 0; i < count; ++i) {
    const aclTensor &from = tensor_at(x, i), &to = tensor_at({out, "out"}, i);
    Formula formula(work, type_for(from, x.name));
    require_like(to, from, "out");
    if (!to.IsEmpty()) body(formula, i, to);
  }
}

/// A tensor with an element for each tensor of a list: the element i.
Operand number_at_place(WorkList& work, const aclTensor& tensor, std::uint64_t i,
                        const char* name) {
  return {tensor_of(work, narrowed(flat(work, tensor), 0, static_cast<std::int64_t>(i), 1)), name};
}

Operand operand_at(const NamedList& of, std::uint64_t i) {
  return {&tensor_at(of, i), of.name};
}

/// The second tensor has the shape of the first one.
Operand second_at(const aclTensorList* x1, const NamedList& x2, std::uint64_t i) {
  require_like(tensor_at(x2, i), tensor_at({x1, "x1"}, i), x2.name);
  return operand_at(x2, i);
}

void add_sum_of_three(Formula& f, PointwiseOp op, const SumOfThree& of, std::uint64_t i,
                      const Operand& number, const aclTensor& to) {
  if (op == PointwiseOp::kDiv) require_kernel_float(to, "x1");
  const Operand part =
      f.of(op, second_at(of.x1, {of.x2, "x2"}, i), second_at(of.x1, {of.x3, "x3"}, i));
  f.finish(f.more_product(operand_at({of.x1, "x1"}, i), part, number), to);
}

}  // namespace

Operand one_number(WorkList& work, const aclTensor* tensor, const char* name) {
  require_one_element(required(tensor, name), name);
  return {reshaped(work, *as(work, *tensor, tensor->GetDataType()), {1}), name};
}

void each_of_one(WorkList& work, PointwiseOp op, const aclTensorList* x, const aclTensorList* out) {
  const bool of_whole = op == PointwiseOp::kAbs || op == PointwiseOp::kNeg;
  for_each_tensor(work, {x, "x"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    if (!of_whole) require_kernel_float(to, "x");
    f.finish(f.of(op, operand_at({x, "x"}, i)), to);
  });
}

void each_with(WorkList& work, const OfPair& call, const aclTensorList* x, const Operand& number,
               const aclTensorList* out) {
  const bool of_reals = call.op == PointwiseOp::kDiv || call.op == PointwiseOp::kPow;
  for_each_tensor(work, {x, "x"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    if (of_reals) require_kernel_float(to, "x");
    f.finish(f.of(call.op, operand_at({x, "x"}, i), number, call.a), to);
  });
}

void each_with_numbers(WorkList& work, const OfPair& call, const aclTensorList* x,
                       const aclScalarList* scalars, const aclTensorList* out) {
  const bool of_reals = call.op == PointwiseOp::kDiv || call.op == PointwiseOp::kPow;
  const std::uint64_t count = length_of({{x, "x"}});
  runtime::require_aclnn(scalars, "scalars");
  if (scalars->Size() != count) {
    refuse_aclnn("scalars has as many numbers as x tensors, " + std::to_string(count) + ", not " +
                 std::to_string(scalars->Size()));
  }
  for_each_tensor(work, {x, "x"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    if (of_reals) require_kernel_float(to, "x");
    f.finish(f.of(call.op, operand_at({x, "x"}, i), {(*scalars)[i], "scalars"}, call.a), to);
  });
}

void each_of_two(WorkList& work, const OfPair& call, const aclTensorList* x1,
                 const aclTensorList* x2, const aclTensorList* out) {
  const bool of_reals = call.op == PointwiseOp::kDiv || call.op == PointwiseOp::kPow;
  length_of({{x1, "x1"}, {x2, "x2"}});
  for_each_tensor(work, {x1, "x1"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    if (of_reals) require_kernel_float(to, "x1");
    f.finish(f.of(call.op, operand_at({x1, "x1"}, i), second_at(x1, {x2, "x2"}, i), call.a), to);
  });
}

void each_scaled(WorkList& work, const aclTensorList* x1, const aclTensorList* x2,
                 const Operand& alpha, double sign, const aclTensorList* out) {
  length_of({{x1, "x1"}, {x2, "x2"}});
  for_each_tensor(work, {x1, "x1"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    const Operand second = second_at(x1, {x2, "x2"}, i);
    f.finish(f.more_product(operand_at({x1, "x1"}, i), second, alpha, sign), to);
  });
}

void each_power_of(WorkList& work, const aclScalar* scalar, const aclTensorList* x,
                   const aclTensorList* out) {
  const Operand base(scalar, "scalar");
  for_each_tensor(work, {x, "x"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    require_kernel_float(to, "x");
    f.finish(f.of(PointwiseOp::kPow, base, operand_at({x, "x"}, i)), to);
  });
}

void each_of_three(WorkList& work, PointwiseOp op, const aclTensorList* x1, const aclTensorList* x2,
                   const Operand& third, const aclTensorList* out) {
  length_of({{x1, "x1"}, {x2, "x2"}});
  for_each_tensor(work, {x1, "x1"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    require_kernel_float(to, "x1");
    f.finish(f.of(op, operand_at({x1, "x1"}, i), second_at(x1, {x2, "x2"}, i), third), to);
  });
}

void each_lerp(WorkList& work, const aclTensorList* x1, const aclTensorList* x2,
               const aclTensorList* weights, const aclTensorList* out) {
  length_of({{x1, "x1"}, {x2, "x2"}, {weights, "weights"}});
  for_each_tensor(work, {x1, "x1"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    require_kernel_float(to, "x1");
    f.finish(f.of(PointwiseOp::kLerp, operand_at({x1, "x1"}, i), second_at(x1, {x2, "x2"}, i),
                  second_at(x1, {weights, "weights"}, i)),
             to);
  });
}

void each_sum(WorkList& work, PointwiseOp op, const SumOfThree& of, const Operand& number,
              const aclTensorList* out) {
  length_of({{of.x1, "x1"}, {of.x2, "x2"}, {of.x3, "x3"}});
  for_each_tensor(work, {of.x1, "x1"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    add_sum_of_three(f, op, of, i, number, to);
  });
}

void each_sum_with_numbers(WorkList& work, PointwiseOp op, const SumOfThree& of,
                           const aclTensor* scalars, const aclTensorList* out) {
  const std::uint64_t count = length_of({{of.x1, "x1"}, {of.x2, "x2"}, {of.x3, "x3"}});
  if (static_cast<std::uint64_t>(required(scalars, "scalars").Numel()) != count) {
    refuse_aclnn("scalars has an element for each tensor of x1, " + std::to_string(count) +
                 ", not the shape " + text(scalars->GetViewShape()));
  }
  for_each_tensor(work, {of.x1, "x1"}, out, [&](Formula& f, std::uint64_t i, const aclTensor& to) {
    add_sum_of_three(f, op, of, i, number_at_place(work, *scalars, i, "scalars"), to);
  });
}

void each_norm(WorkList& work, const aclTensorList* x, double p, const aclTensorList* out) {
  if (p != 1 && p != 2 && !(std::isinf(p) && p > 0)) {
    refuse_aclnn("scalar is 1, 2 or infinite, not " + std::to_string(p));
  }
  const std::uint64_t count = length_of({{x, "x"}, {out, "out"}});
  for (std::uint64_t i = 0; i < count; ++i) {
    const aclTensor &from = tensor_at({x, "x"}, i), &to = tensor_at({out, "out"}, i);
    require_kernel_float(from, "x");
    require_kernel_float(to, "out");
    require_one_element(to, "out");
    if (from.IsEmpty()) {
      add_fill(work, to, 0);
      continue;
    }
    Formula f(work);
    Reduction reduction{.map = p == 2 ? ReduceMap::kSquare : ReduceMap::kAbs};
    if (std::isinf(p)) reduction.op = Arithmetic::kMax;
    const aclTensor* const rows = rows_to_reduce(work, from, rows_along_all(from), ge::DT_FLOAT);
    const Operand sum(reduced(work, *rows, reduction, ge::DT_FLOAT), "x");
    f.finish(p == 2 ? f.of(PointwiseOp::kSqrt, sum) : sum, to);
  }
}

void each_copy(WorkList& work, const aclTensorList* x, const aclTensorList* out) {
  const std::uint64_t count = length_of({{x, "x"}, {out, "out"}});
  for (std::uint64_t i = 0; i < count; ++i) {
    const aclTensor &from = tensor_at({x, "x"}, i), &to = tensor_at({out, "out"}, i);
    require_shape(to, "out", from.GetViewShape());
    require_conversion(from, to, "x");
    if (!to.IsEmpty()) add_move(work, to, view_of(from), "x");
  }
}

void each_zero(WorkList& work, const aclTensorList* x) {
  const std::uint64_t count = length_of({{x, "x"}});
  Moves moves(work);
  for (std::uint64_t i = 0; i < count; ++i) {
    const aclTensor& tensor = tensor_at({x, "x"}, i);
    require_movable(tensor, "x");
    moves.fill(view_of(tensor), 0);
  }
  moves.finish();
}

void unscale(WorkList& work, const aclTensorList* gradients, const aclTensor* found,
             const aclTensor* scale) {
  const std::uint64_t count = length_of({{gradients, "scaledGrads"}});
  require_type(required(found, "foundInf"), "foundInf", {ge::DT_FLOAT});
  require_one_element(*found, "foundInf");
  require_type(required(scale, "invScale"), "invScale", {ge::DT_FLOAT});
  const Operand factor = one_number(work, scale, "invScale");
  Formula f(work);
  Operand worst(reshaped(work, *as(work, *found, ge::DT_FLOAT), {1}), "foundInf");
  for (std::uint64_t i = 0; i < count; ++i) {
    const aclTensor& gradient = tensor_at({gradients, "scaledGrads"}, i);
    require_kernel_float(gradient, "scaledGrads");
    if (gradient.IsEmpty()) continue;
    const Operand of(&gradient, "scaledGrads");
    const Operand finite = f.of(PointwiseOp::kIsFinite, of);
    const aclTensor* const row = reshaped(work, *finite.tensor, {1, gradient.Numel()});
    const Operand all(reduced(work, *row, {.op = Arithmetic::kMin}, ge::DT_FLOAT), "scaledGrads");
    worst = f.of(PointwiseOp::kMaximum, worst, f.more(Operand(1.0), all, -1));
    f.finish(f.times(of, factor), gradient);
  }
  f.finish(worst, *found);
}

}  // namespace davsim::basic
