// How API calls refuse what they are given.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/instr/fault_class.hpp"
#include "isa/instr/message.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::api {

using Location = isa::SourceLocation;

/// Stops the kernel with a Fault of the call: "Fill: " and `what`.
[[noreturn]] void fail(isa::FaultClass cls, std::string_view call, isa::Message what,
                       Location where);

/// Refuses a parameter: "Add: repeatTime is 300, allowed are 0 to 255".
[[noreturn]] void refuse(std::string_view call, std::string_view parameter, std::int64_t value,
                         isa::Message allowed, Location where);
[[noreturn]] inline void refuse(std::string_view call, std::string_view parameter,
                                std::int64_t value, const char* allowed, Location where) {
  refuse(call, parameter, value, isa::Message{allowed}, where);
}

inline void require_range(std::string_view call, std::string_view parameter, std::int64_t value,
                          std::int64_t low, std::int64_t high, Location where) {
  if (value < low || value > high) {
    refuse(call, parameter, value, {low, " to ", high}, where);
  }
}

/// Throws the exception that is being handled again. A fault bears the name of the call that `name`
/// is.
[[noreturn]] void rethrow_as(std::string_view name);

/// Makes a call by another name, which a refusal of its parameters then bears: an intrinsic's.
template <class Call>
void call_as(std::string_view name, Call call) {
  try {
    call();
  } catch (...) {
    rethrow_as(name);
  }
}

}  // namespace davsim::api
