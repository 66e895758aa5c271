// Steps for each tensor of a list, of which functions with Foreach in their name consist. All lists
// of a call have as many tensors, and a result has the shape and the type of its first operand.
// They throw ApiError(161001, 161002) otherwise.
#pragma once

#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/pairs.hpp"

namespace davsim::basic {

/// What is added to: x1 + number * (x2 op x3).
struct SumOfThree {
  const aclTensorList *x1, *x2, *x3;
};

/// A tensor with one element, as an operand that is repeated.
Operand one_number(WorkList& work, const aclTensor* tensor, const char* name);
void each_of_one(WorkList& work, PointwiseOp op, const aclTensorList* x, const aclTensorList* out);
/// out = op(x, number)
void each_with(WorkList& work, const OfPair& call, const aclTensorList* x, const Operand& number,
               const aclTensorList* out);
void each_with_numbers(WorkList& work, const OfPair& call, const aclTensorList* x,
                       const aclScalarList* scalars, const aclTensorList* out);
void each_of_two(WorkList& work, const OfPair& call, const aclTensorList* x1,
                 const aclTensorList* x2, const aclTensorList* out);
/// out = x1 + sign * alpha * x2
void each_scaled(WorkList& work, const aclTensorList* x1, const aclTensorList* x2,
                 const Operand& alpha, double sign, const aclTensorList* out);
void each_power_of(WorkList& work, const aclScalar* scalar, const aclTensorList* x,
                   const aclTensorList* out);
void each_of_three(WorkList& work, PointwiseOp op, const aclTensorList* x1, const aclTensorList* x2,
                   const Operand& third, const aclTensorList* out);
void each_lerp(WorkList& work, const aclTensorList* x1, const aclTensorList* x2,
               const aclTensorList* weights, const aclTensorList* out);
void each_sum(WorkList& work, PointwiseOp op, const SumOfThree& of, const Operand& number,
              const aclTensorList* out);
void each_sum_with_numbers(WorkList& work, PointwiseOp op, const SumOfThree& of,
                           const aclTensor* scalars, const aclTensorList* out);
void each_norm(WorkList& work, const aclTensorList* x, double p, const aclTensorList* out);
void each_copy(WorkList& work, const aclTensorList* x, const aclTensorList* out);
void each_zero(WorkList& work, const aclTensorList* x);
/// The gradients times a number; `found` becomes 1 if one of them was not finite, and stays else.
void unscale(WorkList& work, const aclTensorList* gradients, const aclTensor* found,
             const aclTensor* scale);

}  // namespace davsim::basic
