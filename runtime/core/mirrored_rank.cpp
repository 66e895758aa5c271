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

/// What an operation of a rank reads or else writes.
std::vector<ByteRange> ranges_of(const sim::RankCollective& request, std::uint32_t rank,
                                 std::size_t ranks, std::string_view use) {
  std::vector<ByteRange> ranges;
  for (const sim::CollectiveBuffer& buffer : sim::buffers_of(request, rank, ranks)) {
    if (buffer.use != use || buffer.bytes == 0) continue;
    ranges.push_back({buffer.start, buffer.start + buffer.bytes});
  }
  return ranges;
}

/// The same bytes, each of them once, by address.
std::vector<ByteRange> merged(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.start < b.start; });
  std::vector<ByteRange> apart;
  for (const ByteRange& range : ranges) {
    if (apart.empty() || range.start > apart.back().end) {
      apart.push_back(range);
    } else {
      apart.back().end = std::max(apart.back().end, range.end);
    }
  }
  return apart;
}

std::vector<ByteRange> sent_ranges(const sim::RankCollective& request, std::uint32_t rank,
                                   std::size_t ranks) {
  return merged(ranges_of(request, rank, ranks, "sends"));
}

/// From where an operation counts its parts to the end of the last one; nothing where it has none.
void add_whole(std::vector<ByteRange>& to, std::uint64_t first,
               const std::vector<ByteRange>& parts) {
  if (parts.empty()) return;
  ByteRange whole{first, first};
  for (const ByteRange& part : parts) whole.end = std::max(whole.end, part.end);
  to.push_back(whole);
}

}  // namespace

std::string sent_bytes(const sim::RankCollective& request, std::uint32_t rank, std::size_t ranks,
                       const memory::GlobalMemory& die) {
  std::string bytes;
  for (const ByteRange& range : sent_ranges(request, rank, ranks)) {
    const std::uint64_t size = range.end - range.start;
    if (!die.contains(range.start, size)) {
      throw ApiError(ACL_ERROR_INVALID_PARAM, "what the rank sends is not in one allocation: " +
                                                  die.describe(range.start, size));
    }
    bytes.append(reinterpret_cast<const char*>(range.start), size);
  }
  return bytes;
}

MirroredRank::MirroredRank(const Contribution& of, std::uint32_t rank, std::size_t ranks,
                           memory::GlobalMemory& die)
    : die_(die), operation_(of.request.pointing()) {
  std::vector<ByteRange> buffers;
  add_whole(buffers, operation_.send, ranges_of(of.request, rank, ranks, "sends"));
  add_whole(buffers, operation_.recv, ranges_of(of.request, rank, ranks, "receives"));
  make_room(merged(std::move(buffers)), rank);
  fill(sent_ranges(of.request, rank, ranks), of.sent);
  operation_.send = here(operation_.send);
  operation_.recv = here(operation_.recv);
}

void MirroredRank::make_room(const std::vector<ByteRange>& ranges, std::uint32_t rank) {
  for (const ByteRange& range : ranges) {
    try {
      std::byte* const block = die_.allocate(range.end - range.start, "buffer of another process");
      doubles_.push_back({range.start, range.end, reinterpret_cast<std::uint64_t>(block)});
    } catch (const std::bad_alloc&) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "a device has no room for the buffers of rank " + std::to_string(rank) +
                         ", which is in another process");
    }
  }
}

void MirroredRank::fill(const std::vector<ByteRange>& ranges, std::string_view sent) {
  for (const ByteRange& range : ranges) {
    const std::uint64_t bytes = range.end - range.start;
    if (bytes > sent.size()) throw ApiError(ACL_ERROR_RT_FAILURE, "a rank sent too few bytes");
    std::memcpy(reinterpret_cast<void*>(here(range.start)), sent.data(), bytes);
    sent.remove_prefix(bytes);
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
