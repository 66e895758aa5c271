// The range of each timing constant. The models count in numbers of 32 and 64 bits, so values
// beyond these ranges would wrap, divide by zero or make a launch endless.
#pragma once

#include <string>
#include <string_view>

#include "sim/soc/soc_config.hpp"

namespace davsim::sim {

/// Throws std::invalid_argument with the range if a constant is outside it, or if it is a fraction
/// where the models count whole things.
void require_in_range(std::string_view section, std::string_view key, const Constant& constant);

/// Whether the models count whole things in this constant.
bool must_be_whole(std::string_view section, std::string_view key, const Constant& constant);

/// A number with the fewest digits that read back as it.
std::string shortest(double value);

}  // namespace davsim::sim
