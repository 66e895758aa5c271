#include "sim/device/die.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "sim/core/functional_core.hpp"
#include "sim/core/timed_core.hpp"
#include "sim/system/fabric.hpp"

namespace davsim::sim {

using memory::current_cycle;

Die::Die(std::uint32_t number, const DieSurroundings& around, DieMemories& memories)
    : number_(number),
      soc_(around.soc),
      options_(around.options),
      timing_(around.timing),
      aics_(soc_.aic_count()),
      aivs_per_aic_(aivs_per_aic(soc_)),
      first_core_(number * (aics_ + aics_ * aivs_per_aic_)),
      prefix_(around.fabric == nullptr ? "" : "die" + std::to_string(number)),
      global_(memories.of(number)),
      memory_((prefix_ + (prefix_.empty() ? "" : "_") + "memory").c_str(), timing_.memory,
              around.clock),
      flags_(options_.mode == Mode::kTimed ? timing_.cross_core_latency : 0) {
  if (around.fabric != nullptr) {
    around.fabric->connect(number, memory_, (aics_ + aics_ * aivs_per_aic_) * kRequestersPerCore,
                           kRequestersPerCore);
  }
  memory::MemoryPortIf& port = around.fabric == nullptr
                                   ? static_cast<memory::MemoryPortIf&>(memory_)
                                   : around.fabric->port(number);
  const CoreEnvironment environment{
      around.launch,
      {around.clock, port, memories.reached_from(number), global_.base(), flags_, around.effects,
       around.call_sites, around.buffers, library_, around.polls, first_core_, options_.values},
      around.reports};
  if (!options_.cores) return;
  const CoreSpec aic = core_spec(soc_, isa::CoreType::AIC),
                 aiv = core_spec(soc_, isa::CoreType::AIV);
  for (std::uint32_t i = 0; i < aics_; ++i) add_core(environment, aic, i, 0);
  for (std::uint32_t i = 0; i < aics_ * aivs_per_aic_; ++i) {
    add_core(environment, aiv, i / aivs_per_aic_, i % aivs_per_aic_);
  }
}

void Die::add_core(const CoreEnvironment& environment, const CoreSpec& spec, std::uint32_t ai_core,
                   std::uint32_t sub) {
  const auto index = first_core_ + static_cast<std::uint32_t>(cores_.size());
  const bool cube = spec.type == isa::CoreType::AIC;
  const std::string id = "core" + std::to_string(ai_core);
  const std::string part = cube ? "cubecore0" : "veccore" + std::to_string(sub);
  const std::string module = (prefix_.empty() ? "" : prefix_ + "_") + id + "_" + part;
  observe::CoreDescription place{
      index, spec.type, (prefix_.empty() ? "" : prefix_ + ".") + id + "." + part, ai_core, sub};
  if (options_.mode == Mode::kTimed) {
    cores_.push_back(std::make_unique<TimedCore>(module.c_str(), std::move(place), spec, timing_,
                                                 soc_.frequency_mhz(), environment));
  } else {
    cores_.push_back(
        std::make_unique<FunctionalCore>(module.c_str(), std::move(place), spec, environment));
  }
}

void Die::watch(RunWatcher* watcher) {
  watcher_ = watcher;
  flags_.watch(watcher, first_core_);
  for (auto& core : cores_) core->watch_run(watcher);
}

/// Code lies behind all that kernels can allocate: each kernel's for the cubes, then for the
/// vectors.
std::uint64_t Die::code_base(isa::CoreType type) const {
  const std::uint64_t half = 2 * code_order_.at(entry_->name) + (type == isa::CoreType::AIV);
  return soc_.hbm_bytes() + half * kMostCode;
}

void Die::begin_launch(DieLaunch launch, Cycle start) {
  const isa::KernelType type = launch.entry->type_for(launch.tiling_key);
  schedule_ = BlockSchedule(type, aics_, aivs_per_aic_, launch.block_dim);  // may refuse
  entry_ = launch.entry;
  tiling_key_ = launch.tiling_key;
  type_ = type;
  aic_ = std::move(launch.aic);
  aiv_ = std::move(launch.aiv);
  start_ = end_ = start;
  alone_ = 0;
  flags_.begin(cores_.size(), schedule_.blocks_of(isa::CoreType::AIC),
               schedule_.blocks_of(isa::CoreType::AIV), schedule_.aivs_per_ai_core(),
               [this](std::uint32_t core, Cycle at) { cores_[core]->cross_core_arrival(at); });
  code_order_.try_emplace(entry_->name, code_order_.size());
  prepare_library_workspace();
  // A launch on few cores leaves the others' memory alone.
  for (auto& core : cores_) core->forget_suspicion();
  for (std::uint32_t slot = 0; slot < schedule_.first_wave(); ++slot) {
    for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
      Core& core = *cores_[place_of(seat.type, seat.ai_core, seat.sub)];
      core.begin_launch(start_, code_base(core.type()));
    }
  }
}

