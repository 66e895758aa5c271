#include "sim/unit/instr_work.hpp"

#include "isa/exec/execute.hpp"
#include "isa/exec/vector/sort.hpp"
#include "isa/exec/vector/transpose.hpp"
#include "isa/exec/vector/vector_shape.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::sim {
namespace {

using isa::Space;
using observe::Path;

struct PathRow {
  Space from, to;
  Path path;
};
constexpr PathRow kPaths[] = {
    {Space::kGm, Space::kUb, Path::kGmToUb},   {Space::kGm, Space::kL1, Path::kGmToL1},
    {Space::kUb, Space::kGm, Path::kUbToGm},   {Space::kL1, Space::kGm, Path::kL1ToGm},
    {Space::kL1, Space::kL0A, Path::kL1ToL0A}, {Space::kL1, Space::kL0B, Path::kL1ToL0B},
    {Space::kL1, Space::kBt, Path::kL1ToBt},   {Space::kL0C, Space::kGm, Path::kL0CToGm},
    {Space::kL0C, Space::kL1, Path::kL0CToL1}, {Space::kUb, Space::kUb, Path::kUbToUb},
    {Space::kL1, Space::kFb, Path::kL1ToFb},   {Space::kGm, Space::kL0A, Path::kGmToL0A},
    {Space::kGm, Space::kL0B, Path::kGmToL0B},
};

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t moved_bytes(const isa::Instr& instr) {
  const isa::GmFootprint footprint = isa::gm_footprint(instr);
  if (footprint.bytes() > 0) return footprint.bytes();
  if (const auto* p = std::get_if<isa::FixpipeInstrParams>(&instr.params)) {
    return std::uint64_t{p->m} * p->n * isa::dtype_bytes(instr.dst.type);
  }
  return local_bytes(instr);
}

}  // namespace

std::uint32_t fractal_k(isa::DType type) {
  constexpr std::uint32_t kRowBits = 256;
  return kRowBits / static_cast<std::uint32_t>(isa::dtype_bits(type));
}

std::uint64_t local_bytes(const isa::Instr& instr) {
  if (const auto* p = std::get_if<isa::Load2dParams>(&instr.params)) {
    std::uint64_t bytes = p->repeats * std::uint64_t{isa::kFractalBytes};
    if (p->transpose) bytes *= isa::fractals_per_square(instr.dst.type);
    // Two bits of index for each element of a sparse fractal.
    const bool sparse = isa::facts(instr.op).src1 == isa::Form::kSparseIndices;
    return sparse ? bytes + bytes / 4 : bytes;
  }
  if (const auto* p = std::get_if<isa::Load3dParams>(&instr.params)) {
    const std::uint64_t elements = std::uint64_t{p->k_extension} * p->m_extension * p->repeats;
    return elements * isa::dtype_bits(instr.dst.type) / 8;
  }
  if (const auto* p = std::get_if<isa::MoveParams>(&instr.params)) {
    return std::uint64_t{p->bursts} * p->burst_bytes;
  }
  return 0;
}

InstrWork work_of(const isa::Instr& instr) {
  InstrWork work;
  if (const auto* p = std::get_if<isa::MmadInstrParams>(&instr.params)) {
    // Of four rows of a sparse B, two are multiplied.
    const std::uint64_t k = p->sparse ? (p->k + 1u) / 2 : p->k;
    work.macs = round_up(p->m, 16) * round_up(p->n, 16) * round_up(k, fractal_k(instr.src0.type));
    return work;
  }
  if (std::holds_alternative<isa::VectorParams>(instr.params)) {
    work.lanes = isa::vector_shape(instr).lanes;
    return work;
  }
  if (std::holds_alternative<isa::TransposeParams>(instr.params)) {
    work.lanes = isa::transposed_elements(instr);
    return work;
  }
  if (std::holds_alternative<isa::SortParams>(instr.params)) {
    work.lanes = isa::sorted_pairs(instr);
    return work;
  }
  for (const PathRow& row : kPaths) {
    if (row.from != instr.src0.space || row.to != instr.dst.space) continue;
    work.on_path = true;
    work.path = row.path;
    work.bytes = moved_bytes(instr);
  }
  return work;
}

}  // namespace davsim::sim
