// A parser for JSON of the user. Unlike boost::json::parse it refuses an object that names a key
// twice. Otherwise only the last value would count.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

namespace davsim::io {

/// Throws std::invalid_argument saying what is wrong and at which byte.
boost::json::value parse_strict_json(std::string_view text);

}  // namespace davsim::io
