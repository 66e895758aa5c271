#include "isa/exec/execute.hpp"

#include "isa/exec/exec_table.hpp"

namespace davsim::isa {
namespace {

const ExecTable& exec_table() {
  static const ExecTable table = [] {
    ExecTable t;
    add_vector_rows(t);
    add_reduce_rows(t);
    add_compare_rows(t);
    add_select_rows(t);
    add_gather_rows(t);
    add_brcb_row(t);
    add_transpose_rows(t);
    add_sort_rows(t);
    add_move_rows(t);
    add_load_rows(t);
    add_cube_rows(t);
    add_fixpipe_rows(t);
    return t;
  }();
  return table;
}

/// Adds to a fault which instruction it came from.
void complete(Fault& fault, const Instr& instr) {
  if (fault.where.line() == 0) fault.where = instr.where;
  fault.instruction = instr.opcode_info().mnemonic;
  fault.pipe = pipe_name(instr.pipe);
}

}  // namespace

DecodedInstr decode(const Instr& instr, const CoreMemory& memory) {
  DecodedInstr decoded{instr, {}};
  const auto function = exec_table()[instr.op].decode;
  if (function == nullptr) return decoded;
  try {
    function(decoded, memory);
  } catch (Fault& fault) {
    complete(fault, instr);
    throw;
  }
  return decoded;
}

void execute(const DecodedInstr& instr, const CoreMemory& memory) {
  const auto function = exec_table()[instr.op].execute;
  if (function == nullptr) return;
  try {
    function(instr, memory);
  } catch (Fault& fault) {
    complete(fault, instr);
    throw;
  }
}

}  // namespace davsim::isa
