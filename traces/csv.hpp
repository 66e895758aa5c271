// Comma-separated values, as RFC 4180 has them.
#pragma once

#include <string>
#include <string_view>

namespace davsim::traces {

/// A field, in quotes where it has to be.
std::string csv_field(std::string_view text);

}  // namespace davsim::traces
