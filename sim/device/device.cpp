#include "sim/device/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "isa/core/local_pointer.hpp"
#include "memory/cycle.hpp"
#include "sim/core/functional_core.hpp"
#include "sim/core/timed_core.hpp"
#include "sim/device/device_impl.hpp"

namespace davsim::sim {

using memory::current_cycle;

namespace {

constexpr std::uint32_t kMaxBlocks = 65535;
/// SystemC's time is picoseconds in 64 bits.
constexpr Cycle kMostCycles = Cycle{1} << 40;

bool g_device_exists = false;

}  // namespace

Device::Impl::Impl(SocConfig soc, DeviceOptions options)
    : soc_(std::move(soc)),
      options_(options),
      aics_(soc_.aic_count()),
      aivs_per_aic_(aivs_per_aic(soc_)),
      timing_(soc_),
      global_(soc_.hbm_bytes(), options_.memory_file),
      memory_("memory", timing_.memory, clock_),
      reports_(options.lines),
      flags_(options.mode == Mode::kTimed ? timing_.cross_core_latency : 0) {
  memory::ClockPeriod::set(soc_.frequency_mhz());
  const CoreSpec aic = core_spec(soc_, isa::CoreType::AIC),
                 aiv = core_spec(soc_, isa::CoreType::AIV);
  for (std::uint32_t i = 0; i < aics_; ++i) add_core(aic, i, 0);
  for (std::uint32_t i = 0; i < aics_ * aivs_per_aic_; ++i) {
    add_core(aiv, i / aivs_per_aic_, i % aivs_per_aic_);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates; the cores now wait for blocks
}

void Device::Impl::fail(isa::Fault fault) {
  if (aborting_) return;
  // What an instruction did wrong that had ended before this went wrong.
  std::optional<isa::Fault> earlier = effects_.end();
  fault_ = earlier ? std::move(*earlier) : std::move(fault);
  abort();
}

void Device::Impl::core_finished(std::uint32_t core) {
  polls_.look_anew();
  // Who gets the next block must not depend on the order of processes within an instant.
  memory_.at_arbitration(core, [this, core] { after_block(core); });
}

void Device::Impl::add_core(const CoreSpec& spec, std::uint32_t ai_core, std::uint32_t sub) {
  const auto index = static_cast<std::uint32_t>(cores_.size());
  const bool cube = spec.type == isa::CoreType::AIC;
  const std::string id = "core" + std::to_string(ai_core);
  const std::string part = cube ? "cubecore0" : "veccore" + std::to_string(sub);
  const std::string module = id + "_" + part;
  observe::CoreDescription place{index, spec.type, id + "." + part, ai_core, sub};
  const CoreEnvironment environment{*this,
                                    {clock_, memory_, global_, global_.base(), flags_, effects_,
                                     call_sites_, buffer_memory_, options_.values},
                                    reports_};
  if (options_.mode == Mode::kTimed) {
    cores_.push_back(std::make_unique<TimedCore>(module.c_str(), std::move(place), spec, timing_,
                                                 soc_.frequency_mhz(), environment));
  } else {
    cores_.push_back(
        std::make_unique<FunctionalCore>(module.c_str(), std::move(place), spec, environment));
  }
}

void Device::Impl::check(RunWatcher* watcher) {
  watcher_ = watcher;
  flags_.watch(watcher);
  for (auto& core : cores_) core->watch_run(watcher);
}

observe::LaunchReport Device::Impl::launch(const isa::KernelEntry& entry, std::uint32_t block_dim,
                                           std::function<void()> aic, std::function<void()> aiv) {
  if (block_dim == 0 || block_dim > kMaxBlocks) {
    throw std::invalid_argument("launch of '" + entry.name + "': block_dim is " +
                                std::to_string(block_dim) + ", allowed are 1 to 65535");
  }
  entry_ = &entry;
  aic_ = std::move(aic);
  aiv_ = std::move(aiv);
  type_ = entry.type_for(tiling_key_);
  schedule_ = BlockSchedule(type_, aics_, aivs_per_aic_, block_dim);
  begin_launch();
  for (auto& core : cores_) core->forget_unordered();
  if (entry.traits.local_pointers) isa::serve_local_pointers();
  run_to_end();
  if (fault_) {
    isa::Fault fault = std::move(*fault_);
    if (fault.kernel.empty()) fault.kernel = entry.name;
    if (watcher_ != nullptr) watcher_->launch_ends(&fault);
    throw fault;
  }
  if (watcher_ != nullptr) watcher_->launch_ends(nullptr);
  memory_.flush_sample(end_);
  observe::LaunchReport result = report();
  if (reports_.observer() != nullptr) reports_.observer()->launch_ends(result);
  return result;
}

/// Code lies behind all that kernels can allocate: each kernel's for the cubes, then for the
/// vectors.
std::uint64_t Device::Impl::code_base(isa::CoreType type) const {
  const std::uint64_t half = 2 * code_order_.at(entry_->name) + (type == isa::CoreType::AIV);
  return soc_.hbm_bytes() + half * kMostCode;
}

void Device::Impl::begin_launch() {
  aborting_ = false;
  fault_.reset();
  // The launch before may have ended in the second half of a cycle.
  start_ = end_ = current_cycle() + memory::in_arbitration();
  memory_.reset_counters();
  memory_.attach(reports_.observer());
  flags_.begin(cores_.size(), schedule_.blocks_of(isa::CoreType::AIC),
               schedule_.blocks_of(isa::CoreType::AIV), schedule_.aivs_per_ai_core(),
               [this](std::uint32_t core, Cycle at) { cores_[core]->cross_core_arrival(at); });
  polls_.begin(cores_.size());
  code_order_.try_emplace(entry_->name, code_order_.size());
  prepare_library_workspace();
  for (auto& core : cores_) core->begin_launch(start_, code_base(core->type()));
  if (reports_.observer() != nullptr) reports_.observer()->launch_begins(description());
  if (watcher_ != nullptr) watcher_->launch_begins(description(), global_);

  std::vector<std::uint32_t> order(schedule_.first_wave());
  std::iota(order.begin(), order.end(), 0u);
  if (options_.wake_order_seed != 0) {
    std::shuffle(order.begin(), order.end(), std::mt19937(options_.wake_order_seed));
  }
  schedule_.start_first_wave();
  for (const std::uint32_t slot : order) start_block(slot, slot, start_);
}

void Device::Impl::start_block(std::uint32_t slot, std::uint32_t block, Cycle cycle) {
  std::vector<CrossCoreFlags::Member> members;
  for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
    members.push_back({core_index(seat.type, seat.ai_core, seat.sub), block, seat.type});
  }
  flags_.join(members);
  if (watcher_ != nullptr) {
    std::vector<std::uint32_t> cores;
    for (const CrossCoreFlags::Member& member : members) cores.push_back(member.core);
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
    cores_[core_index(seat.type, seat.ai_core, seat.sub)]->begin(std::move(job), cycle);
  }
}

void Device::Impl::after_block(std::uint32_t core) {
  if (aborting_) return;
  end_ = std::max(end_, current_cycle());
  const observe::CoreDescription& place = cores_[core]->place();
  const std::uint32_t slot = schedule_.slot_of(place.ai_core, place.sub_block);
  if (!schedule_.core_done(slot)) return;  // its siblings still run
  try {
    require_flags_awaited(slot);
  } catch (isa::Fault& fault) {
    fail(std::move(fault));
    return;
  }
  const std::optional<std::uint32_t> next = schedule_.next_block(slot);
  if (next) start_block(slot, *next, current_cycle() + timing_.launch.block_dispatch);
  // A memory with processes of its own may never run out of things to do.
  if (schedule_.all_done() && memory_.has_processes()) sc_core::sc_pause();
}

void Device::Impl::require_flags_awaited(std::uint32_t slot) {
  for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
    const std::uint32_t core = core_index(seat.type, seat.ai_core, seat.sub);
    flags_.require_none_left(core, cores_[core]->report_name());
    flags_.leave(core);
  }
}

