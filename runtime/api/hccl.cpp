// Collective communication of host programs.
#include "hccl/hccl.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/api/hccl_call.hpp"

using namespace davsim::runtime;
using davsim::isa::Collective;
using davsim::isa::CollectiveKind;

namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

std::uint64_t window_bytes(const HcclCommConfig* config) {
  if (config != nullptr && config->hcclBufferSize != 0) return config->hcclBufferSize * kMegabyte;
  const char* const size = std::getenv("HCCL_BUFFSIZE");
  if (size == nullptr) return 0;
  const long megabytes = std::strtol(size, nullptr, 10);
  if (megabytes < 1) throw ApiError(ACL_ERROR_INVALID_PARAM, "HCCL_BUFFSIZE is at least 1 MB");
  return static_cast<std::uint64_t>(megabytes) * kMegabyte;
}

std::uint32_t own_device() {
  return static_cast<std::uint32_t>(Process::instance().context()->device);
}

const davsim::sim::Communicator& communicator(const CommunicatorRank& rank) {
  return *Simulator::instance().communicators()->named(rank.name);
}

CommunicatorRank& rank_of_group(const char* group) {
  CommunicatorRank* const rank = HostCommunicators::instance().named(group, own_device());
  if (rank != nullptr) return *rank;
  throw ApiError(ACL_ERROR_INVALID_PARAM, "there is no communicator '" + std::string(group) +
                                              "' with a rank on this thread's device");
}

HcclResult operate(const char* function, HcclComm comm, aclrtStream stream, Collective operation,
                   CollectiveKind kind, const void* send, const void* recv, HcclDataType type) {
  if (null(function, {comm, send, recv})) return HCCL_E_PTR;
  return hccl_call(function, [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    operation.kind = kind;
    operation.send = reinterpret_cast<std::uint64_t>(send);
    operation.recv = reinterpret_cast<std::uint64_t>(recv);
    operation.type = type;
    join(rank, stream, operation, {});
  });
}

Collective counted(std::uint64_t count) {
  Collective operation;
  operation.count = count;
  return operation;
}

}  // namespace

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  if (null("HcclCommInitAll", {devices, comms})) return HCCL_E_PTR;
  return hccl_call("HcclCommInitAll", [&] {
    std::vector<std::uint32_t> dies;
    for (uint32_t i = 0; i < ndev; ++i) {
      Process::require_device(devices[i]);
      dies.push_back(static_cast<std::uint32_t>(devices[i]));
    }
    const auto made = HostCommunicators::instance().create("", dies, window_bytes(nullptr));
    std::copy(made.begin(), made.end(), comms);
  });
}

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  if (null("HcclGetRootInfo", {rootInfo})) return HCCL_E_PTR;
  return hccl_call("HcclGetRootInfo", [&] {
    std::memset(rootInfo, 0, sizeof *rootInfo);
    const std::string name = HostCommunicators::instance().new_root();
    name.copy(rootInfo->internal, sizeof rootInfo->internal - 1);
  });
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  if (null("HcclCommInitRootInfo", {rootInfo, comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommInitRootInfo", [&] {
    const std::string name = config == nullptr ? "" : config->hcclCommName;
    const std::string root(rootInfo->internal,
                           strnlen(rootInfo->internal, sizeof rootInfo->internal));
    *comm = HostCommunicators::instance().join(root, nRanks, rank, own_device(), name,
                                               window_bytes(config));
  });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                HcclComm* comm) {
  return HcclCommInitRootInfoConfig(nRanks, rootInfo, rank, nullptr, comm);
}

HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm) {
  if (null("HcclCommInitClusterInfo", {clusterInfo, comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommInitClusterInfo", [&] {
    // The table of ranks names hosts and devices of a cluster; here it is the system's devices.
    const std::uint32_t ranks = Simulator::instance().devices();
    *comm = HostCommunicators::instance().join(std::string("table ") + clusterInfo, ranks, rank,
                                               own_device(), "", window_bytes(nullptr));
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  if (null("HcclCommDestroy", {comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommDestroy", [&] {
    CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    Simulator::instance().synchronise_all();
    HostCommunicators::instance().destroy(&rank);
  });
}

void HcclCommConfigInit(HcclCommConfig* config) {
  if (config != nullptr) *config = {};
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  if (null("HcclGetRankSize", {comm, rankSize})) return HCCL_E_PTR;
  return hccl_call("HcclGetRankSize", [&] {
    *rankSize = static_cast<uint32_t>(HostCommunicators::instance().of(comm).devices.size());
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  if (null("HcclGetRankId", {comm, rank})) return HCCL_E_PTR;
  return hccl_call("HcclGetRankId", [&] { *rank = HostCommunicators::instance().of(comm).rank; });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  if (null("HcclGetCommName", {comm, commName})) return HCCL_E_PTR;
  return hccl_call("HcclGetCommName", [&] {
    const std::string& name = HostCommunicators::instance().of(comm).name;
    commName[name.copy(commName, COMM_NAME_MAX_LENGTH - 1)] = '\0';
  });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  if (null("HcclGetCommAsyncError", {comm, asyncError})) return HCCL_E_PTR;
  return hccl_call("HcclGetCommAsyncError", [&] {
    HostCommunicators::instance().of(comm);
    *asyncError = Simulator::instance().failure() ? HCCL_E_REMOTE : HCCL_SUCCESS;
  });
}

const char* HcclGetErrorString(HcclResult code) {
  switch (code) {
    case HCCL_SUCCESS:
      return "no error";
    case HCCL_E_PARA:
      return "parameter error";
    case HCCL_E_PTR:
      return "empty pointer";
    case HCCL_E_MEMORY:
      return "memory error";
    case HCCL_E_NOT_SUPPORT:
      return "not supported";
    case HCCL_E_NOT_FOUND:
      return "not found";
    case HCCL_E_TIMEOUT:
      return "timeout";
    case HCCL_E_RUNTIME:
      return "error in the runtime";
    default:
      return "other error";
  }
}

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  Collective operation = counted(count);
  operation.op = op;
  return operate("HcclAllReduce", comm, stream, operation, CollectiveKind::kAllReduce, sendBuf,
                 recvBuf, dataType);
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream) {
  return operate("HcclAllGather", comm, stream, counted(sendCount), CollectiveKind::kAllGather,
                 sendBuf, recvBuf, dataType);
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream) {
  Collective operation = counted(recvCount);
  operation.op = op;
  return operate("HcclReduceScatter", comm, stream, operation, CollectiveKind::kReduceScatter,
                 sendBuf, recvBuf, dataType);
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream) {
  Collective operation = counted(count);
  operation.root = root;
  return operate("HcclBroadcast", comm, stream, operation, CollectiveKind::kBroadcast, buf, buf,
                 dataType);
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream) {
  Collective operation = counted(count);
  operation.op = op;
  operation.root = root;
  return operate("HcclReduce", comm, stream, operation, CollectiveKind::kReduce, sendBuf, recvBuf,
                 dataType);
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream) {
  Collective operation = counted(recvCount);
  operation.root = root;
  return operate("HcclScatter", comm, stream, operation, CollectiveKind::kScatter, sendBuf, recvBuf,
                 dataType);
}

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream) {
  if (sendCount != recvCount || sendType != recvType) {
    remember_error("HcclAlltoAll", ACL_ERROR_INVALID_PARAM,
                   "sendCount and recvCount, and both types, must be alike");
    return HCCL_E_PARA;
  }
  return operate("HcclAlltoAll", comm, stream, counted(sendCount), CollectiveKind::kAllToAll,
                 sendBuf, recvBuf, sendType);
}

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                         HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                         const void* rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream) {
  const char* const name = "HcclAlltoAllV";
  if (null(name, {sendBuf, sendCounts, sdispls, recvBuf, recvCounts, rdispls, comm})) {
    return HCCL_E_PTR;
  }
  return hccl_call(name, [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    if (sendType != recvType) {
      throw ApiError(ACL_ERROR_INVALID_PARAM, "sendType and recvType must be alike");
    }
    Collective operation;
    operation.kind = CollectiveKind::kAllToAllV;
    operation.send = reinterpret_cast<std::uint64_t>(sendBuf);
    operation.recv = reinterpret_cast<std::uint64_t>(recvBuf);
    operation.type = sendType;
    const auto list = [&](const void* from) {
      const auto* words = static_cast<const std::uint64_t*>(from);
      return std::vector<std::uint64_t>(words, words + rank.devices.size());
    };
    join(rank, stream, operation,
         {list(sendCounts), list(sdispls), list(recvCounts), list(rdispls)});
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  if (null("HcclBarrier", {comm})) return HCCL_E_PTR;
  return hccl_call("HcclBarrier", [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    // An operation without elements.
    Collective operation = counted(0);
    operation.kind = CollectiveKind::kAllReduce;
    operation.type = HCCL_DATA_TYPE_INT8;
    join(rank, stream, operation, {});
  });
}

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
    const davsim::sim::Communicator& of = communicator(HostCommunicators::instance().of(comm));
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
