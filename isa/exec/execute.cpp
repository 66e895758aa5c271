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

/// Runs one function of a row; a fault that it throws learns which instruction it came from.
void run(void (*function)(const Instr&, const CoreMemory&), const Instr& instr,
         const CoreMemory& memory) {
  if (function == nullptr) return;
  try {
    function(instr, memory);
  } catch (Fault& fault) {
    if (fault.where.line() == 0) fault.where = instr.where;
    fault.instruction = instr.opcode_info().mnemonic;
    fault.pipe = pipe_name(instr.pipe);
    throw;
  }
}

}  // namespace

void execute(const Instr& instr, const CoreMemory& memory) {
  run(exec_table()[instr.op].execute, instr, memory);
}

void validate(const Instr& instr, const CoreMemory& memory) {
  run(exec_table()[instr.op].validate, instr, memory);
}

}  // namespace davsim::isa