bool Device::Impl::wants_effect_thread() const {
  return options_.threads > 1 && options_.mode == Mode::kTimed && options_.values &&
         (watcher_ == nullptr || !watcher_->looks_at_values()) &&
         std::thread::hardware_concurrency() > 1;
}

void Device::Impl::run_to_end() {
  if (wants_effect_thread()) effects_.begin();
  if (options_.max_cycles > 0 && options_.mode == Mode::kTimed) {
    const Cycle limit = start_ + std::min(options_.max_cycles, kMostCycles);
    clock_.stop_before(limit);
    sc_core::sc_start(memory::until(limit), sc_core::SC_EXIT_ON_STARVATION);
    clock_.stop_before(memory::kNever);
    if (!fault_ && !schedule_.all_done() && sc_core::sc_pending_activity()) {
      fail(isa::Fault(isa::FaultClass::kLimit, "the launch is not over after " +
                                                   std::to_string(options_.max_cycles) +
                                                   " cycles, the limit of this run"));
    }
  } else {
    sc_core::sc_start();
  }
  if (std::optional<isa::Fault> late = effects_.end()) fail(std::move(*late));
  if (!fault_ && !schedule_.all_done()) fail(deadlock());
  // Lets the kernels unwind; SystemC warns where there is none left.
  if (fault_ && sc_core::sc_pending_activity()) sc_core::sc_start();
}

