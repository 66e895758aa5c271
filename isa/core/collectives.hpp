// Collective operations as kernels ask for them, and the server that carries them out. On a device
// the server is a program on an AI CPU of the die; kernels send it messages through global memory.
#pragma once

#include <cstdint>

#include "isa/instr/source_location.hpp"

namespace davsim::isa {

/// The numbers are those of the documented HcclCMDType.
enum class CollectiveKind : std::uint8_t {
  kBroadcast = 1,
  kAllReduce = 2,
  kReduce = 3,
  kAllGather = 6,
  kReduceScatter = 7,
  kAllToAllV = 8,
  kAllToAll = 10,
  kScatter = 12,
  kReduceScatterV = 17,
  kBatchWrite = 18,
};

/// An operation as one rank prepares it. Addresses are host addresses of its global memory; counts,
/// offsets and strides are in elements.
struct Collective {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint64_t send = 0, recv = 0;
  /// AllReduce: all; AllGather: sent; ReduceScatter: received; AllToAll: to each rank. BatchWrite:
  /// items at `send`. 0 where each rank has counts of its own.
  std::uint64_t count = 0;
  std::uint64_t stride = 0;  ///< between the blocks of two ranks; 0: they follow one another
  std::uint32_t type = 0;    ///< HcclDataType
  std::uint32_t op = 0;      ///< HcclReduceOp
  std::uint32_t root = 0;
  std::uint32_t rounds = 1;  ///< each behind the other in memory
  /// AllToAllV and ReduceScatterV: of each rank. They are read by prepare() alone.
  const std::uint64_t *send_counts = nullptr, *send_offsets = nullptr;
  const std::uint64_t *recv_counts = nullptr, *recv_offsets = nullptr;
  std::uint32_t recv_type = 0;
};

/// Whether an operation has counts and offsets for each rank.
constexpr bool has_counts(CollectiveKind kind) {
  return kind == CollectiveKind::kAllToAllV || kind == CollectiveKind::kReduceScatterV;
}

/// A communicator as one of its ranks sees it. Addresses are host addresses.
struct CommunicatorView {
  std::uint32_t rank = 0, ranks = 0;
  std::uint64_t window_bytes = 0;
  const std::uint64_t *windows_in = nullptr, *windows_out = nullptr;  ///< by rank
  /// Messages of kMessageBytes each, then a line for each operation with the rounds that are
  /// committed, then a line for each with the rounds that are over.
  std::uint64_t messages = 0;
};
inline constexpr std::uint32_t kMostCollectives = 63;  ///< documented: of a launch
inline constexpr std::uint64_t kMessageBytes = 128, kCounterBytes = 64;
inline constexpr std::uint64_t kCommittedAt = 64 * kMessageBytes;
inline constexpr std::uint64_t kOverAt = kCommittedAt + 64 * kCounterBytes;
inline constexpr std::uint64_t kMessageAreaBytes = kOverAt + 64 * kCounterBytes;

class CollectiveServer {
 public:
  virtual ~CollectiveServer() = default;
  /// The communicator whose context lies at `context`; nullptr if there is none.
  virtual const CommunicatorView* find(std::uint64_t context) = 0;
  /// Takes the operation with number `handle` of this launch from a rank. Throws Fault.
  virtual void prepare(std::uint64_t context, std::uint32_t handle, const Collective& operation,
                       SourceLocation where) = 0;
  /// Lets one more round of an operation begin, as soon as all ranks have committed it.
  virtual void commit(std::uint64_t context, std::uint32_t handle, SourceLocation where) = 0;
};

/// The one of the process; nullptr where dies are alone.
CollectiveServer* collective_server();
void set_collective_server(CollectiveServer* server);

}  // namespace davsim::isa

/// Contexts that tests of kernels set on the host, for a launch that hands none in.
extern std::uint8_t* g_hcclContextReserved[2];
