#include "sim/unit/fixpipe_engine.hpp"

#include <algorithm>
#include <bit>

#include "observe/whole_cycles.hpp"
#include "sim/unit/unit_registry.hpp"

namespace davsim::sim {

using observe::whole_cycles;
namespace {

/// Cycles a row of n fp32 elements takes on its way out of L0C. Fitted on tiles up to 256 columns;
/// the penalty of an odd number of columns is never more than its columns one by one.
double row_cycles(std::uint32_t n, const FixpipeTiming& t) {
  constexpr std::uint32_t kColumn = 8;  // fp32 elements of a 32-byte block
  const std::uint32_t columns = (n + kColumn - 1) / kColumn;
  const std::uint32_t odd = columns == 0 ? 1 : columns >> std::countr_zero(columns);
  const double penalty = std::min(t.odd_fractal_row * (odd - 1), t.row_min * columns);
  return std::max(t.row_min, 4.0 * n / t.l0c_bandwidth) + penalty;
}

/// The unit-flag mode of an entry; moves to FB have none.
isa::UnitFlag unit_flag_of(const isa::Instr& instr) {
  const auto* p = std::get_if<isa::FixpipeInstrParams>(&instr.params);
  return p == nullptr ? isa::UnitFlag::kOff : p->unit_flag;
}

}  // namespace

FixpipeEngine::FixpipeEngine(const TimingTable& timing, memory::MemoryPortIf& port,
                             memory::RequesterId requester, std::uint64_t gm_base,
                             UnitFlags& unit_flags)
    : DmaEngine(timing, isa::CoreType::AIC, port, requester, gm_base, fixpipe_cost),
      unit_flags_(unit_flags) {}

bool FixpipeEngine::blocked(const QueueEntry& entry, Cycle now, Cycle& retry) {
  if (unit_flag_of(entry.instr) == isa::UnitFlag::kOff) return false;
  const auto [addr, bytes] = isa::accumulator_extent(entry.instr);
  return !unit_flags_.available(addr, bytes, true, now, retry);
}

Cycle FixpipeEngine::start(QueueEntry& entry, Cycle now) {
  const Cycle next = DmaEngine::start(entry, now);
  const isa::UnitFlag unit_flag = unit_flag_of(entry.instr);
  if (unit_flag == isa::UnitFlag::kOff) return next;
  // It cannot end before the cube has handed over the last block.
  const auto [addr, bytes] = isa::accumulator_extent(entry.instr);
  min_end() = std::max(min_end(), static_cast<double>(unit_flags_.last_at(addr, bytes) + 1));
  works(static_cast<double>(now), min_end());  // in step with the cube
  if (unit_flag == isa::UnitFlag::kToggle) {
    unit_flags_.hand_over(addr, bytes, false, now, whole_cycles(min_end()));
  }
  if (next == kNever) return kNever;
  entry.done = std::max(entry.done, whole_cycles(min_end()));
  return entry.done;
}

PortCost fixpipe_cost(const isa::Instr& instr, const TimingTable& timing, isa::CoreType) {
  const FixpipeTiming& t = timing.fixpipe;
  PortCost cost;
  const auto* p = std::get_if<isa::FixpipeInstrParams>(&instr.params);
  if (p == nullptr) {
    cost.min_cycles = timing.mte1.load2d_overhead +
                      static_cast<double>(isa::moved_bytes(instr)) / timing.mte1.bt_bandwidth;
    return cost;
  }
  if (instr.dst.space != isa::Space::kGm) {
    cost.min_cycles = t.l1_fixed + double(p->m) * p->n / t.l1_throughput;
    return cost;
  }
  cost.setup = t.fixed;
  cost.bytes_per_cycle = timing.dma.fix_write_port;
  cost.min_cycles = double(p->m) * row_cycles(p->n, t) * p->nd_num;
  return cost;
}

namespace {

const UnitRegistration kFixpipe("fixpipe", {isa::Pipe::FIX},
                                [](const UnitContext& context) -> std::unique_ptr<UnitModel> {
                                  return std::make_unique<FixpipeEngine>(
                                      context.timing, context.memory_port, context.requester,
                                      context.gm_base, context.unit_flags);
                                });

}  // namespace

}  // namespace davsim::sim
