#include "session/fault_text.hpp"

namespace davsim::session {

std::string fault_rule(isa::FaultClass cls) {
  switch (cls) {
    case isa::FaultClass::kAddress:
      return "accesses stay inside buffers and allocations";
    case isa::FaultClass::kAlignment:
      return "addresses and lengths have the documented alignment";
    case isa::FaultClass::kParameter:
      return "parameters keep to their documented limits";
    case isa::FaultClass::kFlag:
      return "every flag that is set is waited for, in order";
    case isa::FaultClass::kQueue:
      return "queues and buffers are used as TPipe, TQue and TBuf allow";
    case isa::FaultClass::kAssert:
      return "what the kernel asserts is true";
    case isa::FaultClass::kDeadlock:
      return "some pipe or core can always go on";
    case isa::FaultClass::kLimit:
      return "the run stays within the limits of the command line";
  }
  return "";
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

}  // namespace davsim::session
