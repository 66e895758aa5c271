// What the instructions of a core compute and touch, as the vendor's profiler counts it.
#include <algorithm>
#include <variant>

#include "isa/exec/accesses.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "traces/msprof/msprof_tables.hpp"

namespace davsim::traces {
namespace {

using isa::DType;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

MsprofCore::VectorKind vector_kind(const isa::Instr& instr) {
  if (isa::facts(instr.op).operations == 0) return MsprofCore::kMisc;
  switch (instr.src0.type != DType::kNone ? instr.src0.type : instr.dst.type) {
    case DType::kF32:
      return MsprofCore::kFp32;
    case DType::kF16:
    case DType::kBF16:
      return MsprofCore::kFp16;
    case DType::kI32:
    case DType::kU32:
      return MsprofCore::kInt32;
    case DType::kI16:
    case DType::kU16:
      return MsprofCore::kInt16;
    default:
      return MsprofCore::kMisc;
  }
}

bool is_float(DType type) {
  return type == DType::kF32 || type == DType::kF16 || type == DType::kBF16;
}

void add_vector(MsprofCore& core, const InstrEvent& event) {
  const isa::DecodedInstr& instr = *event.instr;
  const MsprofCore::VectorKind kind = vector_kind(instr);
  core.vector_cycles[kind] += event.end - event.start;
  const bool counts = kind == MsprofCore::kFp32 || kind == MsprofCore::kFp16;
  if (counts) core.vector_flops += instr.shape.lanes() * isa::facts(instr.op).operations;
  // What lies where offsets in memory lead to is not counted.
  static thread_local isa::AccessList accesses;
  isa::list_possible_accesses(instr, 0, accesses);
  for (const isa::Access& access : accesses) {
    if (access.space != isa::Space::kUb) continue;
    (access.writes() ? core.ub_write_vector : core.ub_read_vector) += access.moved();
  }
}

void add_cube(MsprofCore& core, const InstrEvent& event) {
  const isa::Instr& instr = *event.instr;
  const auto* p = std::get_if<isa::MmadInstrParams>(&instr.params);
  if (p == nullptr) return;
  const Cycle cycles = event.end - event.start;
  const std::size_t bits = isa::dtype_bits(instr.src0.type);
  const bool fp = is_float(instr.src0.type);
  (fp ? core.cube_fp_instructions : core.cube_int_instructions) += 1;
  if (fp && bits == 16) core.cube_fp16_cycles += cycles;
  if (!fp && bits == 8) core.cube_int8_cycles += cycles;
  constexpr std::uint64_t kFractal = 16, kRowBits = 256, kAccumulatorBytes = 4;
  const std::uint64_t m = round_up(p->m, kFractal), n = round_up(p->n, kFractal),
                      k = round_up(p->k, std::max<std::uint64_t>(
                                             1, kRowBits / std::max<std::size_t>(bits, 1)));
  core.l0a_read += m * k * bits / 8;
  core.l0b_read += k * n * bits / 8;
  core.l0c_write += m * n * kAccumulatorBytes;
  if (!p->init_zero) core.l0c_read += m * n * kAccumulatorBytes;
}

}  // namespace

void MsprofCore::add(const InstrEvent& event) {
  const isa::Instr& instr = *event.instr;
  switch (instr.opcode_info().unit) {
    case isa::Unit::Vector:
      return add_vector(*this, event);
    case isa::Unit::Cube:
      return add_cube(*this, event);
    case isa::Unit::Scalar:
      if (instr.src0.space == isa::Space::kUb) ub_read_scalar += isa::dtype_bytes(instr.src0.type);
      if (instr.dst.space == isa::Space::kUb) ub_write_scalar += isa::dtype_bytes(instr.dst.type);
      return;
    default:
      return;
  }
}

}  // namespace davsim::traces
