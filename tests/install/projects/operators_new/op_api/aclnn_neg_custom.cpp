// The functions of NegCustom, written by hand in place of the generated ones.
#include "aclnn_neg_custom.h"

#include "aclnn/opdev/platform.h"
#include "aclnnInner_neg_custom.h"
#include "aclnn_kernels/common/op_error_check.h"
#include "aclnn_kernels/contiguous.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"

namespace l0op {

OP_TYPE_REGISTER(NegCustom);

static const aclTensor* Negated(const aclTensor* x, aclOpExecutor* executor) {
  L0_DFX(Negated, x);
  const aclTensor* y = executor->AllocTensor(x->GetViewShape(), x->GetDataType());
  const auto status = ADD_TO_LAUNCHER_LIST_AICORE(NegCustom, OP_INPUT(x), OP_OUTPUT(y));
  return status == ACLNN_SUCCESS ? y : nullptr;
}

}  // namespace l0op

aclnnStatus aclnnNegCustomGetWorkspaceSize(const aclTensor* x, const aclTensor* out,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  L2_DFX_PHASE_1(aclnnNegCustom, DFX_IN(x), DFX_OUT(out));
  OP_CHECK_DTYPE_NOT_SAME(x, out, return ACLNN_ERR_PARAM_INVALID);
  auto owner = CREATE_EXECUTOR();
  const aclTensor* y = l0op::Negated(l0op::Contiguous(x, owner.get()), owner.get());
  CHECK_RET(y != nullptr, ACLNN_ERR_INNER_NULLPTR);
  CHECK_RET(l0op::ViewCopy(y, out, owner.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);
  *workspaceSize = owner->GetWorkspaceSize();
  owner.ReleaseTo(executor);
  return ACLNN_SUCCESS;
}

aclnnStatus aclnnNegCustom(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                           aclrtStream stream) {
  L2_DFX_PHASE_2(aclnnNegCustom);
  return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
