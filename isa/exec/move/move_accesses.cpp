// What bytes the moves touch.
#include "isa/exec/list_accesses.hpp"
#include "isa/exec/move/move.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {

using Kind = Access::Kind;

Access source_of(const Instr& instr, const MoveParams& move) {
  if (facts(instr.op).src0 == Form::kAbsent) return {};
  const std::uint64_t bytes = widens(instr) ? move.burst_bytes / 2 : move.burst_bytes;
  return runs_of(instr.src0, Kind::kRead, move.bursts, bytes, move.src_pitch);
}

Access destination_of(const Instr& instr, const MoveParams& move) {
  const bool pads = facts(instr.op).dst == Form::kPaddedRuns;
  const std::uint64_t bytes = pads ? padded_burst(move, instr.dst.type) : move.burst_bytes;
  return runs_of(instr.dst, Kind::kWrite, move.bursts, bytes, move.dst_pitch);
}

Access source_of(const Instr& instr, const Nd2NzMoveParams& move) {
  const std::uint64_t element = dtype_bytes(instr.src0.type);
  Access from = runs_of(instr.src0, Kind::kRead, move.rows, move.cols * element,
                        static_cast<std::int64_t>(move.src_row_stride * element));
  from.groups = move.matrices;
  from.group_pitch = static_cast<std::int64_t>(move.src_matrix_stride * element);
  return from;
}

/// Columns of DataBlocks, whose rows mostly follow each other.
void list_destination(const Instr& instr, const Nd2NzMoveParams& move, AccessList& list) {
  const std::uint64_t element = dtype_bytes(instr.dst.type);
  const std::uint64_t columns = ceil_div(move.cols * element, kBlockBytes);
  const auto matrix_pitch = static_cast<std::int64_t>(move.dst_matrix_stride * element);
  const auto column_pitch = std::int64_t{move.dst_c0_stride} * kBlockBytes;
  if (move.dst_row_stride == 1) {
    Access to = runs_of(instr.dst, Kind::kWrite, columns, std::uint64_t{move.rows} * kBlockBytes,
                        column_pitch);
    to.groups = move.matrices;
    to.group_pitch = matrix_pitch;
    return list.add(to);
  }
  for (std::int64_t matrix = 0; matrix < move.matrices; ++matrix) {
    Access to = runs_of(instr.dst, Kind::kWrite, move.rows, kBlockBytes,
                        std::int64_t{move.dst_row_stride} * kBlockBytes);
    to.addr += static_cast<std::uint64_t>(matrix * matrix_pitch);
    to.groups = columns;
    to.group_pitch = column_pitch;
    list.add(to);
  }
}

}  // namespace davsim::isa
