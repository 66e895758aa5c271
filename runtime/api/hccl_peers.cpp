// Messages between two ranks of a communicator. Those from one rank to another have a communicator
// of their own from the first one on, and a message is a broadcast in it.
#include <algorithm>
#include <tuple>
#include <vector>

#include "runtime/api/hccl_call.hpp"
#include "sim/system/collective_checks.hpp"

using namespace davsim::runtime;

namespace {

/// The calling rank in the communicator of messages to or from `peer`, of which the sender is the
/// first.
const CommunicatorRank& pair_of(const CommunicatorRank& own, std::uint32_t peer, bool sends) {
  if (peer >= own.devices.size() || peer == own.rank) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "the peer is rank " + std::to_string(peer) +
                                                "; it is another one of ranks 0 to " +
                                                std::to_string(own.devices.size() - 1));
  }
  const std::uint32_t from = own.devices[sends ? own.rank : peer];
  const std::uint32_t to = own.devices[sends ? peer : own.rank];
  const std::string name =
      own.name + " device " + std::to_string(from) + " to " + std::to_string(to);
  return *HostCommunicators::instance().find_or_create_pair(name, own, {from, to});
}

void pass(const CommunicatorRank& own, const HcclSendRecvItem& message, aclrtStream stream) {
  const bool sends = message.sendRecvType == HCCL_SEND;
  davsim::isa::Collective operation;
  operation.kind = davsim::isa::CollectiveKind::kBroadcast;
  operation.send = operation.recv = reinterpret_cast<std::uint64_t>(message.buf);
  operation.count = message.count;
  operation.type = message.dataType;
  operation.root = 0;
  join(pair_of(own, message.remoteRank, sends), stream, operation, {});
}

HcclResult pass_message(const char* function, const HcclSendRecvItem& message, HcclComm comm,
                        aclrtStream stream) {
  if (null(function, {message.buf, comm})) return HCCL_E_PTR;
  return hccl_call(function, [&] {
    const CommunicatorRank& own = HostCommunicators::instance().of(comm);
    if (HcclGroup* const group = HcclGroup::open()) return group->add(own, message, stream);
    pass(own, message, stream);
  });
}

std::uint64_t bytes_of(const HcclSendRecvItem& message) {
  return message.count * davsim::sim::bytes_of_type(message.dataType);
}

void require_item(const HcclSendRecvItem& item, std::uint32_t number, std::size_t ranks) {
  const auto refuse = [&](const std::string& what) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "item " + std::to_string(number) + ": " + what);
  };
  if (item.sendRecvType != HCCL_SEND && item.sendRecvType != HCCL_RECV) {
    refuse("sendRecvType is " + std::to_string(item.sendRecvType) + ", it is 0 or 1");
  }
  if (item.remoteRank >= ranks) {
    refuse("remoteRank is " + std::to_string(item.remoteRank) + ", ranks are 0 to " +
           std::to_string(ranks - 1));
  }
  if (davsim::sim::bytes_of_type(item.dataType) == 0) {
    refuse("dataType is " + std::to_string(item.dataType) + ", which HcclDataType does not have");
  }
}

/// What a rank sends to itself: its first message is the first that it receives, and so on.
void pass_to_itself(const std::vector<HcclSendRecvItem>& messages, aclrtStream stream) {
  std::vector<HcclSendRecvItem> sent, received;
  for (const HcclSendRecvItem& message : messages) {
    (message.sendRecvType == HCCL_SEND ? sent : received).push_back(message);
  }
  if (sent.size() != received.size()) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "the rank sends itself " + std::to_string(sent.size()) +
                                                " messages and receives " +
                                                std::to_string(received.size()) + " of them");
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (bytes_of(sent[i]) != bytes_of(received[i])) {
      throw ApiError(ACL_ERROR_INVALID_PARAM,
                     "the rank sends itself " + std::to_string(bytes_of(sent[i])) +
                         " bytes and receives " + std::to_string(bytes_of(received[i])));
    }
    if (bytes_of(sent[i]) == 0) continue;
    require_success(aclrtMemcpyAsync(received[i].buf, bytes_of(received[i]), sent[i].buf,
                                     bytes_of(sent[i]), ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                    "a message of the rank to itself: ");
  }
}

}  // namespace

void davsim::runtime::pass_messages(const CommunicatorRank& own,
                                    const std::vector<HcclSendRecvItem>& all, void* stream) {
  std::vector<HcclSendRecvItem> messages, to_itself;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    require_item(all[i], i, own.devices.size());
    (all[i].remoteRank == own.rank ? to_itself : messages).push_back(all[i]);
  }
  // A stream does one thing after the other. All ranks go through the pairs in the same order,
  // and in each pair the lower rank sends first, so that nobody waits for somebody who waits.
  std::stable_sort(messages.begin(), messages.end(), [&](const auto& a, const auto& b) {
    const auto key = [&](const HcclSendRecvItem& of) {
      const bool lower = own.rank < of.remoteRank;
      return std::tuple(std::min(own.rank, of.remoteRank), std::max(own.rank, of.remoteRank),
                        lower == (of.sendRecvType == HCCL_SEND) ? 0 : 1);
    };
    return key(a) < key(b);
  });
  pass_to_itself(to_itself, stream);
  for (const HcclSendRecvItem& message : messages) pass(own, message, stream);
}

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream) {
  return pass_message("HcclSend", {HCCL_SEND, sendBuf, count, dataType, destRank}, comm, stream);
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream) {
  return pass_message("HcclRecv", {HCCL_RECV, recvBuf, count, dataType, srcRank}, comm, stream);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream) {
  const char* const name = "HcclBatchSendRecv";
  if (null(name, {sendRecvInfo, comm})) return HCCL_E_PTR;
  for (uint32_t i = 0; i < itemNum; ++i) {
    if (null(name, {sendRecvInfo[i].buf})) return HCCL_E_PTR;
  }
  return hccl_call(name, [&] {
    pass_messages(HostCommunicators::instance().of(comm), {sendRecvInfo, sendRecvInfo + itemNum},
                  stream);
  });
}
