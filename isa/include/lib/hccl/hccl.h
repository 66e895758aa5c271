// Collective communication by the kernel: Hccl. The kernel prepares operations; the server of its
// die carries them out beside the cores. docs/systems.md describes it.
#pragma once

#include "ascendc/hccl_context.h"
#include "ascendc/system.h"
#include "lib/hccl/hccl_client.h"
#include "lib/hccl/hccl_common.h"

namespace AscendC {

template <HcclServerType serverType = HCCL_SERVER_TYPE_AICPU, const auto& config = DEFAULT_CFG>
class Hccl {
  using Location = davsim::api::Location;
  using Kind = davsim::isa::CollectiveKind;

 public:
  /// `initTiling` is what the earlier interface hands in; nothing of it is needed.
  void Init(GM_ADDR context, [[maybe_unused]] __gm__ void* initTiling = nullptr,
            Location where = Location::current()) {
    RequireServer();
    client_.init(context, Writes(), where);
  }
  /// `initTiling` points to the tiling data, for the offsets of SetCcTilingV2.
  void InitV2(GM_ADDR context, const void* initTiling, Location where = Location::current()) {
    RequireServer();
    client_.init(context, Writes(), where);
    client_.set_tiling(initTiling);
  }
  std::int32_t SetCcTiling(__gm__ void* ccOpTilingData) {
    return client_.choose_tiling_at(ccOpTilingData) ? HCCL_SUCCESS : HCCL_FAILED;
  }
  std::int32_t SetCcTilingV2(std::uint64_t offset) {
    return client_.choose_tiling(offset) ? HCCL_SUCCESS : HCCL_FAILED;
  }

  template <bool commit = false>
  HcclHandle AllReduce(GM_ADDR sendBuf, GM_ADDR recvBuf, std::uint64_t count, HcclDataType dataType,
                       HcclReduceOp op, std::uint8_t repeat = 1,
                       Location where = Location::current()) {
    auto operation = Operation(Kind::kAllReduce, sendBuf, recvBuf, count, dataType, repeat);
    operation.op = op;
    return client_.prepare("Hccl::AllReduce", operation, commit, where);
  }
  template <bool commit = false>
  HcclHandle AllGather(GM_ADDR sendBuf, GM_ADDR recvBuf, std::uint64_t sendCount,
                       HcclDataType dataType, std::uint64_t strideCount, std::uint8_t repeat = 1,
                       Location where = Location::current()) {
    auto operation = Operation(Kind::kAllGather, sendBuf, recvBuf, sendCount, dataType, repeat);
    operation.stride = strideCount;
    return client_.prepare("Hccl::AllGather", operation, commit, where);
  }
  template <bool commit = false>
  HcclHandle ReduceScatter(GM_ADDR sendBuf, GM_ADDR recvBuf, std::uint64_t recvCount,
                           HcclDataType dataType, HcclReduceOp op, std::uint64_t strideCount,
                           std::uint8_t repeat = 1, Location where = Location::current()) {
    auto operation = Operation(Kind::kReduceScatter, sendBuf, recvBuf, recvCount, dataType, repeat);
    operation.op = op;
    operation.stride = strideCount;
    return client_.prepare("Hccl::ReduceScatter", operation, commit, where);
  }
  template <bool commit = false>
  HcclHandle AlltoAll(GM_ADDR sendBuf, GM_ADDR recvBuf, std::uint64_t dataCount,
                      HcclDataType dataType, std::uint64_t strideCount = 0, std::uint8_t repeat = 1,
                      Location where = Location::current()) {
    auto operation = Operation(Kind::kAllToAll, sendBuf, recvBuf, dataCount, dataType, repeat);
    operation.stride = strideCount;
    return client_.prepare("Hccl::AlltoAll", operation, commit, where);
  }
  template <bool commit = false>
  HcclHandle AlltoAllV(GM_ADDR sendBuf, void* sendCounts, void* sdispls, HcclDataType sendType,
                       GM_ADDR recvBuf, void* recvCounts, void* rdispls, HcclDataType recvType,
                       std::uint8_t repeat = 1, Location where = Location::current()) {
    auto operation = Operation(Kind::kAllToAllV, sendBuf, recvBuf, 0, sendType, repeat);
    operation.send_counts = static_cast<const std::uint64_t*>(sendCounts);
    operation.send_offsets = static_cast<const std::uint64_t*>(sdispls);
    operation.recv_counts = static_cast<const std::uint64_t*>(recvCounts);
    operation.recv_offsets = static_cast<const std::uint64_t*>(rdispls);
    operation.recv_type = recvType;
    operation.stride = client_.steps(where);
    return client_.prepare("Hccl::AlltoAllV", operation, commit, where);
  }
  /// Writes pieces to other ranks, as the items at `batchWriteInfo` say.
  template <bool commit = false>
  HcclHandle BatchWrite(GM_ADDR batchWriteInfo, std::uint32_t itemNum,
                        [[maybe_unused]] std::uint16_t queueID = 0,
                        Location where = Location::current()) {
    const auto operation =
        Operation(Kind::kBatchWrite, batchWriteInfo, nullptr, itemNum, HCCL_DATA_TYPE_INT8, 1);
    return client_.prepare("Hccl::BatchWrite", operation, commit, where);
  }

