// A kernel that went wrong, for people.
#pragma once

#include <string>

#include "isa/instr/fault.hpp"

namespace davsim::session {

/// The rule that the kernel broke.
std::string fault_rule(isa::FaultClass cls);
/// What went wrong, in which kernel, on which core and at which line; ends in a newline.
std::string fault_text(const isa::Fault& fault);

}  // namespace davsim::session
