#include "aclnn_add_custom.h"
#include "aclnn_kernels/common/op_error_check.h"
#include "aclnn_kernels/contiguous.h"
#include "aclnn_kernels/pad.h"
#include "aclnn_kernels/reshape.h"
#include "aclnn_kernels/transdata.h"
#include "aclnn_kernels/transpose.h"
#include "add_custom.h"
#include "opdev/aicpu/aicpu_task.h"
#include "opdev/fast_vector.h"
#include "opdev/format_utils.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/platform.h"
#include "slice.h"  // by its shorter name

using namespace op;

namespace {

/// `other` from row `by` on, with as many rows of zeros behind.
const aclTensor* Shifted(const aclTensor* other, int64_t by, aclOpExecutor* executor) {
  const FVector<int64_t, 2> offsets = {by, 0};
  const FVector<int64_t, 2> sizes = {-1, -1};
  auto part = l0op::Slice(other, executor->AllocIntArray(offsets.data(), offsets.size()),
                          executor->AllocIntArray(sizes.data(), sizes.size()), executor);
  CHECK_RET(part != nullptr, nullptr);
  const ShapeVector around({0, by, 0, 0});
  auto paddings = executor->ConvertToTensor(executor->AllocIntArray(around.data(), around.size()),
                                            DataType::DT_INT64);
  CHECK_RET(paddings != nullptr, nullptr);
  return l0op::Pad(part, paddings, executor);
}

}  // namespace

extern "C" aclnnStatus aclnnAddShiftedGetWorkspaceSize(const aclTensor* self,
                                                       const aclTensor* other, int64_t by,
                                                       aclTensor* out, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor) {
  L2_DFX_PHASE_1(aclnnAddShifted, DFX_IN(self, other, by), DFX_OUT(out));
  OP_CHECK_WRONG_DIMENSION(self, 2, return ACLNN_ERR_PARAM_INVALID);
  if (GetCurrentPlatformInfo().GetSocVersion() == SocVersion::ASCEND310P) {
    return ACLNN_ERR_PARAM_INVALID;
  }
  if (by < 0) {
    static internal::AicpuTaskSpace space("AddShifted");
    return ADD_TO_LAUNCHER_LIST_AICPU(AddShifted, OP_ATTR_NAMES({"by"}), OP_INPUT(self, other),
                                      OP_OUTPUT(out), OP_ATTR(by));
  }
  auto owner = CREATE_EXECUTOR();
  auto shifted = Shifted(other, by, owner.get());
  CHECK_RET(shifted != nullptr, ACLNN_ERR_INNER_NULLPTR);
  // One dimension more and less, which changes nothing.
  auto cube = l0op::UnsqueezeNd(self, static_cast<int64_t>(0), owner.get());
  CHECK_RET(cube != nullptr && cube->GetViewShape().GetDimNum() == 3, ACLNN_ERR_INNER_NULLPTR);
  cube = l0op::SqueezeNd(l0op::ReFormat(cube, Format::FORMAT_ND), static_cast<int64_t>(0),
                         owner.get());
  CHECK_RET(cube != nullptr, ACLNN_ERR_INNER_NULLPTR);
  auto sum = l0op::AddCustom(cube, shifted, 1.0f, owner.get());
  CHECK_RET(sum != nullptr, ACLNN_ERR_INNER_NULLPTR);
  const int64_t order[] = {1, 0};
  auto turned = l0op::Transpose(sum, owner->AllocIntArray(order, 2), owner.get());
  CHECK_RET(turned != nullptr, ACLNN_ERR_INNER_NULLPTR);
  CHECK_RET(l0op::ViewCopy(turned, out, owner.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);
  *workspaceSize = owner->GetWorkspaceSize();
  owner.ReleaseTo(executor);
  return ACLNN_SUCCESS;
}

extern "C" aclnnStatus aclnnAddShifted(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  L2_DFX_PHASE_2(aclnnAddShifted);
  return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
