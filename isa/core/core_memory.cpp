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
  if (global_ != nullptr) message += ": " + global_->describe(addr, bytes);
  throw Fault(FaultClass::kAddress, std::move(message));
}

void CoreMemory::local_fault(Space space, std::uint64_t addr, std::uint64_t bytes) const {
  throw Fault(FaultClass::kAddress, "access to " + std::to_string(bytes) + " bytes of " +
                                        std::string(space_name(space)) + " at " + hex(addr) +
                                        " ends behind the buffer of " +
                                        std::to_string(size(space)) + " bytes");
}

}  // namespace davsim::isa
