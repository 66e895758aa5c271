// Which memories there are when a launch begins: some are gone when it has ended.
#pragma once

#include <vector>

#include "memory/global_memory.hpp"
#include "traces/exporter.hpp"

namespace davsim::session {

/// Notes them, as an observer, in a list that the caller owns.
class NamedMemories : public traces::Observer {
 public:
  NamedMemories(const memory::GlobalMemory& memory, std::vector<traces::NamedMemory>& seen)
      : memory_(memory), seen_(seen) {}

  void launch_begins(const traces::LaunchDescription&) override {
    seen_.clear();
    for (const memory::GlobalMemory::Allocation& allocation : memory_.allocations()) {
      seen_.push_back(
          {allocation.name, memory_.device_address(allocation.start), allocation.bytes});
    }
  }

 private:
  const memory::GlobalMemory& memory_;
  std::vector<traces::NamedMemory>& seen_;
};

}  // namespace davsim::session
