#include "sim/core/placeless.hpp"

#include <string>

namespace davsim::sim {

isa::Instr PlacelessTensors::placed(isa::Instr instr, isa::CoreWatcher* watcher) {
  place(instr.dst, "dst", instr.where, watcher);
  place(instr.src0, "src0", instr.where, watcher);
  place(instr.src1, "src1", instr.where, watcher);
  return instr;
}

isa::Operand PlacelessTensors::placed(isa::Operand operand, isa::SourceLocation where,
                                      isa::CoreWatcher* watcher) {
  place(operand, "the tensor", where, watcher);
  return operand;
}

void PlacelessTensors::place(isa::Operand& operand, std::string_view name,
                             isa::SourceLocation where, isa::CoreWatcher* watcher) {
  if (!operand.placeless()) return;
  operand.space = isa::Space::kUb;
  if (!first_) first_ = where;
  if (watcher == nullptr) return;
  watcher->misused(isa::Misuse::kTensor,
                   std::string(name) +
                       " is a LocalTensor that was never allocated, which lies at byte 0 of UB, "
                       "over the tensor there: AllocTensor, DeQue or Get must give it a place",
                   where);
}

}  // namespace davsim::sim
