// What the interface says of a kernel that went wrong.
#pragma once

#include <string>

#include "isa/core/core_sink.hpp"
#include "isa/instr/fault.hpp"

namespace davsim::runtime {

/// The documented code: vector-only kernels have codes of their own.
int fault_code(isa::FaultClass cls, isa::KernelType type);
/// The message for people: what, and on which core and line.
std::string fault_text(const isa::Fault& fault);

}  // namespace davsim::runtime
