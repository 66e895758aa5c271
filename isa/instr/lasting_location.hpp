// Source lines that stay valid when the launch has ended and the library of its kernel is closed.
#pragma once

#include "isa/instr/source_location.hpp"

namespace davsim::isa {

/// The same line with a name of its file that stays when the library of its kernel is closed, which
/// holds the other one. The name is looked up among all.
SourceLocation lasting(const SourceLocation& where);

}  // namespace davsim::isa
