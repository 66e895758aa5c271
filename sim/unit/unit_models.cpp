#include "sim/unit/unit_models.hpp"

#include <algorithm>
#include <bit>

#include "isa/exec/accesses.hpp"
#include "isa/exec/cube/load.hpp"
#include "isa/exec/vector/sort.hpp"
#include "isa/exec/vector/transpose.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "memory/ub_banks.hpp"
#include "observe/whole_cycles.hpp"
#include "sim/unit/instr_work.hpp"
#include "sim/unit/unit_registry.hpp"

namespace davsim::sim {

using observe::whole_cycles;
namespace {

constexpr std::uint64_t kFractal = 16;

}  // namespace

// --- vector ------------------------------------------------------------------------------------

namespace {

/// Beats a repeat takes to read its operands: three tensors at three addresses do not fit in one.
double read_beats(const isa::Instr& instr) {
  const isa::OpcodeFacts& row = isa::facts(instr.op);
  const bool three = row.reads_dst && row.src1 != isa::Form::kAbsent;
  const bool apart = instr.dst.addr != instr.src0.addr && instr.dst.addr != instr.src1.addr &&
                     instr.src0.addr != instr.src1.addr;
  return three && apart ? 2 : 1;
}

}  // namespace

VectorModel::Cost VectorModel::cost(const isa::DecodedInstr& instr) const {
  if (std::holds_alternative<isa::MoveParams>(instr.params)) return {move_cycles(instr), 0};
  if (std::holds_alternative<isa::TransposeParams>(instr.params)) return transpose_cost(instr);
  if (std::holds_alternative<isa::SortParams>(instr.params)) {
    return {element_cycles(instr, isa::sorted_pairs(instr)), 0};
  }
  const isa::VectorShape& shape = instr.shape;
  const VectorRow& row = timing_.rows[static_cast<std::size_t>(instr.op)];
  const auto& params = std::get<isa::VectorParams>(instr.params);
  const double reads = row.cycles_per_repeat[std::countr_zero(shape.widest())] * read_beats(instr);
  const bool by_tensor = instr.op == isa::Opcode::kGatherMask && params.pattern == 0;
  const double beat = by_tensor ? std::max(reads, timing_.pattern_tensor_beat) : reads;
  const memory::UbBankTiming banks{timing_.bank_groups, timing_.bank_bytes,
                                   timing_.read_write_conflict};
  const bool counter = params.mask_mode == isa::MaskMode::kCounter;
  const double floor = counter ? timing_.count_mode_floor : 0;
  const double smooth = beat * static_cast<double>(shape.steps());
  const double work = smooth + memory::ub_conflict_cycles(shape, reads, banks);
  return {row.fixed + std::max(work, floor), std::max(work, floor) - std::max(smooth, floor),
          shape.lanes()};
}

double VectorModel::move_cycles(const isa::Instr& instr) const {
  const VectorRow& row = timing_.rows[static_cast<std::size_t>(instr.op)];
  const std::size_t bytes = std::max<std::size_t>(1, isa::dtype_bytes(instr.dst.type));
  const double rate = row.elements_per_cycle[std::countr_zero(bytes)];
  return row.fixed +
         static_cast<double>(isa::moved_bytes(instr)) / (rate * static_cast<double>(bytes));
}

double VectorModel::element_cycles(const isa::Instr& instr, std::uint64_t elements) const {
  const VectorRow& row = timing_.rows[static_cast<std::size_t>(instr.op)];
  const double rate = row.elements_per_cycle[std::countr_zero(isa::dtype_bytes(instr.dst.type))];
  return row.fixed + static_cast<double>(elements) / rate;
}

VectorModel::Cost VectorModel::transpose_cost(const isa::Instr& instr) const {
  const auto& params = std::get<isa::TransposeParams>(instr.params);
  const double conflicts = memory::ub_transpose_conflict_cycles(params, timing_.bank_groups);
  return {element_cycles(instr, isa::transposed_elements(instr)) + conflicts, conflicts};
}

Cycle VectorModel::start(QueueEntry& entry, Cycle now) {
  const Cost cost = this->cost(entry.instr);
  entry.done = now + whole_cycles(cost.cycles);
  entry.bank_conflicts = whole_cycles(cost.cycles) - whole_cycles(cost.cycles - cost.conflicts);
  entry.lanes = cost.lanes;
  // Back-to-back instructions are measured at their full length each: no overlap.
  return entry.done;
}

Stall VectorModel::stall(const QueueEntry& entry, Cycle) {
  return {observe::CycleClass::kBankConflict, entry.bank_conflicts};
}

// --- cube --------------------------------------------------------------------------------------

double CubeModel::cycles(const isa::DecodedInstr& instr) const {
  const bool hf32 = std::get<isa::MmadInstrParams>(instr.params).hf32;
  return static_cast<double>(work_of(instr).macs) / timing_.rate(instr.src0.type, hf32);
}

bool CubeModel::blocked(const QueueEntry& entry, Cycle now, Cycle& retry) {
  const auto& p = std::get<isa::MmadInstrParams>(entry.instr.params);
  if (p.unit_flag == isa::UnitFlag::kOff) return false;
  const auto [addr, bytes] = isa::accumulator_extent(entry.instr);
  return !unit_flags_.available(addr, bytes, false, now, retry);
}

Cycle CubeModel::start(QueueEntry& entry, Cycle now) {
  const auto& p = std::get<isa::MmadInstrParams>(entry.instr.params);
  const double work = cycles(entry.instr);
  Cycle end = now + whole_cycles(work);
  if (p.unit_flag != isa::UnitFlag::kOff) {
    // It cannot overtake the Fixpipe that still empties the blocks behind its start.
    const auto [addr, bytes] = isa::accumulator_extent(entry.instr);
    end = std::max(end, unit_flags_.last_at(addr, bytes) + 1);
    if (p.unit_flag == isa::UnitFlag::kToggle) {
      const Cycle latency = whole_cycles(timing_.latency);
      unit_flags_.hand_over(addr, bytes, true, now + latency, end + latency);
    }
  }
  entry.done = end + whole_cycles(timing_.latency);
  return end + whole_cycles(timing_.issue_overhead);
}

// --- MTE1 --------------------------------------------------------------------------------------

double Mte1Model::rate_into(isa::Space space) const {
  if (space == isa::Space::kL0A) return timing_.l0a_bandwidth;
  if (space == isa::Space::kL0B) return timing_.l0b_bandwidth;
  return timing_.bt_bandwidth;
}

double Mte1Model::load_3d_cycles(const isa::Load3dParams& load, const isa::Operand& dst) const {
  // Cycles of 512 bytes: those of a dense map, two more for each column that the stride skips, and
  // one for each row of the map if the 16 rows of a fractal come from more than one of them.
  const double dense = timing_.load3d_l1_read / rate_into(dst.space);
  const double most = timing_.load3d_max_cycles + dense - 2;
  const bool even = std::has_single_bit(unsigned{load.stride_w}) && load.stride_w <= 8;
  const auto cycles = [&](std::int64_t map_rows) {
    if (!even) return most;
    const double strided = dense + 2.0 * (load.stride_w - 1);
    return std::min(most, strided + (map_rows > 1 ? static_cast<double>(map_rows) : 0.0));
  };
  const std::int64_t places = std::max<std::int64_t>(1, isa::filter_places_per_row(load));
  const double row = load.k_extension * static_cast<double>(isa::dtype_bits(dst.type)) / 8 /
                     timing_.load3d_l1_read;
  double total = 0;
  for (std::int64_t repeat = 0; repeat < load.repeats; ++repeat) {
    const std::int64_t start = load.m_start + repeat * load.repeat_m_step;
    for (std::int64_t done = 0; done < load.m_extension; done += kFractal) {
      const auto rows = std::min<std::int64_t>(kFractal, load.m_extension - done);
      const std::int64_t first = start + done;
      total += static_cast<double>(rows) * row *
               cycles((first + rows - 1) / places - first / places + 1);
    }
  }
  return total;
}

Cycle Mte1Model::start(QueueEntry& entry, Cycle now) {
  const isa::DecodedInstr& instr = entry.instr;
  double cycles = 0;
  if (const auto* load = std::get_if<isa::Load3dParams>(&instr.params)) {
    cycles = timing_.load3d_overhead + load_3d_cycles(*load, instr.dst);
  } else {
    cycles = timing_.load2d_overhead +
             static_cast<double>(isa::moved_bytes(instr)) / rate_into(instr.dst.space);
  }
  const Cycle end = now + whole_cycles(cycles);
  entry.done = end + whole_cycles(timing_.latency);
  return end;
}

// --- names ---------------------------------------------------------------------------------------

namespace {

const UnitRegistration kVector("vector", {isa::Pipe::V},
                               [](const UnitContext& context) -> std::unique_ptr<UnitModel> {
                                 return std::make_unique<VectorModel>(context.timing.vector);
                               });
const UnitRegistration kCube("cube", {isa::Pipe::M},
                             [](const UnitContext& context) -> std::unique_ptr<UnitModel> {
                               return std::make_unique<CubeModel>(context.timing.cube,
                                                                  context.unit_flags);
                             });
const UnitRegistration kMte1("mte1", {isa::Pipe::MTE1},
                             [](const UnitContext& context) -> std::unique_ptr<UnitModel> {
                               return std::make_unique<Mte1Model>(context.timing.mte1);
                             });

}  // namespace

}  // namespace davsim::sim