void Device::Impl::abort() {
  aborting_ = true;
  clock_.clear();
  memory_.drop_posts();
  for (auto& core : cores_) core->abort();
}

observe::LaunchDescription Device::Impl::description() const {
  observe::LaunchDescription d;
  d.soc = soc_.name();
  d.kernel = entry_->name;
  d.frequency_mhz = soc_.frequency_mhz();
  d.start = start_;
  d.block_dim = schedule_.blocks();
  d.gm_base = global_.base();
  d.queue_depth = timing_.scalar.queue_depth;
  d.path_bytes_per_cycle = timing_.path_bytes_per_cycle();
  for (const auto& core : cores_) d.cores.push_back(core->place());
  return d;
}

observe::LaunchReport Device::Impl::report() const {
  observe::LaunchReport r;
  r.soc = soc_.name();
  r.kernel = entry_->name;
  r.frequency_mhz = soc_.frequency_mhz();
  r.timed = options_.mode == Mode::kTimed;
  r.block_dim = schedule_.blocks();
  r.start = start_;
  r.cycles = r.timed ? end_ - start_ : 0;
  if (r.timed) r.launch_overhead_us = timing_.launch.overhead_us(type_, schedule_.first_wave());
  for (std::uint32_t slot = 0; slot < schedule_.first_wave(); ++slot) {
    for (const BlockSchedule::Seat& seat : schedule_.seats(slot)) {
      observe::CoreCounters& counters = r.cores.emplace_back();
      const std::uint32_t core = core_index(seat.type, seat.ai_core, seat.sub);
      cores_[core]->end_launch(end_, counters);
      counters.l2 = memory_.l2_counters(core * kRequestersPerCore, kRequestersPerCore);
      counters.start -= std::min(counters.start, start_);
      counters.end -= std::min(counters.end, start_);
    }
  }
  r.memory = memory_.counters();
  return r;
}

std::string Device::Impl::unordered_access() const {
  for (const auto& core : cores_) {
    if (!core->unordered()) continue;
    const AutoSync::Unordered& found = *core->unordered();
    return core->report_name() + " accesses UB byte " + std::to_string(found.addr) + " by " +
           std::string(isa::pipe_name(found.later)) + " at " + observe::short_line(found.where) +
           ", and nothing orders it behind " + std::string(isa::pipe_name(found.earlier));
  }
  return {};
}

Device::Device(SocConfig soc, DeviceOptions options) {
  if (g_device_exists) {
    throw std::logic_error(
        "a process simulates one device: SystemC elaborates once; use another process for another "
        "SoC");
  }
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);  // SystemC's switch for its banner
  impl_ = std::make_unique<Impl>(std::move(soc), options);
  g_device_exists = true;
}

// A simulation that was started cannot be taken down and built again, so a device stays the only
// one of its process even after its end.
Device::~Device() = default;

const SocConfig& Device::soc() const {
  return impl_->soc_;
}
memory::GlobalMemory& Device::memory() {
  return impl_->global_;
}
Mode Device::mode() const {
  return impl_->options_.mode;
}
void Device::flush_l2() {
  impl_->memory_.l2().flush();
}
void Device::check(RunWatcher* watcher) {
  impl_->check(watcher);
}
void Device::attach(observe::Observer* observer) {
  impl_->reports_.attach(observer);
}

std::string Device::unordered_access() const {
  return impl_->unordered_access();
}

void Device::set_tiling_key(std::uint64_t key) {
  impl_->set_tiling_key(key);
}

observe::LaunchReport Device::launch(const isa::KernelEntry& entry, std::uint32_t block_dim,
                                     std::function<void()> aic, std::function<void()> aiv) {
  return impl_->launch(entry, block_dim, std::move(aic), std::move(aiv));
}

}  // namespace davsim::sim
