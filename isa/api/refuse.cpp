#include "ascendc/emit.h"

namespace davsim::api {

void refuse(std::string_view call, std::string_view parameter, std::int64_t value,
            std::string_view allowed, Location where) {
  isa::Fault fault(isa::FaultClass::kParameter,
                   std::string(call) + ": " + std::string(parameter) + " is " +
                       std::to_string(value) + ", allowed are " + std::string(allowed),
                   where);
  fault.instruction = call;
  throw fault;
}

}  // namespace davsim::api
