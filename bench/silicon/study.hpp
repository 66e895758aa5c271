// Studies of the timing constants: what fits the measurements, and what they are sensitive to.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "bench/silicon/runner.hpp"
#include "bench/silicon/statistics.hpp"

namespace davsim::silicon {

std::vector<Compared> compared(const std::vector<Measurement>& measurements,
                               const std::map<std::string, Simulated>& simulated);

/// Moves the constants ("Timing.Section.key") one after the other, several times over, to where the
/// mean |ln(simulated / measured)| over all measurements is smallest, and prints what it found.
/// Runs that take longer than `quick` host seconds are left out. Throws std::invalid_argument if
/// there is no such constant, or nothing is quick enough.
void fit(const std::vector<Measurement>& measurements, const std::vector<std::string>& constants,
         double quick, RunOptions options, std::ostream& out);

/// Prints how the errors of each group move when each constant that matches `pattern` is 20 % less
/// or more. Where every run refuses that, as where lines must fill a cache, it is halved or doubled
/// as well.
void sensitivities(const std::vector<Measurement>& measurements, const std::string& pattern,
                   double quick, RunOptions options, std::ostream& out);

}  // namespace davsim::silicon
