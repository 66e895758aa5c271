#include "add_custom.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"

using namespace op;

namespace l0op {

OP_TYPE_REGISTER(AddCustom);

const aclTensor* AddCustom(const aclTensor* x, const aclTensor* y, float alpha,
                           aclOpExecutor* executor) {
  L0_DFX(AddCustom, x, y, alpha);
  auto* out =
      executor->AllocTensor(x->GetDataType(), x->GetStorageFormat(), x->GetOriginalFormat());
  CHECK_RET(out != nullptr, nullptr);
  auto ret = INFER_SHAPE(AddCustom, OP_INPUT(x, y), OP_OUTPUT(out), OP_ATTR(alpha));
  OP_CHECK_INFERSHAPE(ret != ACLNN_SUCCESS, return nullptr, "no shape of AddCustom");
  ret = ADD_TO_LAUNCHER_LIST_AICORE(AddCustom, OP_INPUT(x, y), OP_OUTPUT(out), OP_ATTR(alpha));
  OP_CHECK_ADD_TO_LAUNCHER_LIST_AICORE(ret != ACLNN_SUCCESS, return nullptr, "no launch of %s",
                                       "AddCustom");
  return out;
}

}  // namespace l0op
