// The functions of products with a collective operation.
#include <string>

#include "aclnnop/aclnn_all_gather_matmul.h"
#include "aclnnop/aclnn_matmul_all_reduce.h"
#include "aclnnop/aclnn_matmul_reduce_scatter.h"
#include "runtime/aclnn/executor.hpp"
#include "runtime/aclnn/system_call.hpp"

using namespace davsim::runtime;

namespace {

using Role = SystemTensor::Role;

SystemArguments arguments(const char* name, const char* group, std::int64_t turns) {
  SystemArguments all;
  all.name = name;
  all.group = group == nullptr ? "" : group;
  all.attributes = {{"hcom", all.group}, {"comm_turn", turns}};
  return all;
}

/// The first phase. Documented: stream mode 1 is the one there is.
aclnnStatus prepare(const char* function, const SystemArguments& all, std::int64_t stream_mode,
                    uint64_t* workspace_size, aclOpExecutor** executor) {
  if (stream_mode == 1) return prepare_system_call(function, all, workspace_size, executor);
  return phase(std::string(function) + "GetWorkspaceSize", [&] {
    throw ApiError(ACLNN_ERR_PARAM_INVALID,
                   "streamMode is 1, found " + std::to_string(stream_mode));
  });
}

}  // namespace

aclnnStatus aclnnMatmulAllReduceGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
                                                 const aclTensor* bias, const char* group,
                                                 const char* reduceOp, int64_t commTurn,
                                                 int64_t streamMode, const aclTensor* output,
                                                 uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  SystemArguments all = arguments("npu_mm_all_reduce_base", group, commTurn);
  all.tensors = {{"x1", "x1", x1, Role::kInput},
                 {"x2", "x2", x2, Role::kInput},
                 {"bias", "bias", bias, Role::kOptionalInput},
                 {"output", "y", output, Role::kOutput}};
  all.attributes["reduce_op"] = reduceOp == nullptr ? "" : reduceOp;
  return prepare("aclnnMatmulAllReduce", all, streamMode, workspaceSize, executor);
}

aclnnStatus aclnnMatmulAllReduce(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return run_system_call("aclnnMatmulAllReduce", "npu_mm_all_reduce_base", workspace, workspaceSize,
                         executor, stream);
}

aclnnStatus aclnnAllGatherMatmulGetWorkspaceSize(
    const aclTensor* x1, const aclTensor* x2, const aclTensor* bias, const char* group,
    int64_t gatherIndex, int64_t commTurn, int64_t streamMode, const aclTensor* output,
    const aclTensor* gatherOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  SystemArguments all = arguments("npu_all_gather_base_mm", group, commTurn);
  all.tensors = {{"x1", "input", x1, Role::kInput},
                 {"x2", "x2", x2, Role::kInput},
                 {"bias", "bias", bias, Role::kOptionalInput},
                 {"output", "output", output, Role::kOutput},
                 {"gatherOut", "gather_out", gatherOut, Role::kOptionalOutput}};
  all.attributes["gather_index"] = gatherIndex;
  all.attributes["gather_output"] = gatherOut != nullptr;
  return prepare("aclnnAllGatherMatmul", all, streamMode, workspaceSize, executor);
}

aclnnStatus aclnnAllGatherMatmul(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return run_system_call("aclnnAllGatherMatmul", "npu_all_gather_base_mm", workspace, workspaceSize,
                         executor, stream);
}

aclnnStatus aclnnMatmulReduceScatterGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
                                                     const aclTensor* bias, const char* group,
                                                     const char* reduceOp, int64_t commTurn,
                                                     int64_t streamMode, const aclTensor* output,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  SystemArguments all = arguments("npu_mm_reduce_scatter_base", group, commTurn);
  all.tensors = {{"x1", "input", x1, Role::kInput},
                 {"x2", "x2", x2, Role::kInput},
                 {"bias", "bias", bias, Role::kOptionalInput},
                 {"output", "output", output, Role::kOutput}};
  all.attributes["reduce_op"] = reduceOp == nullptr ? "" : reduceOp;
  return prepare("aclnnMatmulReduceScatter", all, streamMode, workspaceSize, executor);
}

aclnnStatus aclnnMatmulReduceScatter(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return run_system_call("aclnnMatmulReduceScatter", "npu_mm_reduce_scatter_base", workspace,
                         workspaceSize, executor, stream);
}
