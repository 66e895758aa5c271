// Contexts and windows of communicators, and calls by the name of a group.
#include <string>

#include "runtime/api/hccl_call.hpp"

using namespace davsim::runtime;

namespace {

const davsim::sim::Communicator& communicator(const CommunicatorRank& rank) {
  return *Simulator::instance().communicators()->named(rank.name);
}

CommunicatorRank& rank_of_group(const char* group) {
  CommunicatorRank* const rank = HostCommunicators::instance().named(group, own_device());
  if (rank != nullptr) return *rank;
  throw ApiError(ACL_ERROR_INVALID_PARAM, "there is no communicator '" + std::string(group) +
                                              "' with a rank on this thread's device");
}

}  // namespace

HcclResult HcclAllocComResourceByTiling(HcclComm comm, void*, void* mc2Tiling, void** commContext) {
  if (null("HcclAllocComResourceByTiling", {comm, mc2Tiling, commContext})) return HCCL_E_PTR;
  return HcclAllocComResource(comm, 0, commContext);
}

HcclResult HcclAllocComResource(HcclComm comm, uint32_t, void** commContext) {
  if (null("HcclAllocComResource", {comm, commContext})) return HCCL_E_PTR;
  return hccl_call("HcclAllocComResource", [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    *commContext = reinterpret_cast<void*>(communicator(rank).contexts[rank.rank]);
  });
}

HcclResult HcclCreateComResource(const char* commName, uint32_t, void** commContext) {
  if (null("HcclCreateComResource", {commName, commContext})) return HCCL_E_PTR;
  return hccl_call("HcclCreateComResource", [&] {
    const CommunicatorRank& rank = rank_of_group(commName);
    *commContext = reinterpret_cast<void*>(communicator(rank).contexts[rank.rank]);
  });
}

HcclResult HcclGetRemoteIpcHcclBuf(HcclComm comm, uint64_t remoteRank, void** addr,
                                   uint64_t* size) {
  if (null("HcclGetRemoteIpcHcclBuf", {comm, addr, size})) return HCCL_E_PTR;
  return hccl_call("HcclGetRemoteIpcHcclBuf", [&] {
    const CommunicatorRank& own = HostCommunicators::instance().of(comm);
    const davsim::sim::Communicator& of = communicator(own);
    if (remoteRank >= of.dies.size()) {
      throw ApiError(ACL_ERROR_INVALID_PARAM, "remoteRank is " + std::to_string(remoteRank) +
                                                  ", ranks are 0 to " +
                                                  std::to_string(of.dies.size() - 1));
    }
    *addr = reinterpret_cast<void*>(of.windows_in[remoteRank]);
    *size = 2 * of.window_bytes;
  });
}

HcclResult HcclGetHcclBuffer(HcclComm comm, void** addr, uint64_t* size) {
  if (null("HcclGetHcclBuffer", {comm, addr, size})) return HCCL_E_PTR;
  uint32_t rank = 0;
  const HcclResult found = HcclGetRankId(comm, &rank);
  return found == HCCL_SUCCESS ? HcclGetRemoteIpcHcclBuf(comm, rank, addr, size) : found;
}

HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle) {
  if (null("HcomGetCommHandleByGroup", {group, commHandle})) return HCCL_E_PTR;
  return hccl_call("HcomGetCommHandleByGroup", [&] { *commHandle = &rank_of_group(group); });
}

HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm) {
  return HcomGetCommHandleByGroup(commName, comm);
}

HcclResult HcomGetL0TopoTypeEx(const char* group, uint32_t* topoType, uint32_t) {
  if (null("HcomGetL0TopoTypeEx", {group, topoType})) return HCCL_E_PTR;
  return hccl_call("HcomGetL0TopoTypeEx", [&] {
    rank_of_group(group);
    // A mesh has the context of an A2, everything else that of an A3.
    *topoType = Simulator::instance().soc().product() == "A2" ? 1 : 0;
  });
}

HcclResult HcomGetRankSize(const char* group, uint32_t* rankSize) {
  if (null("HcomGetRankSize", {group, rankSize})) return HCCL_E_PTR;
  return hccl_call("HcomGetRankSize",
                   [&] { *rankSize = static_cast<uint32_t>(rank_of_group(group).devices.size()); });
}

HcclResult HcomGetRankId(const char* group, uint32_t* rankId) {
  if (null("HcomGetRankId", {group, rankId})) return HCCL_E_PTR;
  return hccl_call("HcomGetRankId", [&] { *rankId = rank_of_group(group).rank; });
}
