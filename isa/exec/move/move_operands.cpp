#include "isa/exec/move/move_operands.hpp"

#include <algorithm>
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

std::byte* runs_at(const CoreMemory& memory, Space space, std::uint64_t addr, const Runs& runs) {
  if (runs.count == 0 || runs.bytes == 0) return nullptr;
  const std::int64_t last = static_cast<std::int64_t>(runs.count - 1) * runs.pitch;
  const std::uint64_t low = addr + static_cast<std::uint64_t>(std::min<std::int64_t>(last, 0));
  const std::uint64_t span = static_cast<std::uint64_t>(last < 0 ? -last : last) + runs.bytes;
  if (space != Space::kGm) {
    return memory.at(space, low, span) + (addr - low);
  }
  // Runs far apart may lie in several allocations; then each is looked up by itself.
  if (!memory.contains(space, low, span)) {
    for (std::uint64_t i = 1; i < runs.count; ++i) {
      memory.at(space, addr + i * static_cast<std::uint64_t>(runs.pitch), runs.bytes);
    }
  }
  return memory.at(space, addr, runs.bytes);
}

}  // namespace davsim::isa