  /// What this communicator is asked for next begins when the operation with this handle of group 0
  /// or 1 of the launch is over. It counts as one of the operations of a launch.
  bool InterHcclGroupSync(std::int8_t srcGroupID, HcclHandle srcHandleID,
                          Location where = Location::current()) {
    GM_ADDR const source = srcGroupID == 0   ? GetHcclContext<0>()
                           : srcGroupID == 1 ? GetHcclContext<1>()
                                             : nullptr;
    return client_.follow(source, srcHandleID, where);
  }

  void Commit(HcclHandle handleId, Location where = Location::current()) {
    client_.commit(handleId, where);
  }
  std::int32_t Wait(HcclHandle handleId, Location where = Location::current()) {
    return client_.wait(handleId, where);
  }
  std::int32_t Query(HcclHandle handleId, Location where = Location::current()) {
    return client_.query(handleId, where);
  }
  /// Goes through an AlltoAllV whose tiling has a step size and the algorithm pairwise.
  template <bool sync = true>
  std::int32_t Iterate(HcclHandle handleId, std::uint16_t* seqSlices, std::uint16_t seqSliceLen,
                       Location where = Location::current()) {
    return client_.iterate(handleId, seqSlices, seqSliceLen, sync, where);
  }
  template <bool sync = true>
  void Finalize(Location where = Location::current()) {
    client_.finalize(sync, where);
  }
  /// The server works through the operations of a communicator in their order, so what the other
  /// one has prepared before is awaited here.
  template <ScopeType type = ScopeType::ALL>
  void QueueBarrier(std::uint16_t) {}
  std::uint16_t GetQueueNum() { return 1; }

  GM_ADDR GetWindowsInAddr(std::uint32_t rankId) { return client_.window_in(rankId); }
  GM_ADDR GetWindowsOutAddr(std::uint32_t rankId) { return client_.window_out(rankId); }
  std::uint32_t GetRankId() { return client_.rank(); }
  std::uint32_t GetRankDim() { return client_.ranks(); }

 private:
  /// Objects with another server may be declared, as classes for another architecture do.
  static void RequireServer() {
    static_assert(serverType == HCCL_SERVER_TYPE_AICPU,
                  "NPU architecture 2201 has the server HCCL_SERVER_TYPE_AICPU alone");
  }
  static bool Writes() {
    if (config.type == CoreType::ON_AIV && g_coreType != AscendC::AIV) return false;
    if (config.type == CoreType::ON_AIC && g_coreType != AscendC::AIC) return false;
    return GetBlockIdx() == config.blockId;
  }
  static davsim::isa::Collective Operation(Kind kind, GM_ADDR send, GM_ADDR recv,
                                           std::uint64_t count, HcclDataType type,
                                           std::uint8_t rounds) {
    davsim::isa::Collective operation;
    operation.kind = kind;
    operation.send = reinterpret_cast<std::uint64_t>(send);
    operation.recv = reinterpret_cast<std::uint64_t>(recv);
    operation.count = count;
    operation.type = type;
    operation.rounds = rounds;
    return operation;
  }

  davsim::api::HcclClient client_;
};

}  // namespace AscendC
