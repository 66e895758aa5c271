#include "runtime/basic_operators/pairs.hpp"

namespace davsim::basic {
namespace {

void add_operands(WorkList& work, const OfPair& call, const std::vector<Operand>& operands,
                  const aclTensor* out) {
  const Operand& first = operands.front();
  add_pointwise(work, {.op = call.op,
                       .operands = operands,
                       .out = out,
                       .out_name = first.tensor == out ? first.name : "out",
                       .result = call.result,
                       .a = call.a});
}

}  // namespace

void add_pair(WorkList& work, const OfPair& call, const Operand& x, const Operand& y,
              const aclTensor* out) {
  add_operands(work, call, {x, y}, out);
}

void add_triple(WorkList& work, const OfPair& call, const Operand& x, const Operand& y,
                const Operand& z, const aclTensor* out) {
  add_operands(work, call, {x, y, z}, out);
}

}  // namespace davsim::basic
