#include "runtime/core/demand.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "session/peaks.hpp"

namespace davsim::runtime {
namespace {

/// What a launch did before others joined it, for which it waited: had they been simulated side by
/// side, they would have begun together.
Microseconds alone(const observe::LaunchReport& report) {
  return static_cast<double>(report.alone) / report.frequency_mhz;
}

/// The slots of a launch, those that worked longest first.
std::vector<BlockDemand> blocks_of(const observe::LaunchReport& report) {
  bool mixed = false, vector = false;
  for (const observe::CoreCounters& core : report.cores) {
    (core.type == isa::CoreType::AIC ? mixed : vector) = true;
  }
  mixed = mixed && vector;
  std::map<std::pair<std::uint32_t, std::uint32_t>, BlockDemand> blocks;
  for (const observe::CoreCounters& core : report.cores) {
    const bool cube = core.type == isa::CoreType::AIC;
    BlockDemand& block = blocks[{core.ai_core, mixed || cube ? 0 : core.sub_block}];
    block.cube = block.cube || cube;
    block.vectors += cube ? 0 : 1;
    const Microseconds end = static_cast<double>(core.end) / report.frequency_mhz;
    block.end = std::max(block.end, report.launch_overhead_us + std::max(end - alone(report), 0.0));
  }
  std::vector<BlockDemand> list;
  for (const auto& [place, block] : blocks) list.push_back(block);
  std::stable_sort(list.begin(), list.end(),
                   [](const BlockDemand& a, const BlockDemand& b) { return a.end > b.end; });
  return list;
}

double rate(const sim::SocConfig& soc, const char* section, const char* key) {
  return soc.constant(section, key, "bytes/s") * 1e-6;
}

}  // namespace

Rates::Rates(const sim::SocConfig& soc)
    : hbm_(rate(soc, "Timing.Hbm", "peak")),
      l2_(session::Peaks(soc).l2 * 1e-6),
      to_device_(rate(soc, "Timing.Copy", "to_device")),
      to_host_(rate(soc, "Timing.Copy", "to_host")),
      within_(rate(soc, "Timing.Copy", "within")),
      set_(rate(soc, "Timing.Copy", "set")),
      latency_(soc.constant("Timing.Copy", "latency", "us")) {}

Demand Rates::launch(const observe::LaunchReport& report) const {
  Demand demand;
  if (!report.timed || report.cores.empty()) return demand;
  demand.duration = report.task_time_us() - alone(report);
  demand.blocks = blocks_of(report);
  const auto part = [&](std::uint64_t bytes, double rate) {
    return std::min(1.0, static_cast<double>(bytes) / rate / demand.duration);
  };
  const observe::MemoryCounters& memory = report.memory;
  demand.of(Shared::kHbm) = part(memory.hbm_read_bytes + memory.hbm_write_bytes, hbm_);
  demand.of(Shared::kL2) = part(memory.l2_bytes, l2_);
  return demand;
}

Demand Rates::copy(Direction direction, std::uint64_t bytes) const {
  const double count = static_cast<double>(bytes);
  const bool to_device = direction == Direction::kToDevice,
             to_host = direction == Direction::kToHost;
  const bool within = direction == Direction::kWithin;
  const Microseconds time = count / (to_device ? to_device_
                                     : to_host ? to_host_
                                     : within  ? within_
                                               : set_);
  Demand demand;
  demand.duration = latency_ + time;
  if (to_device) demand.of(Shared::kToDevice) = time / demand.duration;
  if (to_host) demand.of(Shared::kToHost) = time / demand.duration;
  // A copy within the device reads and writes.
  const double moved = within ? 2 * count : count;
  demand.of(Shared::kHbm) = std::min(1.0, moved / hbm_ / demand.duration);
  return demand;
}

Demand Rates::copy(const sim::LinkClass& link, std::uint64_t bytes) const {
  Demand demand;
  demand.duration =
      latency_ + 1e6 * (link.write_seconds + static_cast<double>(bytes) / link.bytes_per_second);
  return demand;
}

}  // namespace davsim::runtime
