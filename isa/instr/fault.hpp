// The exception that stops a kernel which does something the hardware forbids.
#pragma once

#include <stdexcept>
#include <string>

#include "isa/instr/fault_class.hpp"
#include "isa/instr/opcode.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::isa {

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
