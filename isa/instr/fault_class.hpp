// What kinds of faults there are.
#pragma once

#include <cstdint>
#include <string_view>

namespace davsim::isa {

enum class FaultClass : std::uint8_t {
  kAddress,    ///< outside the buffer or outside every global-memory allocation
  kAlignment,  ///< an address or length that the instruction cannot take
  kParameter,  ///< a documented limit of a parameter is broken
  kFlag,       ///< event or cross-core flag set twice, never awaited, overflowed
  kQueue,      ///< misuse of TPipe, TQue or TBuf
  kAssert,     ///< a failed assert or a Trap of the kernel
  kDeadlock,   ///< nothing can move any more
  kLimit,      ///< the run exceeded a limit the user set
};

constexpr std::string_view fault_class_name(FaultClass c) {
  switch (c) {
    case FaultClass::kAddress:
      return "address";
    case FaultClass::kAlignment:
      return "alignment";
    case FaultClass::kParameter:
      return "parameter";
    case FaultClass::kFlag:
      return "flag";
    case FaultClass::kQueue:
      return "queue";
    case FaultClass::kAssert:
      return "assert";
    case FaultClass::kDeadlock:
      return "deadlock";
    case FaultClass::kLimit:
      return "limit";
  }
  return "?";
}

}  // namespace davsim::isa