void Die::others_begin(Cycle start) {
  if (busy() && alone_ == 0) alone_ = start - std::min(start, start_);
}

void Die::start_first_blocks(std::uint32_t seed) {
  std::vector<std::uint32_t> order(schedule_.first_wave());
  std::iota(order.begin(), order.end(), 0u);
  if (seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  schedule_.start_first_wave();
  for (const std::uint32_t slot : order) start_block(slot, slot, start_);
}

void Die::start_block(std::uint32_t slot, std::uint32_t block, Cycle cycle) {
  std::vector<CrossCoreFlags::Member> members;
  for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
    members.push_back({place_of(seat.type, seat.ai_core, seat.sub), block, seat.type});
  }
  flags_.join(members);
  if (watcher_ != nullptr) {
    std::vector<std::uint32_t> cores;
    for (const CrossCoreFlags::Member& member : members) {
      cores.push_back(first_core_ + member.core);
    }
    watcher_->blocks_begin(cores);
  }
  for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
    CoreJob job;
    job.identity = {seat.type,
                    type_,
                    block,
                    schedule_.blocks(),
                    seat.type == isa::CoreType::AIV ? schedule_.sub_of(seat) : 0,
                    std::max(1u, schedule_.aivs_per_ai_core()),
                    tiling_key_,
                    {}};  // its pipes are the core's to say
    job.kernel = seat.type == isa::CoreType::AIC ? aic_ : aiv_;
    if (!job.kernel) job.kernel = [] {};
    job.kernel_name = entry_->name;
    job.traits = entry_->traits;
    cores_[place_of(seat.type, seat.ai_core, seat.sub)]->begin(std::move(job), cycle);
  }
}

void Die::block_ended(std::uint32_t number) {
  end_ = std::max(end_, current_cycle());
  const observe::CoreDescription& place = core(number).place();
  const std::uint32_t slot = schedule_.slot_of(place.ai_core, place.sub_block);
  if (!schedule_.core_done(slot)) return;  // its siblings still run
  require_flags_awaited(slot);
  const std::optional<std::uint32_t> next = schedule_.next_block(slot);
  if (next) start_block(slot, *next, current_cycle() + timing_.launch.block_dispatch);
}

void Die::require_flags_awaited(std::uint32_t slot) {
  for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
    const std::uint32_t place = place_of(seat.type, seat.ai_core, seat.sub);
    flags_.require_none_left(place, cores_[place]->report_name());
    flags_.leave(place);
  }
}

observe::LaunchReport Die::report() const {
  observe::LaunchReport r;
  r.soc = soc_.name();
  r.kernel = entry_->name;
  r.frequency_mhz = soc_.frequency_mhz();
  r.timed = options_.mode == Mode::kTimed;
  r.block_dim = schedule_.blocks();
  r.start = start_;
  r.cycles = r.timed ? end_ - start_ : 0;
  r.alone = r.timed ? alone_ : 0;
  if (r.timed) r.launch_overhead_us = timing_.launch.overhead_us(type_, schedule_.first_wave());
  for (std::uint32_t slot = 0; slot < schedule_.first_wave(); ++slot) {
    for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
      observe::CoreCounters& counters = r.cores.emplace_back();
      const std::uint32_t place = place_of(seat.type, seat.ai_core, seat.sub);
      cores_[place]->end_launch(end_, counters);
      counters.l2 = memory_.l2_counters(place * kRequestersPerCore, kRequestersPerCore);
      counters.start -= std::min(counters.start, start_);
      counters.end -= std::min(counters.end, start_);
    }
  }
  r.memory = memory_.counters();
  return r;
}

std::vector<std::uint32_t> Die::setters_for(std::uint32_t number, std::uint8_t flag) const {
  std::vector<std::uint32_t> setters = flags_.setters_for(number - first_core_, flag);
  std::erase_if(setters, [this](std::uint32_t setter) { return !cores_[setter]->running(); });
  for (std::uint32_t& setter : setters) setter += first_core_;
  return setters;
}

}  // namespace davsim::sim
