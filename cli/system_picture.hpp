// A picture of a system of dies, drawn from its description.
#pragma once

#include <string>

#include "sim/soc/system_config.hpp"

namespace davsim::cli {

/// An SVG document: dies as boxes in the boxes of their link classes, with bandwidth and latency of
/// each class. Of many equal boxes the first and the last are drawn.
std::string system_picture(const sim::SystemConfig& system);

}  // namespace davsim::cli
