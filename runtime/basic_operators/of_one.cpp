#include "runtime/basic_operators/of_one.hpp"

namespace davsim::basic {

void add_one(WorkList& work, const OfOne& call, const aclTensor* self, const aclTensor* out,
             const char* self_name, const char* out_name) {
  add_pointwise(work, {.op = call.op,
                       .operands = {{self, self_name}},
                       .out = out,
                       .out_name = out_name,
                       .result = call.result,
                       .a = call.a,
                       .b = call.b,
                       .c = call.c});
}

}  // namespace davsim::basic
