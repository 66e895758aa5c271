// A device whose dies are dealt to the ranks of a group: time advances in windows, which
// Fabric::exchange() joins. Nothing waits for a time of the host.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory/cycle.hpp"
#include "sim/device/device_impl.hpp"
#include "sim/device/start_systemc.hpp"

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

std::uint64_t Device::Impl::last_of_all(std::uint64_t number) const {
  // The complement of the largest number is the least.
  const std::vector<std::string> nothing(options_.group->ranks());
  return ~options_.group->exchange(nothing, ~number).least;
}

Cycle Device::Impl::run_windows(Cycle limit) {
  for (;;) {
    const Cycle first = fabric_->exchange(next_cycle());
    if (first == kNever) break;
    if (first >= limit && !running_.empty()) {
      fail(over_limit());
      break;
    }
    const Cycle end = std::min(first + fabric_->lookahead(), limit);
    if (next_cycle() >= end) continue;
    clock_.stop_before(end);
    start_systemc(memory::until_unit(end * memory::kUnitsPerCycle - 1),
                  sc_core::SC_EXIT_ON_STARVATION);
    if (fault_) break;
  }
  clock_.stop_before(kNever);
  if (fault_) return current_cycle();
  const Cycle last = last_of_all(current_cycle());
  if (current_cycle() < last) {
    fabric_->call_at(last, 0, [] {});
    start_systemc();
  }
  return last;
}

namespace {

/// What a rank tells the others of a die's launch.
struct ReportRecord {
  std::uint64_t place = 0, block_dim = 0;  ///< the place among the launches
  observe::Cycle start = 0, cycles = 0;
  double overhead_us = 0;
  observe::MemoryCounters memory;
};

}  // namespace

void Device::Impl::complete_reports(const std::vector<std::uint32_t>& dies,
                                    const std::vector<const isa::KernelEntry*>& kernels,
                                    std::vector<observe::LaunchReport>& reports) const {
  std::string own;
  for (std::size_t i = 0; i < dies.size(); ++i) {
    if (!has_die(dies[i])) continue;
    const observe::LaunchReport& report = reports[i];
    const ReportRecord record{
        i, report.block_dim, report.start, report.cycles, report.launch_overhead_us, report.memory};
    own.append(reinterpret_cast<const char*>(&record), sizeof record);
  }
  const std::vector<std::string> to(options_.group->ranks(), own);
  for (const std::string& from : options_.group->exchange(to, 0).from) {
    for (std::size_t at = 0; at + sizeof(ReportRecord) <= from.size(); at += sizeof(ReportRecord)) {
      ReportRecord record;
      std::memcpy(&record, from.data() + at, sizeof record);
      if (has_die(dies[record.place])) continue;
      observe::LaunchReport& report = reports[record.place];
      report.soc = soc_.name();
      report.kernel = kernels[record.place]->name;
      report.frequency_mhz = soc_.frequency_mhz();
      report.block_dim = static_cast<std::uint32_t>(record.block_dim);
      report.start = record.start;
      report.cycles = record.cycles;
      report.launch_overhead_us = record.overhead_us;
      report.memory = record.memory;
    }
  }
}

}  // namespace davsim::sim
