#include "checker/checker.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace davsim::checker {

using isa::Pipe;

namespace {

Class class_of(isa::FaultClass cls) {
  switch (cls) {
    case isa::FaultClass::kQueue:
      return Class::kQueue;
    case isa::FaultClass::kFlag:
      return Class::kFlag;
    case isa::FaultClass::kDeadlock:
      return Class::kDeadlock;
    case isa::FaultClass::kAddress:
      return Class::kOverrun;
    case isa::FaultClass::kAlignment:
    case isa::FaultClass::kParameter:
    case isa::FaultClass::kAssert:
    case isa::FaultClass::kLimit:
      return Class::kFault;
  }
  return Class::kFault;
}

/// Marks cells as written by nobody on the device.
struct HostWriting {
  void change(Cell& cell, const Shadow::Run&) { cell.written = true; }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

/// Marks cells as written by a server, whose operations order what is before and behind them.
struct ServerWriting {
  void change(Cell& cell, const Shadow::Run&) {
    cell = {};
    cell.written = true;
  }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

}  // namespace

Checker::Checker(Options options) {
  run_.numbers = options.numbers;
  functional_ = options.functional;
}

Checker::~Checker() = default;

isa::CoreWatcher* Checker::watcher_of(std::uint32_t core, const isa::CoreMemory& memory) {
  if (core >= kMostCores) {
    throw std::invalid_argument("the checker follows at most " + std::to_string(kMostCores) +
                                " cores; this SoC has more");
  }
  if (cores_.size() <= core) cores_.resize(core + 1);
  if (run_.cores.size() <= core) run_.cores.resize(core + 1);
  cores_[core] = std::make_unique<CoreChecker>(run_, core, memory);
  run_.cores[core] = cores_[core].get();
  return run_.cores[core];
}

void Checker::host_wrote(const memory::GlobalMemory& memory, const std::vector<HostWrite>& writes) {
  if (writes.empty()) return;
  run_.global.follow(memory);
  for (const HostWrite& write : writes) {
    GlobalShadow::Region* region = run_.global.find(write.start);
    if (region == nullptr) continue;
    const std::uint64_t from = write.start - region->start;
    const std::uint64_t bytes = std::min(write.bytes, region->bytes - from);
    if (from == 0 && bytes == region->bytes) {
      region->shadow = Shadow(region->bytes, true);  // launches before it are over
      continue;
    }
    HostWriting writing;
    region->shadow.update({++run_.accesses, isa::Access::kWholeBlocks}, from, bytes, writing);
  }
}

void Checker::launch_begins(const observe::LaunchDescription& launch,
                            const std::vector<const memory::GlobalMemory*>& memories) {
  run_.kernel = launch.kernel;
  run_.core_names.clear();
  for (const observe::CoreDescription& core : launch.cores) {
    if (core.id >= run_.core_names.size()) run_.core_names.resize(core.id + 1);
    run_.core_names[core.id] = core.name;
  }
  run_.floor = run_.last;
  run_.words.clear();
  run_.unwritten_reads.clear();
  run_.early_looks.clear();
  run_.polls.begin_launch(memories.size() > 1);
  run_.adders.begin_launch();
  for (const memory::GlobalMemory* memory : memories) run_.global.follow(*memory);
  for (const auto& core : cores_) {
    core->order().forget_sets();
    core->forget_stores();
  }
}

void Checker::blocks_begin(const std::vector<std::uint32_t>& cores) {
  if (functional_) {
    for (const std::uint32_t core : cores) cores_[core]->begin_block(false);
    return;
  }
  for (const std::uint32_t core : cores) cores_[core]->order().drained();
  Clock before;
  for (const std::uint32_t core : cores) before.join_from(cores_[core]->order().clock(Pipe::S));
  for (const std::uint32_t core : cores) {
    cores_[core]->order().learn(Pipe::S, before);
    cores_[core]->begin_block(true);
  }
}

void Checker::block_ends(std::uint32_t core) {
  cores_[core]->end_block();
}

void Checker::flag_raised(const isa::CrossCoreFlagParams& flag,
                          const std::vector<std::uint32_t>& setters,
                          const std::vector<std::uint32_t>& raised) {
  Clock all;
  for (const std::uint32_t core : setters) all.join_from(cores_[core]->order().raise(flag));
  for (const std::uint32_t core : raised) cores_[core]->order().arrive(flag.id, all);
}

void Checker::server_wrote(std::uint64_t start, std::uint64_t bytes) {
  GlobalShadow::Region* region = run_.global.find(start);
  if (region == nullptr) return;
  const std::uint64_t from = start - region->start;
  ServerWriting writing;
  region->shadow.update({++run_.accesses, isa::Access::kWholeBlocks}, from,
                        std::min(bytes, region->bytes - from), writing);
}

void Checker::launch_ends(const isa::Fault* fault) {
  if (fault != nullptr) {
    add_fault(*fault);
  } else {
    for (const auto& core : cores_) core->report_lost_sets();
    report_idle_reads();
  }
  report_early_looks();
  run_.findings.forget(
      [&](const Finding& finding) { return run_.polls.explains(finding, run_.sites); });
  run_.findings.settle();
}

/// Reads of bytes that nobody wrote by lines of which nothing used any result. They say nothing
/// about whether the kernel needs these bytes.
void Checker::report_idle_reads() {
  for (const auto& [site, read] : run_.unwritten_reads) {
    if (!read.has_users) run_.findings.add(read.occurrence, [&] { return read.finding; });
  }
}

/// Polls of flags that no dcci has written back.
void Checker::report_early_looks() {
  for (const auto& [store, look] : run_.early_looks) {
    if (!run_.polls.is_poll(look.site)) continue;
    run_.findings.add(look.occurrence, [&] { return look.finding; });
  }
}

void Checker::add_fault(const isa::Fault& fault) {
  Occurrence made;
  made.cls = class_of(fault.cls);
  made.stamp = ++run_.last;
  made.second = fault.where;
  run_.findings.add(made, [&] {
    Finding finding;
    finding.message = fault.message;
    finding.kernel = fault.kernel;
    finding.second = {fault.core, fault.pipe, fault.instruction, "", fault.where};
    return finding;
  });
}

std::uint64_t Checker::touched_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& core : cores_) bytes += core == nullptr ? 0 : core->touched_bytes();
  return bytes;
}

std::uint64_t Checker::shadow_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& core : cores_) bytes += core == nullptr ? 0 : core->shadow_bytes();
  return bytes;
}

}  // namespace davsim::checker
