// Checks of the operands of moves, loads, Mmad and Fixpipe, and access to their bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/core/core_memory.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::isa {

/// Throws Fault(kAlignment) "dst address is 0x21, which is no multiple of 32 bytes".
void require_aligned(std::string_view name, std::uint64_t value, std::uint64_t unit);

/// Throws Fault(kParameter) "m is 5000, allowed are 0 to 4095".
void require_within(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high);

/// Throws Fault(kParameter) with a sentence that names the parameter, its value and its limits.
[[noreturn]] void refuse_operand(std::string_view sentence);

/// Throws Fault(kParameter) unless `operand` lies in `space`.
void require_space(std::string_view name, const Operand& operand, Space space);

/// Host address of an operand of an instruction that was accepted.
inline std::byte* host_of(const CoreMemory& memory, const Operand& operand) {
  return memory.host(operand.space, operand.addr);
}

}  // namespace davsim::isa
