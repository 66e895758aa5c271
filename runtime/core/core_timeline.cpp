#include "runtime/core/core_timeline.hpp"

#include <algorithm>
#include <map>

namespace davsim::runtime {
namespace {

/// What a launch needs of one slot: how long its cores were at work.
struct Block {
  bool cube = false;
  std::uint32_t vectors = 0;
  Microseconds end = 0;  ///< after the launch
};

/// The slots of a launch, those that worked longest first.
std::vector<Block> blocks_of(const observe::LaunchReport& report) {
  bool mixed = false, vector = false;
  for (const observe::CoreCounters& core : report.cores) {
    (core.type == isa::CoreType::AIC ? mixed : vector) = true;
  }
  mixed = mixed && vector;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Block> blocks;
  for (const observe::CoreCounters& core : report.cores) {
    const bool cube = core.type == isa::CoreType::AIC;
    Block& block = blocks[{core.ai_core, mixed || cube ? 0 : core.sub_block}];
    block.cube = block.cube || cube;
    block.vectors += cube ? 0 : 1;
    block.end = std::max(block.end, static_cast<double>(core.end) / report.frequency_mhz);
  }
  std::vector<Block> list;
  for (const auto& [place, block] : blocks) list.push_back(block);
  std::stable_sort(list.begin(), list.end(),
                   [](const Block& a, const Block& b) { return a.end > b.end; });
  return list;
}

}  // namespace

CoreTimeline::CoreTimeline(std::uint32_t aics, std::uint32_t aivs_per_aic)
    : aics_(aics), aivs_per_aic_(aivs_per_aic), free_(aics * (1 + aivs_per_aic), 0.0) {}

Microseconds CoreTimeline::free_at(const Seat& seat) const {
  Microseconds free = 0;
  for (const std::size_t core : seat) free = std::max(free, free_[core]);
  return free;
}

/// Everything that could hold one block of the launch.
std::vector<CoreTimeline::Seat> CoreTimeline::seats(const observe::LaunchReport& report) const {
  const Block shape = blocks_of(report).front();
  std::vector<Seat> all;
  if (!shape.cube) {
    for (std::size_t i = 0; i < std::size_t{aics_} * aivs_per_aic_; ++i) all.push_back({aics_ + i});
    return all;
  }
  for (std::size_t i = 0; i < aics_; ++i) {
    Seat& seat = all.emplace_back(Seat{i});
    for (std::uint32_t sub = 0; sub < shape.vectors; ++sub) {
      seat.push_back(aics_ + i * aivs_per_aic_ + sub);
    }
  }
  return all;
}

CoreTimeline::Span CoreTimeline::place(Microseconds ready, const observe::LaunchReport& report) {
  if (!report.timed || report.cores.empty()) return {ready, ready};
  const std::vector<Block> blocks = blocks_of(report);
  std::vector<Seat> free = seats(report);
  std::stable_sort(free.begin(), free.end(),
                   [this](const Seat& a, const Seat& b) { return free_at(a) < free_at(b); });
  Microseconds start = ready;
  for (std::size_t i = 0; i < blocks.size(); ++i) start = std::max(start, free_at(free[i]));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (const std::size_t core : free[i]) {
      free_[core] = start + report.launch_overhead_us + blocks[i].end;
    }
  }
  return {start, start + report.task_time_us()};
}

}  // namespace davsim::runtime
