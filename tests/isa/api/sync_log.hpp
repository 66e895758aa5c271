// The synchronisation records of a TestCore as readable lines, for tests of exact sequences.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tests/isa/test_core.hpp"

namespace davsim::test {

/// "SET MTE2_V 0", "WAIT V_MTE2 1", "BAR ALL", "CROSS_SET mode 0 id 14 on MTE3"; other records by
/// their mnemonic.
inline std::string describe(const isa::Instr& instr) {
  const auto pipe = std::string(isa::pipe_name(instr.pipe));
  if (const auto* flag = std::get_if<isa::FlagParams>(&instr.params)) {
    const bool set = instr.op == isa::Opcode::kSetFlag;
    std::string line = set ? "SET " : "WAIT ";
    line += std::string(isa::pipe_name(flag->set_pipe)) + "_" +
            std::string(isa::pipe_name(flag->wait_pipe)) + " " + std::to_string(flag->id);
    // The record must sit on the pipe that acts.
    if (instr.pipe != (set ? flag->set_pipe : flag->wait_pipe)) line += " on wrong pipe " + pipe;
    return line;
  }
  if (const auto* flag = std::get_if<isa::CrossCoreFlagParams>(&instr.params)) {
    const bool set = instr.op == isa::Opcode::kCrossCoreSetFlag;
    return std::string(set ? "CROSS_SET" : "CROSS_WAIT") + " mode " + std::to_string(flag->mode) +
           " id " + std::to_string(flag->id) + " on " + pipe;
  }
  if (instr.op == isa::Opcode::kPipeBarrier) return "BAR " + pipe;
  return std::string(instr.opcode_info().mnemonic);
}

using Lines = std::vector<std::string>;

/// What was emitted since the last call.
inline Lines take_log(TestCore& core) {
  Lines lines;
  for (const auto& instr : core.emitted) lines.push_back(describe(instr));
  core.emitted.clear();
  return lines;
}

/// Runs `code`, which must end in a Fault, and returns that.
template <class Code>
isa::Fault fault_of(Code code) {
  try {
    code();
  } catch (const isa::Fault& fault) {
    return fault;
  }
  throw std::logic_error("no Fault was thrown");
}

}  // namespace davsim::test
