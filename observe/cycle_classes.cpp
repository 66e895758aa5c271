#include "observe/cycle_classes.hpp"

namespace davsim::observe {

std::string_view cycle_class_name(CycleClass cycle_class) {
  constexpr std::array<std::string_view, kCycleClassCount> kNames = {
      "busy",      "memory",      "bank_conflict", "wait_flag",  "wait_cross_core",
      "unit_flag", "queue_empty", "barrier",       "queue_full", "instruction_fetch",
      "launch",    "done"};
  return kNames[static_cast<std::size_t>(cycle_class)];
}

std::string short_line(const isa::SourceLocation& where) {
  if (where.line() == 0) return "?";
  const std::string_view file = where.file_name();
  return std::string(file.substr(file.find_last_of('/') + 1)) + ":" + std::to_string(where.line());
}

}  // namespace davsim::observe
