#include "sim/system/communicator_context.hpp"

#include <algorithm>
#include <cstring>

namespace davsim::sim {
namespace {

/// Both kinds begin alike.
struct Head {
  std::uint64_t workspace, workspace_bytes;
  std::uint32_t rank, ranks;
  std::uint64_t window_bytes;
};

constexpr std::uint32_t kMostRanksOfA2 = 32;
/// An A2's goes on with the windows of all ranks, a reserved part, a flag for several servers and
/// what RDMA needs.
struct ContextOfA2 {
  Head head;
  std::uint64_t windows_in[kMostRanksOfA2], windows_out[kMostRanksOfA2];
  std::uint8_t reserved[8328];
  std::uint8_t several_servers;
  std::uint64_t rdma[6];
};

/// An A3's has its own windows, parts that only the vendor's programs read, and a table with a
/// pointer for each rank.
struct ContextOfA3 {
  Head head;
  std::uint64_t window_in, window_out;
  char name[128];
  std::uint64_t status_bytes, window_status;
  std::uint32_t remote_start, remote_bytes;  ///< of the table from here, and of one of its rows
  std::uint64_t version;
  std::uint8_t resources[8 + 64 * 32 + 19 * 16 + 16 + 2 * 32 + 32];
  std::uint8_t topology[160];
  std::uint8_t configuration[48];
  std::uint64_t states[3];
  std::uint32_t reserved[16];
  std::uint32_t notify_bytes, remotes;
};
struct PointerToRemote {
  std::uint64_t on_host, on_device;
};
struct Remote {
  std::uint32_t rank, world_rank;
  std::uint64_t window_in, window_out, window_status;
  std::uint64_t next[4];
};
static_assert(sizeof(ContextOfA3) == 2984, "kernels find the table there");
/// Public headers have the table for so many ranks.
constexpr std::uint64_t kTableBytes = 128 * 1024 * sizeof(PointerToRemote);
constexpr std::uint64_t kTailBytes = 64 * 1024;  ///< fields behind the table, which are zero

template <class T>
void put(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
}

Head head_of(const ContextContents& contents) {
  return {contents.workspace, contents.workspace_bytes, contents.rank,
          static_cast<std::uint32_t>(contents.windows_in.size()), contents.window_bytes};
}

void write_a2(const ContextContents& contents, std::byte* to) {
  ContextOfA2 context{};
  context.head = head_of(contents);
  const std::size_t ranks = std::min<std::size_t>(contents.windows_in.size(), kMostRanksOfA2);
  std::copy_n(contents.windows_in.begin(), ranks, context.windows_in);
  std::copy_n(contents.windows_out.begin(), ranks, context.windows_out);
  put(to, context);
}

void write_a3(const ContextContents& contents, std::byte* to) {
  ContextOfA3 context{};
  context.head = head_of(contents);
  context.window_in = contents.windows_in[contents.rank];
  context.window_out = contents.windows_out[contents.rank];
  contents.name.copy(context.name, sizeof context.name - 1);
  context.status_bytes = contents.status_bytes;
  context.window_status = contents.windows_status[contents.rank];
  // Some kernels know where the table is, others read it here.
  context.remote_start = sizeof context;
  context.remote_bytes = sizeof(PointerToRemote);
  context.notify_bytes = 4;
  const std::size_t ranks = contents.windows_in.size();
  context.remotes = static_cast<std::uint32_t>(ranks);
  put(to, context);
  std::byte* const table = to + sizeof context;
  std::byte* const remotes = table + kTableBytes + kTailBytes;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Remote remote{static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(rank),
                        contents.windows_in[rank],        contents.windows_out[rank],
                        contents.windows_status[rank],    {}};
    std::byte* const place = remotes + rank * sizeof remote;
    put(place, remote);
    put(table + rank * sizeof(PointerToRemote),
        PointerToRemote{0, reinterpret_cast<std::uint64_t>(place)});
  }
}

}  // namespace

std::uint64_t context_bytes(const std::string& product, std::uint32_t ranks) {
  if (product == "A3") {
    return sizeof(ContextOfA3) + kTableBytes + kTailBytes + ranks * sizeof(Remote);
  }
  return sizeof(ContextOfA2);
}

void write_context(const std::string& product, const ContextContents& contents, std::byte* to) {
  if (product == "A3") return write_a3(contents, to);
  write_a2(contents, to);
}

}  // namespace davsim::sim
