// Functions of two and three tensors or numbers: functions/of_pairs.txt.
#include "aclnnop/aclnn_add.h"
#include "runtime/basic_operators/pointwise.hpp"

using namespace davsim::basic;

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                     const aclScalar* alpha, aclTensor* out,
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnAdd", workspaceSize, executor, [&](WorkList& work) {
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{self, "self"}, {other, "other"}},
                         .out = out,
                         .a = required(alpha, "alpha").number()});
  });
}

aclnnStatus aclnnInplaceAddGetWorkspaceSize(aclTensor* selfRef, const aclTensor* other,
                                            const aclScalar* alpha, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return first_phase("aclnnInplaceAdd", workspaceSize, executor, [&](WorkList& work) {
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{selfRef, "selfRef"}, {other, "other"}},
                         .out = selfRef,
                         .out_name = "selfRef",
                         .a = required(alpha, "alpha").number()});
  });
}

aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor* self, const aclScalar* other,
                                      const aclScalar* alpha, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnAdds", workspaceSize, executor, [&](WorkList& work) {
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{self, "self"}, {other, "other"}},
                         .out = out,
                         .a = required(alpha, "alpha").number()});
  });
}
