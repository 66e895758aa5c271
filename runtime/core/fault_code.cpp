#include "runtime/core/fault_code.hpp"

#include "acl/acl_base.h"

namespace davsim::runtime {

int fault_code(isa::FaultClass cls, isa::KernelType type) {
  const bool vector = type == isa::KernelType::kAivOnly;
  switch (cls) {
    case isa::FaultClass::kAssert:
      return vector ? ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION : ACL_ERROR_RT_AICORE_TRAP_EXCEPTION;
    case isa::FaultClass::kDeadlock:
    case isa::FaultClass::kLimit:
      return vector ? ACL_ERROR_RT_VECTOR_CORE_TIMEOUT : ACL_ERROR_RT_AICORE_TIMEOUT;
    default:
      return vector ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : ACL_ERROR_RT_AICORE_EXCEPTION;
  }
}

std::string fault_text(const isa::Fault& fault) {
  std::string text = "davsim: the kernel went wrong (" +
                     std::string(isa::fault_class_name(fault.cls)) + "): " + fault.message + "\n";
  const auto add = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string("  ") + name + ": " + value + "\n";
  };
  add("kernel", fault.kernel);
  add("core", fault.core);
  add("pipe", fault.pipe);
  add("instruction", fault.instruction);
  const std::string file = fault.where.file_name();
  if (!file.empty()) text += "  at: " + file + ":" + std::to_string(fault.where.line()) + "\n";
  return text;
}

}  // namespace davsim::runtime
