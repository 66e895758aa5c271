#include "sim/instr_work.hpp"

#include "isa/exec/execute.hpp"
#include "isa/exec/vector_shape.hpp"

namespace davsim::sim {
namespace {

using isa::Space;
using traces::Path;

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
    {Space::kL1, Space::kFb, Path::kL1ToFb},
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
  constexpr std::uint64_t kFractalBytes = 512;
  if (const auto* p = std::get_if<isa::Load2dParams>(&instr.params)) {
    // A transposing load of other than 16-bit elements moves squares of two fractals.
    const bool pairs = p->transpose && isa::dtype_bits(instr.dst.type) != 16;
    return p->repeats * (pairs ? 2 : 1) * kFractalBytes;
  }
  if (const auto* p = std::get_if<isa::Load3dParams>(&instr.params)) {
    return std::uint64_t{p->k_extension} * p->m_extension * isa::dtype_bits(instr.dst.type) / 8;
  }
  if (const auto* p = std::get_if<isa::MoveParams>(&instr.params)) {
    return std::uint64_t{p->bursts} * p->burst_bytes;
  }
  return 0;
}

InstrWork work_of(const isa::Instr& instr) {
  InstrWork work;
  if (const auto* p = std::get_if<isa::MmadInstrParams>(&instr.params)) {
    work.macs =
        round_up(p->m, 16) * round_up(p->n, 16) * round_up(p->k, fractal_k(instr.src0.type));
    return work;
  }
  if (std::holds_alternative<isa::VectorParams>(instr.params)) {
    work.lanes = isa::vector_shape(instr).lanes;
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
