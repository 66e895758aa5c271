// Comma-separated values, as RFC 4180 has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davsim::traces {

/// A field, in quotes where it has to be.
std::string csv_field(std::string_view text);
/// The fields of a line without its newline; a field may be quoted, a quote in it is doubled.
std::vector<std::string> csv_fields(std::string_view line);

}  // namespace davsim::traces
