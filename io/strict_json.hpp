// JSON from outside. Unlike boost::json::parse it refuses an object that names a key twice, of
// which only the last would otherwise be seen.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

namespace davsim::io {

/// Throws std::invalid_argument saying what is wrong and at which byte.
boost::json::value parse_strict_json(std::string_view text);

}  // namespace davsim::io
