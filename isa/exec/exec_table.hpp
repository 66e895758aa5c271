// The table of the functions that execute opcodes. Each file of isa/exec/ adds its group's rows.
#pragma once

#include <array>

#include "isa/exec/execute.hpp"

namespace davsim::isa {

struct ExecRow {
  /// Checks everything that does not depend on memory contents, and computes the shape.
  void (*decode)(DecodedInstr&, const CoreMemory&) = nullptr;
  /// Applies what `decode` has accepted.
  void (*execute)(const DecodedInstr&, const CoreMemory&) = nullptr;
};

class ExecTable {
 public:
  void set(Opcode op, ExecRow row) { rows_[static_cast<std::size_t>(op)] = row; }
  const ExecRow& operator[](Opcode op) const { return rows_[static_cast<std::size_t>(op)]; }

 private:
  std::array<ExecRow, kOpcodeCount> rows_{};
};

void add_vector_rows(ExecTable& table);     ///< isa/exec/vector*.cpp
void add_reduce_rows(ExecTable& table);     ///< isa/exec/vector/reduce.cpp
void add_compare_rows(ExecTable& table);    ///< isa/exec/vector/compare.cpp
void add_select_rows(ExecTable& table);     ///< isa/exec/vector/select.cpp: and CMPMASK
void add_gather_rows(ExecTable& table);     ///< isa/exec/vector/gather.cpp
void add_brcb_row(ExecTable& table);        ///< isa/exec/vector/brcb.cpp
void add_transpose_rows(ExecTable& table);  ///< isa/exec/vector/transpose.cpp
void add_sort_rows(ExecTable& table);       ///< isa/exec/vector/sort.cpp
void add_move_rows(ExecTable& table);       ///< isa/exec/move*.cpp: GM <-> UB, GM <-> L1
void add_load_rows(ExecTable& table);       ///< isa/exec/load*.cpp: L1 -> L0, L1 -> BT
void add_cube_rows(ExecTable& table);       ///< isa/exec/cube/mmad.cpp
void add_fixpipe_rows(ExecTable& table);    ///< isa/exec/cube/fixpipe.cpp

}  // namespace davsim::isa
