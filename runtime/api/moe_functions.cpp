// The functions of the operators of experts that are spread over devices.
#include <string>

#include "aclnnop/aclnn_moe_distribute_combine.h"
#include "aclnnop/aclnn_moe_distribute_combine_v2.h"
#include "aclnnop/aclnn_moe_distribute_dispatch.h"
#include "aclnnop/aclnn_moe_distribute_dispatch_v2.h"
#include "runtime/aclnn/system_call.hpp"

using namespace davsim::runtime;

namespace {

using Role = SystemTensor::Role;

std::string text(const char* value) {
  return value == nullptr ? "" : value;
}

/// What says which experts are where.
struct Experts {
  const char* ep;
  std::int64_t ep_world, ep_rank, experts;
  const char* tp;
  std::int64_t tp_world, tp_rank, shard_type, shared, shared_ranks, global_bs;
};

SystemArguments arguments(const char* name, const Experts& of) {
  SystemArguments all;
  all.name = name;
  all.group = text(of.ep);
  all.groups_of = of.tp_world == 2 ? 2 : 1;
  all.attributes = {{"group_ep", text(of.ep)},        {"ep_world_size", of.ep_world},
                    {"ep_rank_id", of.ep_rank},       {"moe_expert_num", of.experts},
                    {"group_tp", text(of.tp)},        {"tp_world_size", of.tp_world},
                    {"tp_rank_id", of.tp_rank},       {"expert_shard_type", of.shard_type},
                    {"shared_expert_num", of.shared}, {"shared_expert_rank_num", of.shared_ranks},
                    {"global_bs", of.global_bs}};
  return all;
}

}  // namespace

aclnnStatus aclnnMoeDistributeDispatchGetWorkspaceSize(
    const aclTensor* x, const aclTensor* expertIds, const aclTensor* scalesOptional,
    const aclTensor* xActiveMaskOptional, const aclTensor* expertScalesOptional,
    const char* groupEp, int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum,
    const char* groupTp, int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType,
    int64_t sharedExpertNum, int64_t sharedExpertRankNum, int64_t quantMode, int64_t globalBs,
    int64_t expertTokenNumsType, aclTensor* expandXOut, aclTensor* dynamicScalesOut,
    aclTensor* expandIdxOut, aclTensor* expertTokenNumsOut, aclTensor* epRecvCountsOut,
    aclTensor* tpRecvCountsOut, aclTensor* expandScalesOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  SystemArguments all =
      arguments("npu_moe_distribute_dispatch",
                {groupEp, epWorldSize, epRankId, moeExpertNum, groupTp, tpWorldSize, tpRankId,
                 expertShardType, sharedExpertNum, sharedExpertRankNum, globalBs});
  all.tensors = {
      {"x", "x", x, Role::kInput},
      {"expertIds", "expert_ids", expertIds, Role::kInput},
      {"scalesOptional", "scales", scalesOptional, Role::kOptionalInput},
      {"xActiveMaskOptional", "x_active_mask", xActiveMaskOptional, Role::kOptionalInput},
      {"expertScalesOptional", "expert_scales", expertScalesOptional, Role::kOptionalInput},
      {"expandXOut", "expand_x", expandXOut, Role::kOutput},
      {"dynamicScalesOut", "dynamic_scales", dynamicScalesOut, Role::kOptionalOutput},
      {"expandIdxOut", "expand_idx", expandIdxOut, Role::kOutput},
      {"expertTokenNumsOut", "expert_token_nums", expertTokenNumsOut, Role::kOutput},
      {"epRecvCountsOut", "ep_recv_counts", epRecvCountsOut, Role::kOutput},
      {"tpRecvCountsOut", "tp_recv_counts", tpRecvCountsOut, Role::kOptionalOutput},
      {"expandScalesOut", "expand_scales", expandScalesOut, Role::kOptionalOutput}};
  all.attributes["quant_mode"] = quantMode;
  all.attributes["expert_token_nums_type"] = expertTokenNumsType;
  return prepare_system_call("aclnnMoeDistributeDispatch", all, workspaceSize, executor);
}

aclnnStatus aclnnMoeDistributeDispatch(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  return run_system_call("aclnnMoeDistributeDispatch", "npu_moe_distribute_dispatch", workspace,
                         workspaceSize, executor, stream);
}

