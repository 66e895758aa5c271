// A rank of another process in an operation that this process carries out as well: its buffers have
// doubles in the memory of its die here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "memory/global_memory.hpp"
#include "runtime/core/contribution.hpp"

namespace davsim::runtime {

/// The bytes that rank `rank` of `ranks` sends in an operation. Throws ApiError for buffers that do
/// not lie in the die's memory.
std::string sent_bytes(const sim::RankCollective& request, std::uint32_t rank, std::size_t ranks,
                       const memory::GlobalMemory& die);

/// From `start` up to `end`.
struct ByteRange {
  std::uint64_t start = 0, end = 0;
};

class MirroredRank {
 public:
  /// Has what the rank sends. Throws ApiError if the die has no room. `of` outlives this.
  MirroredRank(const Contribution& of, std::uint32_t rank, std::size_t ranks,
               memory::GlobalMemory& die);
  ~MirroredRank();
  MirroredRank(const MirroredRank&) = delete;
  MirroredRank& operator=(const MirroredRank&) = delete;

  /// With the addresses of the doubles.
  const isa::Collective& operation() const { return operation_; }

 private:
  /// Bytes of the other process and where they are here.
  struct Double {
    std::uint64_t start = 0, end = 0, here = 0;
  };
  /// A double for each of `ranges`, which are apart.
  void make_room(const std::vector<ByteRange>& ranges, std::uint32_t rank);
  /// Puts what was sent of these ranges, one behind the other, in its place.
  void fill(const std::vector<ByteRange>& ranges, std::string_view sent);
  std::uint64_t here(std::uint64_t address) const;

  memory::GlobalMemory& die_;
  std::vector<Double> doubles_;
  isa::Collective operation_;
};

}  // namespace davsim::runtime
