// The name of an operand's memory in messages.
#pragma once

#include <string_view>

#include "isa/instr/opcode.hpp"

namespace davsim::isa {

/// "L1"; says of a LocalTensor that no AllocTensor, DeQue or Get has given a place that it has
/// none.
constexpr std::string_view place_name(Space space) {
  if (space == Space::kNone) return "no buffer (the LocalTensor was never allocated)";
  return space_name(space);
}

}  // namespace davsim::isa
