// Messages between two ranks of a communicator. A pair has a communicator of its own from its first
// message on, and a message is a broadcast in it.
#include <mutex>

#include "runtime/api/hccl_call.hpp"

using namespace davsim::runtime;

namespace {

/// Messages go from buffer to buffer; a communicator has windows all the same.
constexpr std::uint64_t kLeastWindow = 1 << 20;

/// The calling rank in the communicator of itself and `peer`, of which the lower rank is the first.
const CommunicatorRank& pair_of(const CommunicatorRank& own, std::uint32_t peer) {
  if (peer >= own.devices.size() || peer == own.rank) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "the peer is rank " + std::to_string(peer) +
                                                "; it is another one of ranks 0 to " +
                                                std::to_string(own.devices.size() - 1));
  }
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::uint32_t low = std::min(own.rank, peer), high = std::max(own.rank, peer);
  const std::string name = own.name + " devices " + std::to_string(own.devices[low]) + " and " +
                           std::to_string(own.devices[high]);
  HostCommunicators& all = HostCommunicators::instance();
  const std::uint32_t device = own.devices[own.rank];
  if (const CommunicatorRank* const found = all.named(name, device)) return *found;
  all.create(name, {own.devices[low], own.devices[high]}, kLeastWindow);
  return *all.named(name, device);
}

HcclResult pass_message(const char* function, void* buffer, uint64_t count, HcclDataType type,
                        uint32_t peer, bool sends, HcclComm comm, aclrtStream stream) {
  if (null(function, {buffer, comm})) return HCCL_E_PTR;
  return hccl_call(function, [&] {
    const CommunicatorRank& own = HostCommunicators::instance().of(comm);
    const CommunicatorRank& pair = pair_of(own, peer);
    davsim::isa::Collective operation;
    operation.kind = davsim::isa::CollectiveKind::kBroadcast;
    operation.send = operation.recv = reinterpret_cast<std::uint64_t>(buffer);
    operation.count = count;
    operation.type = type;
    operation.root = sends ? pair.rank : 1 - pair.rank;
    join(pair, stream, operation, {});
  });
}

}  // namespace

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream) {
  return pass_message("HcclSend", sendBuf, count, dataType, destRank, true, comm, stream);
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream) {
  return pass_message("HcclRecv", recvBuf, count, dataType, srcRank, false, comm, stream);
}
