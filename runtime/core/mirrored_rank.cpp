#include "runtime/core/mirrored_rank.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

#include "runtime/core/api_error.hpp"
#include "sim/system/collective_checks.hpp"

namespace davsim::runtime {
namespace {

using Counts = std::array<std::vector<std::uint64_t>, 4>;

struct Range {
  std::uint64_t start = 0, end = 0;
};

/// What an operation of a rank reads or else writes.
std::vector<Range> ranges_of(const isa::Collective& operation, const Counts& counts,
                             std::uint32_t rank, std::size_t ranks, std::string_view use) {
  const sim::RankCollective request{operation, counts[0], counts[1], counts[2], counts[3]};
  std::vector<Range> ranges;
  for (const sim::CollectiveBuffer& buffer : sim::buffers_of(request, rank, ranks)) {
    if (buffer.use != use || buffer.bytes == 0) continue;
    ranges.push_back({buffer.start, buffer.start + buffer.bytes});
  }
  return ranges;
}

/// The same bytes, each of them once, by address.
std::vector<Range> merged(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
  std::vector<Range> apart;
  for (const Range& range : ranges) {
    if (apart.empty() || range.start > apart.back().end) {
      apart.push_back(range);
    } else {
      apart.back().end = std::max(apart.back().end, range.end);
    }
  }
  return apart;
}

std::vector<Range> sent_ranges(const isa::Collective& operation, const Counts& counts,
                               std::uint32_t rank, std::size_t ranks) {
  return merged(ranges_of(operation, counts, rank, ranks, "sends"));
}

/// From where an operation counts its parts to the end of the last one; nothing where it has none.
void add_whole(std::vector<Range>& to, std::uint64_t first, const std::vector<Range>& parts) {
  if (parts.empty()) return;
  Range whole{first, first};
  for (const Range& part : parts) whole.end = std::max(whole.end, part.end);
  to.push_back(whole);
}

}  // namespace

std::string sent_bytes(const isa::Collective& operation, const Counts& counts, std::uint32_t rank,
                       std::size_t ranks, const memory::GlobalMemory& die) {
  std::string bytes;
  for (const Range& range : sent_ranges(operation, counts, rank, ranks)) {
    if (!die.contains(range.start, range.end - range.start)) {
      throw ApiError(ACL_ERROR_INVALID_PARAM,
                     "what the rank sends is not in one allocation: " +
                         die.describe(range.start, range.end - range.start));
    }
    bytes.append(reinterpret_cast<const char*>(range.start), range.end - range.start);
  }
  return bytes;
}

MirroredRank::MirroredRank(const Contribution& of, std::uint32_t rank, std::size_t ranks,
                           memory::GlobalMemory& die)
    : die_(die), operation_(of.operation) {
  const auto parts = [&](std::string_view use) {
    return ranges_of(of.operation, of.counts, rank, ranks, use);
  };
  std::vector<Range> buffers;
  add_whole(buffers, of.operation.send, parts("sends"));
  add_whole(buffers, of.operation.recv, parts("receives"));
  for (const Range& range : merged(std::move(buffers))) {
    try {
      std::byte* const block = die.allocate(range.end - range.start, "buffer of another process");
      doubles_.push_back({range.start, range.end, reinterpret_cast<std::uint64_t>(block)});
    } catch (const std::bad_alloc&) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "a device has no room for the buffers of rank " + std::to_string(rank) +
                         ", which is in another process");
    }
  }
  operation_.send = here(of.operation.send);
  operation_.recv = here(of.operation.recv);
  operation_.send_counts = of.counts[0].data();
  operation_.send_offsets = of.counts[1].data();
  operation_.recv_counts = of.counts[2].data();
  operation_.recv_offsets = of.counts[3].data();
  std::size_t at = 0;
  for (const Range& range : sent_ranges(of.operation, of.counts, rank, ranks)) {
    const std::uint64_t bytes = range.end - range.start;
    if (bytes > of.sent.size() - at) {
      throw ApiError(ACL_ERROR_RT_FAILURE, "rank " + std::to_string(rank) + " sent too few bytes");
    }
    std::memcpy(reinterpret_cast<void*>(here(range.start)), of.sent.data() + at, bytes);
    at += bytes;
  }
}

MirroredRank::~MirroredRank() {
  for (const Double& block : doubles_) die_.free(reinterpret_cast<std::byte*>(block.here));
}

/// An address of no buffer, as of an operation without elements, stays as it is.
std::uint64_t MirroredRank::here(std::uint64_t address) const {
  for (const Double& block : doubles_) {
    if (address >= block.start && address < block.end) return block.here + (address - block.start);
  }
  return address;
}

}  // namespace davsim::runtime
