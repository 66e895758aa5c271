// Tensors that kernels use without having given them a place. On the device the address of such a
// LocalTensor is 0. Vector instructions and the scalar unit, which reach no buffer but UB, then
// work on its first bytes, whosever they are.
#pragma once

#include <optional>
#include <string_view>

#include "isa/core/core_watcher.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::sim {

class PlacelessTensors {
 public:
  /// A launch begins.
  void begin_launch() { first_.reset(); }
  /// The line that used one first in the launch, if there was one.
  const std::optional<isa::SourceLocation>& first() const { return first_; }

  /// Whether an instruction is a vector instruction that has such an operand.
  static bool any(const isa::Instr& instr) {
    return instr.pipe == isa::Pipe::V &&
           (instr.dst.placeless() || instr.src0.placeless() || instr.src1.placeless());
  }
  /// The instruction as the device carries it out.
  isa::Instr placed(isa::Instr instr, isa::CoreWatcher* watcher);
  /// The operand of a load or store of the scalar unit.
  isa::Operand placed(isa::Operand operand, isa::SourceLocation where, isa::CoreWatcher* watcher);

 private:
  void place(isa::Operand& operand, std::string_view name, isa::SourceLocation where,
             isa::CoreWatcher* watcher);

  std::optional<isa::SourceLocation> first_;
};

}  // namespace davsim::sim
