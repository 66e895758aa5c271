// What functions of two operands have in common.
#pragma once

#include "runtime/basic_operators/pointwise.hpp"

namespace davsim::basic {

struct OfPair {
  PointwiseOp op;
  ResultType result = ResultType::kPromoted;
  double a = 0;
};

/// out = op(x, y). A function in place has its first operand as its result.
void add_pair(WorkList& work, const OfPair& call, const Operand& x, const Operand& y,
              const aclTensor* out);
/// The same of three operands.
void add_triple(WorkList& work, const OfPair& call, const Operand& x, const Operand& y,
                const Operand& z, const aclTensor* out);

}  // namespace davsim::basic
