// A device whose dies are dealt to the ranks of a group: time advances in windows, which
// Fabric::exchange() joins. Nothing waits for a time of the host.
#include <stdexcept>

#include "memory/cycle.hpp"
#include "sim/device/device_impl.hpp"

namespace davsim::sim {

using memory::current_cycle;
using memory::kNever;

namespace {

/// The cycle of SystemC's next event.
Cycle next_cycle() {
  if (!sc_core::sc_pending_activity()) return kNever;
  const sc_core::sc_time next = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
  return memory::ClockPeriod::unit_of(next.value()) / memory::kUnitsPerCycle;
}

}  // namespace

void Device::Impl::prepare_ranks() {
  if (options_.group->ranks() > memories_.dies()) {
    throw std::invalid_argument("there are " + std::to_string(options_.group->ranks()) +
                                " ranks for " + std::to_string(memories_.dies()) +
                                " dies; a rank needs one at least");
  }
  if (options_.mode != Mode::kTimed) {
    throw std::invalid_argument("dies without a clock are in one process");
  }
  for (const auto& die : dies_) {
    if (die != nullptr && die->memory().has_processes()) {
      throw std::invalid_argument(
          "several ranks need a model of HBM that answers at once; this one has processes");
    }
  }
  fabric_->set_lookahead(timing_.memory.l2_write_latency);
}

Cycle Device::Impl::run_windows() {
  for (;;) {
    const Cycle first = fabric_->exchange(next_cycle());
    if (first == kNever) break;
    const Cycle limit = first + fabric_->lookahead();
    if (next_cycle() >= limit) continue;
    clock_.stop_before(limit);
    sc_core::sc_start(memory::until_unit(limit * memory::kUnitsPerCycle - 1),
                      sc_core::SC_EXIT_ON_STARVATION);
  }
  clock_.stop_before(kNever);
  // The last cycle is the largest of all, so its complement is the least.
  const std::vector<std::string> nothing(options_.group->ranks());
  const Cycle last = ~options_.group->exchange(nothing, ~current_cycle()).least;
  if (current_cycle() < last) {
    fabric_->call_at(last, [] {});
    sc_core::sc_start();
  }
  return last;
}

}  // namespace davsim::sim
