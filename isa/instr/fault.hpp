// The exception that stops a kernel which does something the hardware forbids.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "isa/instr/opcode.hpp"
#include "isa/instr/source_location.hpp"

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

/// API calls and the execution of instructions throw it. The code that runs the core adds `core`
/// and `kernel`. The thrower sets the rest.
class Fault : public std::runtime_error {
 public:
  Fault(FaultClass cls, std::string message, SourceLocation where = {})
      : std::runtime_error(message), cls(cls), message(std::move(message)), where(where) {}

  FaultClass cls;
  std::string message;      ///< names the parameter, its value and its documented limits
  SourceLocation where;     ///< kernel source line
  std::string instruction;  ///< mnemonic, where an instruction is at fault
  std::string pipe;
  std::string core;  ///< "core3.veccore1"
  std::string kernel;
};

}  // namespace davsim::isa
