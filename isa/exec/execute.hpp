// The functional meaning of instructions: what each one does to memory, independent of time.
#pragma once

#include "isa/core/core_memory.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Checks everything about `instr` that does not depend on memory contents: alignment, ranges of
/// parameters and operands inside their buffers; and computes its shape. Called once, when the
/// kernel emits the instruction, so that a fault names the present line of the kernel. Throws Fault
/// (kAddress, kAlignment, kParameter).
DecodedInstr decode(const Instr& instr, const CoreMemory& memory);

/// Applies an instruction that was decoded for a core with such a memory. Synchronisation and
/// scalar records have no effect on memory. Throws Fault where contents of the memory are wrong. It
/// has then changed nothing or only bytes of the destination.
void execute(const DecodedInstr& instr, const CoreMemory& memory);

/// Both at once.
inline void execute(const Instr& instr, const CoreMemory& memory) {
  execute(decode(instr, memory), memory);
}

}  // namespace davsim::isa
