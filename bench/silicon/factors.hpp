// Timing constants multiplied by a factor, for fits and sensitivities.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/soc/soc_config.hpp"

namespace davsim::silicon {

/// By the name of the constant, "Timing.Section.key".
using Factors = std::map<std::string, double>;

/// Reads "Timing.Section.key=factor". Throws std::invalid_argument if a word is nothing like it.
Factors read_factors(const std::vector<std::string>& words);

/// Multiplies a constant of `soc` by about `factor`, and returns the exact factor: where the models
/// count whole things, the product is rounded, but changes by at least one. Throws
/// std::invalid_argument if there is no such constant, the constant is 0, or the value is refused.
double scale(sim::SocConfig& soc, const std::string& constant, double factor);

}  // namespace davsim::silicon
