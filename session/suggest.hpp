// What somebody may have meant who typed a name that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace davsim::session {

/// "; did you mean 'x'?" for the candidate closest to `word`, or nothing if none is close.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);
/// The candidates closest to `word`, the closest first.
std::vector<std::string> nearest(const std::string& word, std::vector<std::string> candidates,
                                 std::size_t count);

}  // namespace davsim::session
