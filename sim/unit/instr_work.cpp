#include "sim/unit/instr_work.hpp"

#include "isa/exec/accesses.hpp"
#include "isa/exec/vector/sort.hpp"
#include "isa/exec/vector/transpose.hpp"
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

}  // namespace

std::uint32_t fractal_k(isa::DType type) {
  constexpr std::uint32_t kRowBits = 256;
  return kRowBits / static_cast<std::uint32_t>(isa::dtype_bits(type));
}

InstrWork work_of(const isa::DecodedInstr& instr) {
  InstrWork work;
  if (const auto* p = std::get_if<isa::MmadInstrParams>(&instr.params)) {
    // Of four rows of a sparse B, two are multiplied.
    const std::uint64_t k = p->sparse ? (p->k + 1u) / 2 : p->k;
    work.macs = round_up(p->m, 16) * round_up(p->n, 16) * round_up(k, fractal_k(instr.src0.type));
    return work;
  }
  if (std::holds_alternative<isa::VectorParams>(instr.params)) {
    work.lanes = instr.shape.lanes();
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
    work.bytes = isa::moved_bytes(instr);
  }
  return work;
}

}  // namespace davsim::sim
