// The global memories of the dies of a device. They lie in one range of host addresses at equal
// distances, so that the die of an address is a division.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory/global_memory.hpp"
#include "sim/system/rank_group.hpp"

namespace davsim::sim {

class DieMemories {
 public:
  /// `shared_file` is the file of a die that is alone; see memory::GlobalMemory. Throws
  /// std::runtime_error if the host has no such range. On all ranks of `group` they have the same
  /// addresses, so that pointers in memory mean the same.
  DieMemories(std::uint32_t dies, std::uint64_t bytes, int shared_file, RankGroup* group = nullptr);

  std::uint32_t dies() const { return static_cast<std::uint32_t>(memories_.size()); }
  /// Distance of the dies. It leaves room for code behind each memory.
  std::uint64_t stride() const { return stride_; }
  memory::GlobalMemory& of(std::uint32_t die) { return *memories_.at(die); }
  /// What the cores of a die reach: its own allocations, and the shared ones of other dies.
  const isa::GlobalAddressMap& reached_from(std::uint32_t die) const;
  /// The die in whose memory a host address lies; dies() if there is none.
  std::uint32_t die_of(std::uint64_t address) const;

 private:
  class Reach;

  std::uint64_t stride_ = 0;
  std::vector<std::unique_ptr<memory::GlobalMemory>> memories_;
  std::vector<std::unique_ptr<isa::GlobalAddressMap>> reaches_;  ///< none for a die that is alone
};

}  // namespace davsim::sim
