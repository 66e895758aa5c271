// A launch on all dies, from its first block to its reports.
#include "sim/device/device_impl.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "isa/core/kernel_registry.hpp"
#include "isa/core/local_pointer.hpp"
#include "isa/core/running_launch.hpp"
#include "memory/cycle.hpp"
#include "sim/device/start_systemc.hpp"

namespace davsim::sim {

using memory::current_cycle;

namespace {

/// SystemC's time is picoseconds in 64 bits.
constexpr Cycle kMostCycles = Cycle{1} << 40;

/// Makes the processes of all modules, each with a stack.
void elaborate() {
  // What is pending when a launch stands may be notifications that were cancelled.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                          sc_core::SC_DO_NOTHING);
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const sc_core::sc_report& report) {
    if (std::string_view(report.get_msg_type()) != sc_core::SC_ID_STACK_SETUP_FAILED_) throw;
    throw std::system_error(std::make_error_code(std::errc::not_enough_memory),
                            "the host has no room for the stacks of the cores");
  }
}

/// nullptr: the process is alone.
RankGroup* group_of(const DeviceOptions& options) {
  return options.group != nullptr && options.group->ranks() > 1 ? options.group : nullptr;
}

/// What observers of several dies see as one launch.
observe::LaunchReport merged(const std::vector<observe::LaunchReport>& reports) {
  observe::LaunchReport all = reports.front();
  for (std::size_t i = 1; i < reports.size(); ++i) {
    const observe::LaunchReport& more = reports[i];
    all.cycles = std::max(all.cycles, more.cycles);
    all.cores.insert(all.cores.end(), more.cores.begin(), more.cores.end());
    all.memory.l2_read_hits += more.memory.l2_read_hits;
    all.memory.l2_read_misses += more.memory.l2_read_misses;
    all.memory.l2_write_hits += more.memory.l2_write_hits;
    all.memory.l2_write_misses += more.memory.l2_write_misses;
    all.memory.l2_bytes += more.memory.l2_bytes;
    all.memory.hbm_read_bytes += more.memory.hbm_read_bytes;
    all.memory.hbm_write_bytes += more.memory.hbm_write_bytes;
  }
  return all;
}

/// A call of launch(), among those that have not returned.
class Call {
 public:
  using Dies = std::vector<std::uint32_t>;
  Call(std::vector<Dies>& calls, const Dies& dies) : calls_(calls) { calls_.push_back(dies); }
  ~Call() { calls_.pop_back(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  std::vector<Dies>& calls_;
};

}  // namespace

Device::Impl::Impl(SocConfig soc, std::optional<SystemConfig> system, DeviceOptions options)
    : soc_(std::move(soc)),
      system_(std::move(system)),
      options_(options),
      timing_(soc_),
      memories_(system_ ? system_->dies() : 1, soc_.hbm_bytes(), options_.memory_file,
                group_of(options)),
      reports_(options.lines) {
  memory::ClockPeriod::set(soc_.frequency_mhz());
  options_.group = group_of(options_);
  if (memories_.dies() > 1) {
    fabric_ = std::make_unique<Fabric>(
        *system_, soc_.frequency_mhz(),
        Fabric::Surroundings{memories_, clock_, effects_, options_.values, options_.group,
                             [this](isa::Fault fault) { fail(std::move(fault)); }});
  }
  cores_per_die_ = soc_.aic_count() * (1 + aivs_per_aic(soc_));
  const DieSurroundings around{soc_,           options_, timing_, clock_, effects_,     call_sites_,
                               buffer_memory_, reports_, *this,   polls_, fabric_.get()};
  const DieDeal deal(memories_.dies(), options_.group);
  std::optional<memory::HeapInLargePages> heap;
  if (memories_.dies() > 1) heap.emplace();
  for (std::uint32_t i = 0; i < memories_.dies(); ++i) {
    if (heap) heap->grown();
    dies_.push_back(deal.has(i) ? std::make_unique<Die>(i, around, memories_) : nullptr);
  }
  if (options_.group != nullptr) prepare_ranks();
  if (system_) {
    collectives_ = std::make_unique<Collectives>(
        *system_, soc_.product(), options_.mode == Mode::kTimed ? fabric_.get() : nullptr,
        memories_, effects_, options_.values);
  }
  elaborate();  // the cores now wait for blocks
}

Device::Impl::~Impl() = default;

void Device::Impl::fail(isa::Fault fault) {
  if (aborting_) return;
  // What an instruction did wrong that had ended before this went wrong.
  std::optional<isa::Fault> earlier = effects_.end();
  fault_ = earlier ? std::move(*earlier) : std::move(fault);
  abort();
}

void Device::Impl::core_finished(std::uint32_t core) {
  polls_.look_anew();
  polls_.something_happened();
  // Who gets the next block must not depend on the order of processes within an instant.
  die_of_core(core).memory().at_arbitration(core, [this, core] { after_block(core); });
}

void Device::Impl::check(RunWatcher* watcher) {
  watcher_ = watcher;
  for (auto& die : dies_) {
    if (die != nullptr) die->watch(watcher);
  }
  if (collectives_) collectives_->watch(watcher);
}

void Device::Impl::require_sound(const std::vector<DieLaunch>& launches) const {
  if (!options_.cores) throw std::invalid_argument("kernels run on dies with cores");
  if (launches.empty()) throw std::invalid_argument("a launch without kernels");
  std::vector<bool> taken(dies_.size());
  for (const DieLaunch& launch : launches) {
    if (launch.block_dim == 0 || launch.block_dim > isa::kMostBlocks) {
      throw std::invalid_argument("launch of '" + launch.entry->name + "': block_dim is " +
                                  std::to_string(launch.block_dim) + ", allowed are 1 to " +
                                  std::to_string(isa::kMostBlocks));
    }
    if (launch.die >= dies_.size()) {
      throw std::invalid_argument("launch of '" + launch.entry->name + "' on die " +
                                  std::to_string(launch.die) + " of " +
                                  std::to_string(dies_.size()));
    }
    const bool runs = !calls_.empty() && has_die(launch.die) && dies_[launch.die]->busy();
    if (taken[launch.die] || runs) {
      throw std::invalid_argument("two launches on die " + std::to_string(launch.die) +
                                  " at the same time");
    }
    taken[launch.die] = true;
  }
}

std::vector<observe::LaunchReport> Device::Impl::launch(std::vector<DieLaunch> launches) {
  require_sound(launches);
  Dies order;
  bool local_pointers = false;
  std::vector<const isa::KernelEntry*> kernels;
  for (const DieLaunch& launch : launches) {
    order.push_back(launch.die);
    kernels.push_back(launch.entry);
    local_pointers = local_pointers || launch.entry->traits.local_pointers;
  }
  const bool joins = !calls_.empty();
  const isa::RunningLaunch running;
  const Call call(calls_, order);
  if (joins) {
    join_launch(std::move(launches));
  } else {
    begin_launch(std::move(launches));
  }
  ++begun_;
  if (local_pointers) isa::serve_local_pointers();
  if (joins) begin_others(LaterLaunches::Patience::kShort);
  run_to_end();
  if (fault_) {
    if (fault_->kernel.empty()) fault_->kernel = die(order.front()).kernel().name;
    if (joins) throw isa::Fault(*fault_);
    if (watcher_ != nullptr) watcher_->launch_ends(&*fault_);
    throw_fault();
  }
  std::vector<observe::LaunchReport> reports = reports_of(order, kernels);
  if (joins) {
    joined_.insert(joined_.end(), reports.begin(), reports.end());
  } else {
    end_launch(reports);
  }
  return reports;
}

std::vector<observe::LaunchReport> Device::Impl::reports_of(
    const Dies& dies, const std::vector<const isa::KernelEntry*>& kernels) {
  std::vector<observe::LaunchReport> reports;
  for (const std::uint32_t number : dies) {
    if (!has_die(number)) {
      reports.emplace_back();
      continue;
    }
    die(number).memory().flush_sample(die(number).end());
    reports.push_back(die(number).report());
  }
  if (options_.group != nullptr) complete_reports(dies, kernels, reports);
  return reports;
}

void Device::Impl::end_launch(const std::vector<observe::LaunchReport>& reports) {
  if (watcher_ != nullptr) watcher_->launch_ends(nullptr);
  if (reports_.observer() == nullptr) return;
  std::vector<observe::LaunchReport> all = reports;
  all.insert(all.end(), joined_.begin(), joined_.end());
  reports_.observer()->launch_ends(all.size() == 1 ? all.front() : merged(all));
}

void Device::Impl::throw_fault() {
  if (!fault_) return;
  isa::Fault fault = std::move(*fault_);
  fault_.reset();
  throw fault;
}

void Device::Impl::begin_launch(std::vector<DieLaunch> launches) {
  aborting_ = false;
  fault_.reset();
  running_.clear();
  joined_.clear();
  stall_ = Stall::kNone;
  // The launch before may have ended in the second half of a cycle.
  start_ = current_cycle() + memory::in_arbitration();
  if (options_.group != nullptr) start_ = last_of_all(start_);
  for (auto& die : dies_) {
    if (die != nullptr) die->end_launch();
  }
  Dies all;
  for (const DieLaunch& launch : launches) all.push_back(launch.die);
  std::vector<Cycle> starts(launches.size(), start_);
  if (collectives_ && options_.mode == Mode::kTimed) {
    const std::vector<Cycle> delays =
        collectives_->take_delays(launches.size(), soc_.frequency_mhz());
    for (std::size_t i = 0; i < starts.size(); ++i) starts[i] += delays[i];
  }
  begin_dies(std::move(launches), starts);
  polls_.begin(dies_.size() * cores_per_die_, others_write() || others_launch());
  if (fabric_) fabric_->reset_counters();
  if (collectives_) collectives_->begin_launch(all);
  if (reports_.observer() != nullptr) reports_.observer()->launch_begins(description());
  if (watcher_ != nullptr) {
    std::vector<const memory::GlobalMemory*> memories;
    for (std::uint32_t i = 0; i < memories_.dies(); ++i) memories.push_back(&memories_.of(i));
    watcher_->launch_begins(description(), memories);
  }
  for (const std::uint32_t number : running_) {
    dies_[number]->start_first_blocks(options_.wake_order_seed);
  }
}

void Device::Impl::begin_dies(std::vector<DieLaunch> launches, const std::vector<Cycle>& starts) {
  std::size_t next = 0;
  for (DieLaunch& launch : launches) {
    const Cycle start = starts[next++];
    if (!has_die(launch.die)) continue;
    Die& die = *dies_[launch.die];
    die.memory().reset_counters();
    die.memory().attach(reports_.observer());
    running_.push_back(launch.die);
    die.begin_launch(std::move(launch), start);
  }
}

void Device::Impl::after_block(std::uint32_t core) {
  if (aborting_) return;
  Die& die = die_of_core(core);
  try {
    die.block_ended(core);
  } catch (isa::Fault& fault) {
    fail(std::move(fault));
    return;
  }
  // A memory with processes of its own may never run out of things to do, nor do launches that
  // wait for this one.
  const bool joined = calls_.size() > 1 && done(calls_.back());
  if (joined || (die.memory().has_processes() && all_done())) sc_core::sc_pause();
}

bool Device::Impl::done(const Dies& dies) const {
  return std::none_of(dies.begin(), dies.end(), [this](std::uint32_t number) {
    return has_die(number) && dies_[number]->busy();
  });
}

bool Device::Impl::wants_effect_thread() const {
  // The host is asked once: it reads files to answer.
  static const bool several_processors = std::thread::hardware_concurrency() > 1;
  return options_.threads > 1 && options_.mode == Mode::kTimed && options_.values &&
         options_.group == nullptr && (watcher_ == nullptr || !watcher_->looks_at_values()) &&
         several_processors;
}

void Device::Impl::run_to_end() {
  const bool joined = calls_.size() > 1;
  if (!joined && wants_effect_thread()) effects_.begin();
  do {
    run_until_stall();
  } while (serve_stall() && !(joined && done(calls_.back())) && sc_core::sc_pending_activity());
  if (joined) {
    settle_effects();
  } else if (std::optional<isa::Fault> late = effects_.end()) {
    fail(std::move(*late));
  }
  if (!fault_ && !done(calls_.back())) fail(deadlock());
  // Lets the kernels unwind; SystemC warns where there is none left.
  if (fault_ && sc_core::sc_pending_activity()) start_systemc();
}

void Device::Impl::run_until_stall() {
  if (options_.group != nullptr) {
    run_windows(options_.max_cycles == 0 ? memory::kNever
                                         : start_ + std::min(options_.max_cycles, kMostCycles));
  } else if (options_.max_cycles > 0 && options_.mode == Mode::kTimed) {
    const Cycle limit = start_ + std::min(options_.max_cycles, kMostCycles);
    clock_.stop_before(limit);
    start_systemc(memory::until(limit), sc_core::SC_EXIT_ON_STARVATION);
    clock_.stop_before(memory::kNever);
    const bool paused = stall_ != Stall::kNone || done(calls_.back());
    if (!fault_ && !paused && sc_core::sc_pending_activity()) fail(over_limit());
  } else {
    start_systemc();
  }
}

Cycle Device::Impl::finish_transfers() {
  const Cycle start = current_cycle();
  if (options_.group != nullptr) return run_windows(memory::kNever) - start;
  if (sc_core::sc_pending_activity()) start_systemc();
  return current_cycle() - start;
}

void Device::Impl::abort() {
  aborting_ = true;
  clock_.clear();
  if (fabric_) fabric_->drop();
  if (collectives_) collectives_->abort();
  for (auto& die : dies_) {
    if (die == nullptr) continue;
    die->memory().drop_posts();
    for (auto& core : die->cores()) core->abort();
  }
}

observe::LaunchDescription Device::Impl::description() const {
  const Die& first = *dies_[running_.front()];
  observe::LaunchDescription d;
  d.soc = soc_.name();
  d.kernel = first.kernel().name;
  d.frequency_mhz = soc_.frequency_mhz();
  d.start = start_;
  d.block_dim = first.schedule().blocks();
  d.gm_base = dies_.front()->global().base();
  d.queue_depth = timing_.scalar.queue_depth;
  d.path_bytes_per_cycle = timing_.path_bytes_per_cycle();
  for (const auto& die : dies_) {
    if (die == nullptr) continue;
    for (const auto& core : die->cores()) d.cores.push_back(core->place());
  }
  return d;
}

std::string Device::Impl::suspicion() const {
  for (const auto& die : dies_) {
    if (die == nullptr) continue;
    for (const auto& core : die->cores()) {
      if (std::string found = core->suspicion(); !found.empty()) return found;
    }
  }
  return {};
}

}  // namespace davsim::sim
