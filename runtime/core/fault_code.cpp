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

}  // namespace davsim::runtime
