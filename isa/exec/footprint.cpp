// The global-memory side of an instruction, as the DMA engines and Fixpipe see it.
#include <algorithm>

#include "isa/exec/execute.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

GmFootprint of_move(const Instr& instr, const MoveParams& move) {
  GmFootprint print;
  print.write = instr.dst.space == Space::kGm;
  if (!print.write && instr.src0.space != Space::kGm) return print;
  print.addr = print.write ? instr.dst.addr : instr.src0.addr;
  print.rows = move.bursts;
  print.row_bytes = move.burst_bytes;
  print.row_pitch = print.write ? move.dst_pitch : move.src_pitch;
  return print;
}

GmFootprint of_nd2nz(const Instr& instr, const Nd2NzMoveParams& move) {
  const auto element = static_cast<std::uint32_t>(dtype_bytes(instr.src0.type));
  GmFootprint print;
  print.addr = instr.src0.addr;
  print.rows = move.rows;
  print.row_bytes = move.cols * element;
  print.row_pitch = std::int64_t{move.src_row_stride} * element;
  print.matrices = move.matrices;
  print.matrix_pitch = static_cast<std::int64_t>(move.src_matrix_stride * element);
  return print;
}

/// Row-major: a run a row of C. Fractals: a run a column of fractals, whose rows follow each other.
GmFootprint of_fixpipe(const Instr& instr, const FixpipeInstrParams& fixpipe) {
  GmFootprint print;
  if (instr.dst.space != Space::kGm) return print;
  const auto element = static_cast<std::uint32_t>(dtype_bytes(instr.dst.type));
  print.addr = instr.dst.addr;
  print.write = true;
  if (fixpipe.nz2nd) {
    print.rows = fixpipe.m;
    print.row_bytes = fixpipe.n * element;
    print.row_pitch = std::int64_t{fixpipe.dst_stride} * element;
    print.matrices = fixpipe.nd_num;
    print.matrix_pitch = std::int64_t{fixpipe.dst_nd_stride} * element;
    return print;
  }
  const std::uint32_t columns = fixpipe_c0(instr.dst.type, fixpipe.channel_split);
  print.rows = static_cast<std::uint32_t>(ceil_div(fixpipe.n, columns));
  print.row_bytes = fixpipe.m * columns * element;
  print.row_pitch = std::int64_t{fixpipe.dst_stride} * kBlockBytes;
  return print;
}

GmFootprint lines_of(const Instr& instr) {
  if (const auto* move = std::get_if<MoveParams>(&instr.params)) return of_move(instr, *move);
  if (const auto* move = std::get_if<Nd2NzMoveParams>(&instr.params)) return of_nd2nz(instr, *move);
  if (const auto* fix = std::get_if<FixpipeInstrParams>(&instr.params)) {
    return of_fixpipe(instr, *fix);
  }
  return {};
}

/// L2 is where atomic operations happen.
bool is_atomic(const Instr& instr) {
  if (const auto* move = std::get_if<MoveParams>(&instr.params)) {
    return move->atomic != AtomicOp::kNone;
  }
  const auto* fix = std::get_if<FixpipeInstrParams>(&instr.params);
  return fix != nullptr && fix->atomic != AtomicOp::kNone;
}

}  // namespace

std::pair<std::uint64_t, std::uint64_t> GmFootprint::range() const {
  if (bytes() == 0) return {0, 0};
  const std::int64_t runs = (std::int64_t{rows} - 1) * row_pitch;
  const std::int64_t all = (std::int64_t{matrices} - 1) * matrix_pitch;
  const std::int64_t before = std::min<std::int64_t>(runs, 0) + std::min<std::int64_t>(all, 0);
  const std::int64_t after = std::max<std::int64_t>(runs, 0) + std::max<std::int64_t>(all, 0);
  return {addr + static_cast<std::uint64_t>(before),
          addr + static_cast<std::uint64_t>(after) + row_bytes};
}

GmFootprint gm_footprint(const Instr& instr) {
  GmFootprint print = lines_of(instr);
  const unsigned hint = print.write ? instr.dst.no_allocate >> 1 : instr.src0.no_allocate;
  print.no_allocate = (hint & 1u) != 0 && !is_atomic(instr);
  return print;
}

}  // namespace davsim::isa
