// A line of a kernel's source as files show it.
#pragma once

#include <string>

#include "isa/instr/source_location.hpp"

namespace davsim::traces {

/// "kernels/add/add.cpp:41", the path as the compiler was given it; "" if it is not known.
inline std::string source_line(const isa::SourceLocation& where) {
  if (where.line() == 0) return "";
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

}  // namespace davsim::traces
