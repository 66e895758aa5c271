#include "isa/exec/move/move_operands.hpp"

#include <cstdio>
#include <string>

#include "isa/instr/place_name.hpp"

namespace davsim::isa {

void require_aligned(std::string_view name, std::uint64_t value, std::uint64_t unit) {
  if (value % unit == 0) return;
  char hex[20];
  std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(value));
  throw Fault(FaultClass::kAlignment, std::string(name) + " is " + hex +
                                          ", which is no multiple of " + std::to_string(unit) +
                                          " bytes");
}

void require_within(std::string_view name, std::int64_t value, std::int64_t low,
                    std::int64_t high) {
  if (value >= low && value <= high) return;
  throw Fault(FaultClass::kParameter, std::string(name) + " is " + std::to_string(value) +
                                          ", allowed are " + std::to_string(low) + " to " +
                                          std::to_string(high));
}

void refuse_operand(std::string_view sentence) {
  throw Fault(FaultClass::kParameter, std::string(sentence));
}

void require_space(std::string_view name, const Operand& operand, Space space) {
  if (operand.space == space) return;
  refuse_operand(std::string(name) + " lies in " + std::string(place_name(operand.space)) +
                 ", it must lie in " + std::string(space_name(space)));
}

}  // namespace davsim::isa
