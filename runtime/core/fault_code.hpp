// The code that the interface has for a kernel that went wrong.
#pragma once

#include "isa/core/core_sink.hpp"
#include "isa/instr/fault.hpp"

namespace davsim::runtime {

/// The documented code: vector-only kernels have codes of their own.
int fault_code(isa::FaultClass cls, isa::KernelType type);

}  // namespace davsim::runtime
