#include "isa/exec/accesses.hpp"

#include "isa/exec/cube/fixpipe_quant.hpp"
#include "isa/exec/cube/mmad_sizes.hpp"
#include "isa/exec/move/move.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

constexpr std::uint64_t kL0cRowBytes = 64;
using Kind = Access::Kind;

Access runs(const Operand& operand, Kind kind, const Runs& runs) {
  Access access;
  access.space = operand.space;
  access.kind = kind;
  access.operand = &operand;
  access.addr = operand.addr;
  access.bytes = runs.bytes;
  access.rows = runs.count;
  access.pitch = runs.pitch;
  if (kind == Kind::kReadAround) access.unit = kFractalBytes;
  return access;
}

Access table(Space space, Kind kind, std::uint64_t addr, std::uint64_t bytes) {
  Access access;
  access.space = space;
  access.kind = kind;
  access.addr = addr;
  access.bytes = bytes;
  return access;
}

/// Columns of DataBlocks, whose rows mostly follow each other.
void list_nd2nz(const Instr& instr, const Nd2NzMoveParams& move, AccessList& list) {
  const std::uint64_t element = dtype_bytes(instr.src0.type);
  if (move.rows == 0 || move.cols == 0 || move.matrices == 0) return;
  Access from = runs(
      instr.src0, Kind::kRead,
      {move.rows, move.cols * element, static_cast<std::int64_t>(move.src_row_stride * element)});
  from.groups = move.matrices;
  from.group_pitch = static_cast<std::int64_t>(move.src_matrix_stride * element);
  list.add(from);
  const std::uint64_t columns = ceil_div(move.cols * element, kBlockBytes);
  const auto row_pitch = static_cast<std::int64_t>(move.dst_row_stride) * kBlockBytes;
  for (std::uint64_t matrix = 0; matrix < move.matrices; ++matrix) {
    Access to = runs(instr.dst, Kind::kWrite, {move.rows, kBlockBytes, row_pitch});
    to.addr += matrix * move.dst_matrix_stride * element;
    to.groups = columns;
    to.group_pitch = static_cast<std::int64_t>(move.dst_c0_stride) * kBlockBytes;
    list.add(to);
  }
}

void list_move(const Instr& instr, const MoveParams& move, AccessList& list) {
  const OpcodeFacts& row = facts(instr.op);
  const bool widens = instr.op == Opcode::kMoveL1ToBt && instr.src0.type == DType::kF16 &&
                      instr.dst.type == DType::kF32;
  std::uint64_t written = move.burst_bytes;
  if (row.dst == Form::kPaddedRuns) written = padded_burst(move, instr.dst.type);
  if (row.src0 != Form::kAbsent) {
    const std::uint64_t read = widens ? move.burst_bytes / 2 : move.burst_bytes;
    list.add(runs(instr.src0, Kind::kRead, {move.bursts, read, move.src_pitch}));
  }
  list.add(runs(instr.dst, Kind::kWrite, {move.bursts, written, move.dst_pitch}));
}

void list_load_2d(const Instr& instr, const Load2dParams& load, AccessList& list) {
  const bool squares = facts(instr.op).src0 == Form::kSquares;
  const std::uint64_t fractals = squares ? fractals_per_square(instr.src0.type) : 1;
  const std::uint64_t bytes = fractals * kFractalBytes;
  const auto pitch = static_cast<std::int64_t>(load.src_stride * bytes);
  Access from =
      runs(instr.src0, Kind::kReadAround, {load.repeats, bytes, load.decrease ? -pitch : pitch});
  from.addr += load.start * bytes;
  from.unit = bytes;
  list.add(from);
  Access to =
      runs(instr.dst, Kind::kWrite,
           {fractals, kFractalBytes, (load.dst_frac_gap + 1) * std::int64_t{kFractalBytes}});
  to.groups = load.repeats;
  to.group_pitch = (load.dst_gap + 1) * std::int64_t{kFractalBytes};
  list.add(to);
}

void list_load_sparse(const Instr& instr, const Load2dParams& load, AccessList& list) {
  const std::uint64_t bytes = std::uint64_t{load.repeats} * kFractalBytes;
  const std::uint64_t start = std::uint64_t{load.start} * kFractalBytes;
  Access from = runs(instr.src0, Kind::kReadAround, {1, bytes, 0});
  from.addr += start;
  list.add(from);
  Access index = runs(instr.src1, Kind::kReadAround, {1, bytes / 4, 0});
  index.addr += start / 4;
  index.unit = kFractalBytes / 4;
  list.add(index);
  list.add(runs(instr.dst, Kind::kWrite, {1, bytes, 0}));
  list.add(table(Space::kSparseIndex, Kind::kWrite, instr.dst.addr / 4, bytes / 4));
}

