#include "sim/system/collective_checks.hpp"

#include "sim/system/collective_values.hpp"

namespace davsim::sim {
namespace {

using isa::Collective;
using isa::CollectiveKind;

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter ||
         kind == CollectiveKind::kReduceScatterV || kind == CollectiveKind::kReduce;
}

/// Of operations in which all blocks are alike.
class Blocks {
 public:
  Blocks(const Collective& of, std::size_t ranks)
      : of_(of),
        size_(bytes_of_type(of.type)),
        block_(of.count * of.rounds * size_),
        // The blocks of the last rank end where the buffer ends.
        all_(block_ == 0 ? 0
                         : (ranks - 1) * (of.stride != 0 ? of.stride * size_ : block_) + block_) {}

  std::vector<CollectiveBuffer> block_to_block() const { return {sends(block_), receives(block_)}; }
  std::vector<CollectiveBuffer> block_to_all() const { return {sends(block_), receives(all_)}; }
  std::vector<CollectiveBuffer> all_to_block() const { return {sends(all_), receives(block_)}; }
  std::vector<CollectiveBuffer> all_to_all() const { return {sends(all_), receives(all_)}; }
  std::vector<CollectiveBuffer> block_sent() const { return {sends(block_)}; }
  std::vector<CollectiveBuffer> block_received() const { return {receives(block_)}; }

 private:
  CollectiveBuffer sends(std::uint64_t bytes) const { return {"sends", of_.send, bytes}; }
  CollectiveBuffer receives(std::uint64_t bytes) const { return {"receives", of_.recv, bytes}; }

  const Collective& of_;
  std::uint64_t size_, block_, all_;
};

/// Of operations with counts of each rank. All sums of a ReduceScatterV are one block.
std::vector<CollectiveBuffer> counted_buffers(const RankCollective& request) {
  const Collective& of = request.what;
  const std::uint64_t size = bytes_of_type(of.type);
  std::vector<CollectiveBuffer> buffers;
  for (std::size_t peer = 0; peer < request.send_counts.size(); ++peer) {
    buffers.push_back({"sends", of.send + request.send_offsets[peer] * size,
                       request.send_counts[peer] * of.rounds * size});
    buffers.push_back({"receives", of.recv + request.recv_offsets[peer] * size,
                       request.recv_counts[peer] * of.rounds * size});
  }
  return buffers;
}

}  // namespace

const char* name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "AllReduce";
    case CollectiveKind::kAllGather:
      return "AllGather";
    case CollectiveKind::kReduceScatter:
      return "ReduceScatter";
    case CollectiveKind::kAllToAll:
      return "AlltoAll";
    case CollectiveKind::kAllToAllV:
      return "AlltoAllV";
    case CollectiveKind::kReduceScatterV:
      return "ReduceScatterV";
    case CollectiveKind::kBatchWrite:
      return "BatchWrite";
    case CollectiveKind::kBroadcast:
      return "Broadcast";
    case CollectiveKind::kReduce:
      return "Reduce";
    case CollectiveKind::kScatter:
      return "Scatter";
  }
  return "?";
}

std::string wrong_with(const Collective& operation, std::size_t ranks) {
  const std::string name = name_of(operation.kind), type = std::to_string(operation.type);
  if (bytes_of_type(operation.type) == 0) {
    return name + " has the data type " + type + ", which HcclDataType does not have";
  }
  if (reduces(operation.kind) && !can_reduce(operation.type, operation.op)) {
    return name + " cannot reduce data type " + type + " by operation " +
           std::to_string(operation.op);
  }
  if (operation.count > kMostElements) {
    return name + " has " + std::to_string(operation.count) + " elements, more than any memory";
  }
  if (operation.stride > kMostElements) {
    return name + " has a stride of " + std::to_string(operation.stride) +
           " elements, more than any memory";
  }
  if (operation.root >= ranks) {
    return name + " has root " + std::to_string(operation.root) + ", ranks are 0 to " +
           std::to_string(ranks - 1);
  }
  return "";
}

std::vector<CollectiveBuffer> buffers_of(const RankCollective& request, std::uint32_t rank,
                                         std::size_t ranks) {
  const Collective& of = request.what;
  const Blocks blocks(of, ranks);
  switch (of.kind) {
    case CollectiveKind::kAllReduce:
      return blocks.block_to_block();
    case CollectiveKind::kAllGather:
      return blocks.block_to_all();
    case CollectiveKind::kReduceScatter:
      return blocks.all_to_block();
    case CollectiveKind::kAllToAll:
      return blocks.all_to_all();
    case CollectiveKind::kAllToAllV:
    case CollectiveKind::kReduceScatterV:
      return counted_buffers(request);
    case CollectiveKind::kBroadcast:
      return rank == of.root ? blocks.block_sent() : blocks.block_received();
    case CollectiveKind::kReduce:
      return rank == of.root ? blocks.block_to_block() : blocks.block_sent();
    case CollectiveKind::kScatter:
      return rank == of.root ? blocks.all_to_block() : blocks.block_received();
    case CollectiveKind::kBatchWrite:
      return {};
  }
  return {};
}

}  // namespace davsim::sim
