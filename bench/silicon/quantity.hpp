// What a measurement measures, read from a launch.
#pragma once

#include <string>

#include "observe/counters.hpp"

namespace davsim::silicon {

/// latency_us            task time, launch overhead included
/// core_us               time of a core, mean over the cores that ran
/// core_us:AIC           the same over cores of one type
/// core_max_us           of the core that ran longest
/// core_cycles_sum       cycles of all cores together
/// busy_us:PIPE          busy time of a pipe, mean over the cores that have it
/// busy_share:PIPE       the same as a share of core_us
/// vector_cycles         cycles of the vector unit, mean
/// Throws std::invalid_argument for another one.
double quantity_of(const observe::LaunchReport& report, const std::string& quantity);

/// The groups in which errors are summed up: "latency", "core time", "pipe busy".
std::string quantity_class(const std::string& quantity);

}  // namespace davsim::silicon
