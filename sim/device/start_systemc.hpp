// Runs SystemC's processes.
#pragma once

#include <new>
#include <string_view>
#include <systemc>

namespace davsim::sim {

/// As sc_start. Throws std::bad_alloc where a process found no memory: SystemC makes a report of
/// its own of what leaves a process, in which only the text is left.
template <class... Arguments>
void start_systemc(Arguments... arguments) {
  try {
    sc_core::sc_start(arguments...);
  } catch (const sc_core::sc_report& report) {
    const std::string_view text = report.get_msg() == nullptr ? "" : report.get_msg();
    if (text == std::bad_alloc().what()) throw std::bad_alloc();
    throw;
  }
}

}  // namespace davsim::sim