aclnnStatus aclnnMoeDistributeDispatchV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* expertIds, const aclTensor* scalesOptional,
    const aclTensor* xActiveMaskOptional, const aclTensor* expertScalesOptional,
    const char* groupEp, int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum,
    const char* groupTp, int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType,
    int64_t sharedExpertNum, int64_t sharedExpertRankNum, int64_t quantMode, int64_t globalBs,
    int64_t expertTokenNumsType, const char* commAlg, aclTensor* expandXOut,
    aclTensor* dynamicScalesOut, aclTensor* assistInfoForCombineOut, aclTensor* expertTokenNumsOut,
    aclTensor* epRecvCountsOut, aclTensor* tpRecvCountsOut, aclTensor* expandScalesOut,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  SystemArguments all =
      arguments("npu_moe_distribute_dispatch_v2",
                {groupEp, epWorldSize, epRankId, moeExpertNum, groupTp, tpWorldSize, tpRankId,
                 expertShardType, sharedExpertNum, sharedExpertRankNum, globalBs});
  all.tensors = {
      {"x", "x", x, Role::kInput},
      {"expertIds", "expert_ids", expertIds, Role::kInput},
      {"scalesOptional", "scales", scalesOptional, Role::kOptionalInput},
      {"xActiveMaskOptional", "x_active_mask", xActiveMaskOptional, Role::kOptionalInput},
      {"expertScalesOptional", "expert_scales", expertScalesOptional, Role::kOptionalInput},
      {"expandXOut", "expand_x", expandXOut, Role::kOutput},
      {"dynamicScalesOut", "dynamic_scales", dynamicScalesOut, Role::kOptionalOutput},
      {"assistInfoForCombineOut", "assist_info_for_combine", assistInfoForCombineOut,
       Role::kOutput},
      {"expertTokenNumsOut", "expert_token_nums", expertTokenNumsOut, Role::kOutput},
      {"epRecvCountsOut", "ep_recv_counts", epRecvCountsOut, Role::kOutput},
      {"tpRecvCountsOut", "tp_recv_counts", tpRecvCountsOut, Role::kOptionalOutput},
      {"expandScalesOut", "expand_scales", expandScalesOut, Role::kOptionalOutput}};
  all.attributes["quant_mode"] = quantMode;
  all.attributes["expert_token_nums_type"] = expertTokenNumsType;
  all.attributes["comm_alg"] = text(commAlg);
  return prepare_system_call("aclnnMoeDistributeDispatchV2", all, workspaceSize, executor);
}

