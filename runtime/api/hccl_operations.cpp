// Collective operations on streams.
#include <string>
#include <vector>

#include "runtime/api/hccl_call.hpp"

using namespace davsim::runtime;
using davsim::isa::Collective;
using davsim::isa::CollectiveKind;

namespace {

using Words = std::vector<std::uint64_t>;

void place(Collective& operation, CollectiveKind kind, const void* send, const void* recv,
           HcclDataType type) {
  operation.kind = kind;
  operation.send = reinterpret_cast<std::uint64_t>(send);
  operation.recv = reinterpret_cast<std::uint64_t>(recv);
  operation.type = type;
}

HcclResult operate(const char* function, HcclComm comm, aclrtStream stream, Collective operation,
                   CollectiveKind kind, const void* send, const void* recv, HcclDataType type) {
  if (null(function, {comm, send, recv})) return HCCL_E_PTR;
  return hccl_call(function, [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    place(operation, kind, send, recv, type);
    join(rank, stream, operation, {});
  });
}

Collective counted(std::uint64_t count) {
  Collective operation;
  operation.count = count;
  return operation;
}

/// An operation with counts of each rank.
Collective between(CollectiveKind kind, const void* send, const void* recv, HcclDataType type) {
  Collective operation;
  place(operation, kind, send, recv, type);
  return operation;
}

Words words(const void* from, std::size_t count) {
  const auto* const first = static_cast<const std::uint64_t*>(from);
  return {first, first + count};
}

/// Where parts of these sizes begin.
Words behind_each_other(const Words& counts) {
  Words offsets;
  std::uint64_t at = 0;
  for (const std::uint64_t count : counts) {
    offsets.push_back(at);
    at += count;
  }
  return offsets;
}

void require_same_type(HcclDataType sent, HcclDataType received) {
  if (sent == received) return;
  throw ApiError(ACL_ERROR_INVALID_PARAM, "sendType is " + std::to_string(sent) + " and recvType " +
                                              std::to_string(received) + "; they must be alike");
}

}  // namespace

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
    require_same_type(sendType, recvType);
    const std::size_t ranks = rank.devices.size();
    join(rank, stream, between(CollectiveKind::kAllToAllV, sendBuf, recvBuf, sendType),
         {words(sendCounts, ranks), words(sdispls, ranks), words(recvCounts, ranks),
          words(rdispls, ranks)});
  });
}

HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType,
                          const void* recvBuf, HcclDataType recvType, HcclComm comm,
                          aclrtStream stream) {
  const char* const name = "HcclAlltoAllVC";
  if (null(name, {sendBuf, sendCountMatrix, recvBuf, comm})) return HCCL_E_PTR;
  return hccl_call(name, [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    require_same_type(sendType, recvType);
    const std::size_t ranks = rank.devices.size();
    const auto* const counts = static_cast<const std::uint64_t*>(sendCountMatrix);
    Words sent, received;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      sent.push_back(counts[rank.rank * ranks + peer]);
      received.push_back(counts[peer * ranks + rank.rank]);
    }
    join(rank, stream, between(CollectiveKind::kAllToAllV, sendBuf, recvBuf, sendType),
         {sent, behind_each_other(sent), received, behind_each_other(received)});
  });
}

HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                          const void* recvDispls, HcclDataType dataType, HcclComm comm,
                          aclrtStream stream) {
  const char* const name = "HcclAllGatherV";
  if (null(name, {sendBuf, recvBuf, recvCounts, recvDispls, comm})) return HCCL_E_PTR;
  return hccl_call(name, [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    const std::size_t ranks = rank.devices.size();
    // Every rank is sent the same.
    join(rank, stream, between(CollectiveKind::kAllToAllV, sendBuf, recvBuf, dataType),
         {Words(ranks, sendCount), Words(ranks, 0), words(recvCounts, ranks),
          words(recvDispls, ranks)});
  });
}

HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls,
                              void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                              HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  const char* const name = "HcclReduceScatterV";
  if (null(name, {sendBuf, sendCounts, sendDispls, recvBuf, comm})) return HCCL_E_PTR;
  return hccl_call(name, [&] {
    const CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    const std::size_t ranks = rank.devices.size();
    Collective operation = between(CollectiveKind::kReduceScatterV, sendBuf, recvBuf, dataType);
    operation.op = op;
    join(rank, stream, operation,
         {words(sendCounts, ranks), words(sendDispls, ranks), Words(ranks, recvCount),
          Words(ranks, 0)});
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
