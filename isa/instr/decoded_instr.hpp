// What a core works with once an instruction has been found legal.
#pragma once

#include "isa/instr/instr.hpp"
#include "isa/instr/vector_shape.hpp"

namespace davsim::isa {

/// An instruction that decode() has accepted, and its shape. Timing, execution, the checker and the
/// traces take the shape from here. Whoever changes parameters that decide about it decodes anew.
struct DecodedInstr : Instr {
  VectorShape shape;  ///< of an instruction with VectorParams; else it has no repeats
};

}  // namespace davsim::isa