aclnnStatus aclnnMoeDistributeDispatchV2(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return run_system_call("aclnnMoeDistributeDispatchV2", "npu_moe_distribute_dispatch_v2",
                         workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnMoeDistributeCombineGetWorkspaceSize(
    const aclTensor* expandX, const aclTensor* expertIds, const aclTensor* expandIdx,
    const aclTensor* epSendCounts, const aclTensor* expertScales,
    const aclTensor* tpSendCountsOptional, const aclTensor* xActiveMaskOptional,
    const aclTensor* activationScaleOptional, const aclTensor* weightScaleOptional,
    const aclTensor* groupListOptional, const aclTensor* expandScalesOptional, const char* groupEp,
    int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum, const char* groupTp,
    int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType, int64_t sharedExpertNum,
    int64_t sharedExpertRankNum, int64_t globalBs, int64_t outDtype, int64_t commQuantMode,
    int64_t groupListType, aclTensor* xOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  SystemArguments all =
      arguments("npu_moe_distribute_combine",
                {groupEp, epWorldSize, epRankId, moeExpertNum, groupTp, tpWorldSize, tpRankId,
                 expertShardType, sharedExpertNum, sharedExpertRankNum, globalBs});
  all.tensors = {
      {"expandX", "expand_x", expandX, Role::kInput},
      {"expertIds", "expert_ids", expertIds, Role::kInput},
      {"expandIdx", "expand_idx", expandIdx, Role::kInput},
      {"epSendCounts", "ep_send_counts", epSendCounts, Role::kInput},
      {"expertScales", "expert_scales", expertScales, Role::kInput},
      {"tpSendCountsOptional", "tp_send_counts", tpSendCountsOptional, Role::kOptionalInput},
      {"xActiveMaskOptional", "x_active_mask", xActiveMaskOptional, Role::kOptionalInput},
      {"activationScaleOptional", "activation_scale", activationScaleOptional,
       Role::kOptionalInput},
      {"weightScaleOptional", "weight_scale", weightScaleOptional, Role::kOptionalInput},
      {"groupListOptional", "group_list", groupListOptional, Role::kOptionalInput},
      {"expandScalesOptional", "expand_scales", expandScalesOptional, Role::kOptionalInput},
      {"xOut", "x", xOut, Role::kOutput}};
  all.attributes["comm_quant_mode"] = commQuantMode;
  all.attributes["out_dtype"] = outDtype;
  all.attributes["group_list_type"] = groupListType;
  return prepare_system_call("aclnnMoeDistributeCombine", all, workspaceSize, executor);
}

aclnnStatus aclnnMoeDistributeCombine(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return run_system_call("aclnnMoeDistributeCombine", "npu_moe_distribute_combine", workspace,
                         workspaceSize, executor, stream);
}

aclnnStatus aclnnMoeDistributeCombineV2GetWorkspaceSize(
    const aclTensor* expandX, const aclTensor* expertIds, const aclTensor* assistInfoForCombine,
    const aclTensor* epSendCounts, const aclTensor* expertScales,
    const aclTensor* tpSendCountsOptional, const aclTensor* xActiveMaskOptional,
    const aclTensor* activationScaleOptional, const aclTensor* weightScaleOptional,
    const aclTensor* groupListOptional, const aclTensor* expandScalesOptional,
    const aclTensor* sharedExpertXOptional, const char* groupEp, int64_t epWorldSize,
    int64_t epRankId, int64_t moeExpertNum, const char* groupTp, int64_t tpWorldSize,
    int64_t tpRankId, int64_t expertShardType, int64_t sharedExpertNum, int64_t sharedExpertRankNum,
    int64_t globalBs, int64_t outDtype, int64_t commQuantMode, int64_t groupListType,
    const char* commAlg, aclTensor* xOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  SystemArguments all =
      arguments("npu_moe_distribute_combine_v2",
                {groupEp, epWorldSize, epRankId, moeExpertNum, groupTp, tpWorldSize, tpRankId,
                 expertShardType, sharedExpertNum, sharedExpertRankNum, globalBs});
  all.tensors = {
      {"expandX", "expand_x", expandX, Role::kInput},
      {"expertIds", "expert_ids", expertIds, Role::kInput},
      {"assistInfoForCombine", "assist_info_for_combine", assistInfoForCombine, Role::kInput},
      {"epSendCounts", "ep_send_counts", epSendCounts, Role::kInput},
      {"expertScales", "expert_scales", expertScales, Role::kInput},
      {"tpSendCountsOptional", "tp_send_counts", tpSendCountsOptional, Role::kOptionalInput},
      {"xActiveMaskOptional", "x_active_mask", xActiveMaskOptional, Role::kOptionalInput},
      {"activationScaleOptional", "activation_scale", activationScaleOptional,
       Role::kOptionalInput},
      {"weightScaleOptional", "weight_scale", weightScaleOptional, Role::kOptionalInput},
      {"groupListOptional", "group_list", groupListOptional, Role::kOptionalInput},
      {"expandScalesOptional", "expand_scales", expandScalesOptional, Role::kOptionalInput},
      {"sharedExpertXOptional", "shared_expert_x", sharedExpertXOptional, Role::kOptionalInput},
      {"xOut", "x", xOut, Role::kOutput}};
  all.attributes["comm_quant_mode"] = commQuantMode;
  // Reserved: the documentation lets them have any value.
  static_cast<void>(outDtype), static_cast<void>(groupListType);
  all.attributes["comm_alg"] = text(commAlg);
  return prepare_system_call("aclnnMoeDistributeCombineV2", all, workspaceSize, executor);
}

aclnnStatus aclnnMoeDistributeCombineV2(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return run_system_call("aclnnMoeDistributeCombineV2", "npu_moe_distribute_combine_v2", workspace,
                         workspaceSize, executor, stream);
}
