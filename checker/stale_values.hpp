// Watches runs that compute no values (DeviceOptions::values is false): a kernel that reads what an
// instruction ought to have computed would go another way than with values, and its times would be
// those of another program. The scalar unit is the only one that kernels decide by.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sim/watch/run_watcher.hpp"

namespace davsim::checker {

/// Bytes, as intervals that neither touch nor overlap.
class ByteRanges {
 public:
  void add(std::uint64_t begin, std::uint64_t end);
  void remove(std::uint64_t begin, std::uint64_t end);
  bool meets(std::uint64_t begin, std::uint64_t end) const;
  void clear() { ends_.clear(); }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  ///< by begin
};

/// Throws isa::Fault(kLimit) from a scalar load of bytes that an instruction has written since
/// the kernel, or what the host gave, was there last: in UB, in registers, in global memory. Of
/// reads through pointers of C++ it hears from kernels that were compiled with the plugin.
class StaleValues : public sim::RunWatcher {
 public:
  StaleValues();
  ~StaleValues() override;

  // sim::RunWatcher
  isa::CoreWatcher* watcher_of(std::uint32_t core, const isa::CoreMemory& memory) override;
  void launch_begins(const observe::LaunchDescription&,
                     const std::vector<const memory::GlobalMemory*>&) override {}
  void blocks_begin(const std::vector<std::uint32_t>& cores) override;
  void block_ends(std::uint32_t) override {}
  void flag_raised(const isa::CrossCoreFlagParams&, const std::vector<std::uint32_t>&,
                   const std::vector<std::uint32_t>&) override {}
  void launch_ends(const isa::Fault*) override {}

 private:
  class Core;
  std::map<std::uint32_t, std::unique_ptr<Core>> cores_;
  ByteRanges global_;  ///< host addresses
};

}  // namespace davsim::checker
