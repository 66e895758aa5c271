// Functions of one tensor: functions/of_one.txt.
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
#include "aclnnop/aclnn_asin.h"
#include "aclnnop/aclnn_asinh.h"
#include "aclnnop/aclnn_atan.h"
#include "aclnnop/aclnn_atanh.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_cosh.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_sqrt.h"
#include "runtime/basic_operators/pointwise.hpp"

using namespace davsim::basic;

namespace {

aclnnStatus of_one(const char* function, PointwiseOp op, ResultType result, const aclTensor* self,
                   aclTensor* out, uint64_t* workspace_size, aclOpExecutor** executor) {
  return first_phase(function, workspace_size, executor, [&](WorkList& work) {
    add_pointwise(work, {.op = op, .operands = {{self, "self"}}, .out = out, .result = result});
  });
}

aclnnStatus in_place(const char* function, PointwiseOp op, ResultType result, aclTensor* self,
                     uint64_t* workspace_size, aclOpExecutor** executor) {
  return first_phase(function, workspace_size, executor, [&](WorkList& work) {
    add_pointwise(work, {.op = op,
                         .operands = {{self, "selfRef"}},
                         .out = self,
                         .out_name = "selfRef",
                         .result = result});
  });
}

}  // namespace

#define DAVSIM_OF_ONE(Name, op, result)                                                          \
  aclnnStatus aclnn##Name##GetWorkspaceSize(const aclTensor* self, aclTensor* out,               \
                                            uint64_t* workspaceSize, aclOpExecutor** executor) { \
    return of_one("aclnn" #Name, PointwiseOp::op, ResultType::result, self, out, workspaceSize,  \
                  executor);                                                                     \
  }
#define DAVSIM_IN_PLACE(Name, op, result)                                                       \
  DAVSIM_OF_ONE(Name, op, result)                                                               \
  aclnnStatus aclnnInplace##Name##GetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize, \
                                                   aclOpExecutor** executor) {                  \
    return in_place("aclnnInplace" #Name, PointwiseOp::op, ResultType::result, selfRef,         \
                    workspaceSize, executor);                                                   \
  }

DAVSIM_OF_ONE(Abs, kAbs, kPromoted)
DAVSIM_IN_PLACE(Acos, kAcos, kReal)
DAVSIM_IN_PLACE(Acosh, kAcosh, kReal)
DAVSIM_IN_PLACE(Asin, kAsin, kReal)
DAVSIM_IN_PLACE(Asinh, kAsinh, kReal)
DAVSIM_IN_PLACE(Atan, kAtan, kReal)
DAVSIM_IN_PLACE(Atanh, kAtanh, kReal)
DAVSIM_IN_PLACE(Ceil, kCeil, kPromoted)
DAVSIM_IN_PLACE(Cos, kCos, kReal)
DAVSIM_IN_PLACE(Cosh, kCosh, kReal)
DAVSIM_IN_PLACE(Erf, kErf, kReal)
DAVSIM_IN_PLACE(Exp, kExp, kReal)
DAVSIM_IN_PLACE(Log, kLog, kReal)
DAVSIM_IN_PLACE(Sqrt, kSqrt, kReal)

aclnnStatus aclnnSiluGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnSilu", workspaceSize, executor, [&](WorkList& work) {
    add_pointwise(work,
                  {.op = PointwiseOp::kSwish, .operands = {{self, "self"}}, .out = out, .a = 1});
  });
}

aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor* self, const aclDataType dtype,
                                      aclTensor* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
  return first_phase("aclnnCast", workspaceSize, executor, [&](WorkList& work) {
    required(self, "self");
    require_type(required(out, "out"), "out", {op::ToOpDataType(dtype)});
    add_cast(work, *self, *out);
  });
}
