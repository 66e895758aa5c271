#include "aclnn_add_custom.h"

#include "aclnn_kernels/cast.h"
#include "aclnn_kernels/common/op_error_check.h"
#include "aclnn_kernels/contiguous.h"
#include "aclnn_kernels/reshape.h"
#include "add_custom.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/tensor_view_utils.h"

using namespace op;

#ifdef __cplusplus
extern "C" {
#endif

extern aclnnStatus aclnnInnerAddCustomGetWorkspaceSize(const aclTensor* x, const aclTensor* y,
                                                       double alpha, const aclTensor* out,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);
extern aclnnStatus aclnnInnerAddCustom(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

extern "C" uint64_t NnopbaseMsprofSysTime();
extern "C" void NnopbaseReportApiInfo(const uint64_t beginTime, NnopbaseDfxId& dfxId);

static const std::initializer_list<op::DataType> SUPPORTED = {
    DataType::DT_FLOAT16, DataType::DT_FLOAT, DataType::DT_INT32};

static bool CheckNotNull(const aclTensor* self, const aclTensor* other, const aclScalar* alpha,
                         const aclTensor* out) {
  OP_CHECK_NULL(self, return false);
  OP_CHECK_NULL(other, return false);
  OP_CHECK_NULL(alpha, return false);
  OP_CHECK_NULL(out, return false);
  return true;
}

static aclnnStatus CheckParams(const aclTensor* self, const aclTensor* other,
                               const aclScalar* alpha, const aclTensor* out) {
  CHECK_RET(CheckNotNull(self, other, alpha, out), ACLNN_ERR_PARAM_NULLPTR);
  OP_CHECK_DTYPE_NOT_SUPPORT(self, SUPPORTED, return ACLNN_ERR_PARAM_INVALID);
  OP_CHECK_DTYPE_NOT_SUPPORT(other, SUPPORTED, return ACLNN_ERR_PARAM_INVALID);
  OP_CHECK_MAX_DIM(self, 8, return ACLNN_ERR_PARAM_INVALID);
  op::Shape sizes;
  OP_CHECK_BROADCAST_AND_INFER_SHAPE(self, other, sizes, return ACLNN_ERR_PARAM_INVALID);
  OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(out, sizes, return ACLNN_ERR_PARAM_INVALID);
  OP_CHECK_RESULT_DTYPE_CAST_FAILED(PromoteType(self->GetDataType(), other->GetDataType()),
                                    out->GetDataType(), return ACLNN_ERR_PARAM_INVALID);
  return ACLNN_SUCCESS;
}

aclnnStatus aclnnAddCustomGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                           const aclScalar* alpha, const aclTensor* out,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  L2_DFX_PHASE_1(aclnnAddCustom, DFX_IN(self, other, alpha), DFX_OUT(out));
  auto uniqueExecutor = CREATE_EXECUTOR();
  CHECK_RET(uniqueExecutor.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
  auto ret = CheckParams(self, other, alpha, out);
  CHECK_RET(ret == ACLNN_SUCCESS, ret);
  if (self->IsEmpty()) {
    *workspaceSize = 0;
    uniqueExecutor.ReleaseTo(executor);
    return ACLNN_SUCCESS;
  }

  const auto type = PromoteType(self->GetDataType(), other->GetDataType()) == DataType::DT_FLOAT16
                        ? DataType::DT_FLOAT16
                        : DataType::DT_FLOAT;
  auto selfContiguous = l0op::Contiguous(self, uniqueExecutor.get());
  CHECK_RET(selfContiguous != nullptr, ACLNN_ERR_INNER_NULLPTR);
  auto selfCast = l0op::Cast(selfContiguous, type, uniqueExecutor.get());
  CHECK_RET(selfCast != nullptr, ACLNN_ERR_INNER_NULLPTR);
  auto otherContiguous = l0op::Contiguous(other, uniqueExecutor.get());
  CHECK_RET(otherContiguous != nullptr, ACLNN_ERR_INNER_NULLPTR);
  auto otherCast = l0op::Cast(otherContiguous, type, uniqueExecutor.get());
  CHECK_RET(otherCast != nullptr, ACLNN_ERR_INNER_NULLPTR);

  auto sum = l0op::AddCustom(selfCast, otherCast, alpha->ToFloat(), uniqueExecutor.get());
  CHECK_RET(sum != nullptr, ACLNN_ERR_INNER_NULLPTR);
  auto sumCast = l0op::Cast(sum, out->GetDataType(), uniqueExecutor.get());
  CHECK_RET(sumCast != nullptr, ACLNN_ERR_INNER_NULLPTR);
  CHECK_RET(l0op::ViewCopy(sumCast, out, uniqueExecutor.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);
  *workspaceSize = uniqueExecutor->GetWorkspaceSize();
  uniqueExecutor.ReleaseTo(executor);
  return ACLNN_SUCCESS;
}

aclnnStatus aclnnAddCustom(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                           aclrtStream stream) {
  L2_DFX_PHASE_2(aclnnAddCustom);
  return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnAddPlainGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                          double alpha, const aclTensor* out,
                                          uint64_t* workspaceSize, aclOpExecutor** executor) {
  const uint64_t timeStamp = NnopbaseMsprofSysTime();
  OP_CHECK_COMM_INPUT(workspaceSize, executor);
  OP_LOGD("the operator is called with alpha %f", alpha);
  aclnnStatus ret =
      aclnnInnerAddCustomGetWorkspaceSize(self, other, alpha, out, workspaceSize, executor);
  CHECK_RET_CODE(ret, "the generated function returns %d", ret);
  static NnopbaseDfxId dfxId = {0x60000, __func__, false};
  NnopbaseReportApiInfo(timeStamp, dfxId);
  return ACLNN_SUCCESS;
}

aclnnStatus aclnnAddPlain(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                          aclrtStream stream) {
  return aclnnInnerAddCustom(workspace, workspaceSize, executor, stream);
}

#ifdef __cplusplus
}
#endif
