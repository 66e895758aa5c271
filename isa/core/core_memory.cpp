#include "isa/core/core_memory.hpp"

#include <cstdio>

namespace davsim::isa {
namespace {

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

void CoreMemory::global_fault(std::uint64_t addr, std::uint64_t bytes) const {
  std::string message = "access to " + std::to_string(bytes) + " bytes of GM at " + hex(addr) +
                        " is outside every allocation";
  if (addr == 0) {
    message += ": SetGlobalBuffer was not called, or was given no address";
  } else if (global_ != nullptr) {
    message += ": " + global_->describe(addr, bytes);
  }
  throw Fault(FaultClass::kAddress, std::move(message));
}

void CoreMemory::local_fault(Space space, std::uint64_t addr, std::uint64_t bytes) const {
  std::string message = "access to " + std::to_string(bytes) + " bytes of " +
                        std::string(space_name(space)) + " at " + hex(addr);
  if (size(space) == 0) {
    message += ", which a core of this type does not have";
  } else {
    message += " ends behind the buffer of " + std::to_string(size(space)) + " bytes";
  }
  throw Fault(FaultClass::kAddress, std::move(message));
}

}  // namespace davsim::isa
