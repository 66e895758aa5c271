// The checker finds mistakes that silicon punishes silently: races by happens-before, reads of
// bytes that nobody wrote, accesses outside a tensor, misuse of queues and flags. docs/checker.md
// explains every class. Device::check() attaches a checker. It keeps its state from launch to
// launch.
#pragma once

#include <memory>
#include <vector>

#include "checker/core_checker.hpp"
#include "checker/run_state.hpp"
#include "sim/watch/run_watcher.hpp"

namespace davsim::checker {

struct Options {
  bool numbers = false;  ///< also report the first NaN or infinity, and where results saturate
  /// The device runs without time. Which core runs a block then says nothing about a device:
  /// nothing orders blocks of one core.
  bool functional = false;
};

class Checker : public sim::RunWatcher {
 public:
  explicit Checker(Options options = {});
  ~Checker() override;

  const Findings& findings() const { return run_.findings; }
  void forget_findings() { run_.findings.clear(); }
  /// Bytes that the host wrote into global memory.
  struct HostWrite {
    std::uint64_t start, bytes;
  };
  /// Says what the host wrote since the last launch, in allocations that were declared unwritten.
  void host_wrote(const memory::GlobalMemory& memory, const std::vector<HostWrite>& writes);
  /// Bytes of host memory that the shadows of all on-chip buffers use now.
  std::uint64_t shadow_bytes() const;
  /// The bytes of those buffers that the last block on each core touched.
  std::uint64_t touched_bytes() const;

  // sim::RunWatcher
  bool looks_at_values() const override { return run_.numbers; }
  isa::CoreWatcher* watcher_of(std::uint32_t core, const isa::CoreMemory& memory) override;
  void launch_begins(const observe::LaunchDescription& launch,
                     const std::vector<const memory::GlobalMemory*>& memories) override;
  void blocks_begin(const std::vector<std::uint32_t>& cores) override;
  void block_ends(std::uint32_t core) override;
  void flag_raised(const isa::CrossCoreFlagParams& flag, const std::vector<std::uint32_t>& setters,
                   const std::vector<std::uint32_t>& raised) override;
  void server_wrote(std::uint64_t start, std::uint64_t bytes) override;
  void launch_ends(const isa::Fault* fault) override;

 private:
  void report_idle_reads();
  void report_early_looks();
  void add_fault(const isa::Fault& fault);

  bool functional_ = false;
  RunState run_;
  std::vector<std::unique_ptr<CoreChecker>> cores_;
};

}  // namespace davsim::checker