void list_mmad(const Instr& instr, const MmadInstrParams& mmad, AccessList& list) {
  const MmadSizes sizes(mmad, instr.src0.type);
  list.add(runs(instr.src0, Kind::kReadAround, {1, sizes.a_bytes, 0}));
  list.add(runs(instr.src1, Kind::kReadAround, {1, sizes.b_bytes, 0}));
  if (mmad.sparse) {
    list.add(table(Space::kSparseIndex, Kind::kRead, instr.src1.addr / 4, sizes.b_bytes / 4));
  }
  if (mmad.bias_from_bt) {
    list.add(table(Space::kBt, Kind::kRead, mmad.bias_addr, std::uint64_t{mmad.n} * 4));
  }
  const Runs columns = {sizes.n_fractals, mmad.m * kL0cRowBytes,
                        static_cast<std::int64_t>(sizes.m_fractals * kResultFractalBytes)};
  if (!mmad.init_zero && !mmad.bias_from_bt) list.add(runs(instr.dst, Kind::kRead, columns));
  list.add(runs(instr.dst, Kind::kWrite, columns));
}

void list_fixpipe(const Instr& instr, const FixpipeInstrParams& fixpipe, AccessList& list) {
  const std::uint64_t element = dtype_bytes(instr.dst.type);
  const std::uint64_t matrices = fixpipe.nz2nd ? fixpipe.nd_num : 1;
  Access from = runs(instr.src0, Kind::kRead,
                     {ceil_div(fixpipe.n, 16), fixpipe.m * kL0cRowBytes,
                      static_cast<std::int64_t>(fixpipe.src_stride * kL0cRowBytes)});
  from.groups = matrices;
  from.group_pitch = static_cast<std::int64_t>(fixpipe.src_nd_stride) * kResultFractalBytes;
  list.add(from);
  if (takes_words_per_column(fixpipe.quant)) {
    list.add(table(Space::kFb, Kind::kRead, fixpipe.quant_fb_addr, fixpipe.n * std::uint64_t{8}));
  }
  Runs to = {fixpipe.m, fixpipe.n * element,
             static_cast<std::int64_t>(fixpipe.dst_stride * element)};
  if (!fixpipe.nz2nd) {
    const std::uint64_t c0 = fixpipe_c0(instr.dst.type, fixpipe.channel_split);
    to = {ceil_div(fixpipe.n, c0), fixpipe.m * c0 * element,
          static_cast<std::int64_t>(fixpipe.dst_stride) * kBlockBytes};
  }
  Access written = runs(instr.dst, Kind::kWrite, to);
  written.groups = matrices;
  written.group_pitch = static_cast<std::int64_t>(fixpipe.dst_nd_stride * element);
  list.add(written);
}

}  // namespace

void list_move_accesses(const Instr& instr, AccessList& list) {
  if (const auto* nd2nz = std::get_if<Nd2NzMoveParams>(&instr.params)) {
    list_nd2nz(instr, *nd2nz, list);
  } else if (const auto* move = std::get_if<MoveParams>(&instr.params)) {
    list_move(instr, *move, list);
  }
}

void list_cube_accesses(const Instr& instr, AccessList& list) {
  if (const auto* load = std::get_if<Load2dParams>(&instr.params)) {
    if (facts(instr.op).src1 == Form::kSparseIndices) {
      list_load_sparse(instr, *load, list);
    } else {
      list_load_2d(instr, *load, list);
    }
  } else if (std::holds_alternative<Load3dParams>(instr.params)) {
    list_load_3d_accesses(instr, list);
  } else if (const auto* mmad = std::get_if<MmadInstrParams>(&instr.params)) {
    list_mmad(instr, *mmad, list);
  } else if (const auto* fixpipe = std::get_if<FixpipeInstrParams>(&instr.params)) {
    list_fixpipe(instr, *fixpipe, list);
  }
}

bool accesses_depend_on_contents(const Instr& instr) {
  const OpcodeFacts& row = facts(instr.op);
  return row.src1 == Form::kGathered || row.src1 == Form::kLanesOrBits || row.dst == Form::kKept;
}

void list_accesses(const Instr& instr, const CoreMemory& memory, AccessList& list) {
  list.clear();
  switch (instr.opcode_info().unit) {
    case Unit::Dma:
      return list_move_accesses(instr, list);
    case Unit::Load:
      list_move_accesses(instr, list);
      return list_cube_accesses(instr, list);
    case Unit::Cube:
    case Unit::Fixpipe:
      return list_cube_accesses(instr, list);
    case Unit::Vector:
      list_move_accesses(instr, list);
      return list_vector_accesses(instr, memory, list);
    case Unit::Scalar:
    case Unit::Sync:
      return;
  }
}

}  // namespace davsim::isa
