// Launches that join a running one. Where all cores wait for what none of them will write, the
// clock stops, and who launches may begin others on the dies that are free. Each is a call of
// Device::launch() within the one that waits, and runs the clock for all of them until it has ended
// itself.
#include <algorithm>
#include <utility>

#include "isa/core/running_launch.hpp"
#include "memory/cycle.hpp"
#include "sim/device/device_impl.hpp"

namespace davsim::sim {

/// Those that hear of launches know the cores of all dies since the first one began.
void Device::Impl::join_launch(std::vector<DieLaunch> launches) {
  const Dies dies = calls_.back();
  const Cycle start = memory::current_cycle() + memory::in_arbitration();
  for (const std::uint32_t number : running_) dies_[number]->others_begin(start);
  const std::vector<Cycle> starts(launches.size(), start);
  begin_dies(std::move(launches), starts);
  for (const std::uint32_t number : dies) {
    dies_[number]->start_first_blocks(options_.wake_order_seed);
  }
  polls_.look_anew();
  polls_.something_happened();
}

bool Device::Impl::stall(Stall how) {
  if (!others_launch() || options_.group != nullptr) return false;
  stall_ = std::max(stall_, how);
  sc_core::sc_pause();
  return true;
}

/// False if no core stalled, or nothing goes on.
bool Device::Impl::serve_stall() {
  const Stall how = std::exchange(stall_, Stall::kNone);
  if (how == Stall::kNone || fault_) return false;
  settle_effects();
  const std::uint64_t before = begun_;
  begin_others(how == Stall::kCertain ? LaterLaunches::Patience::kLong
                                      : LaterLaunches::Patience::kShort);
  if (begun_ == before && how == Stall::kCertain && !fault_) fail(deadlock());
  return !fault_;
}

/// Each of them waits in turn for others, so one is enough.
void Device::Impl::begin_others(LaterLaunches::Patience patience) {
  const isa::WaitingLaunch waits;
  const std::uint64_t before = begun_;
  while (!fault_ && begun_ == before && others_launch() && later_->begin_one(patience)) {
  }
}

void Device::Impl::settle_effects() {
  try {
    effects_.settle();
  } catch (isa::Fault& fault) {
    fail(std::move(fault));
  }
}

}  // namespace davsim::sim
