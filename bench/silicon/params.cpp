#include "bench/silicon/params.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace davsim::silicon {

Params Params::parse(std::string_view text) {
  Params params;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw std::invalid_argument("'" + word + "' is no key=value");
    }
    params.values_[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return params;
}

std::uint32_t Params::number(const std::string& key) const {
  const auto at = values_.find(key);
  if (at == values_.end()) throw std::invalid_argument("parameter " + key + " is missing");
  std::uint32_t value = 0;
  const char* end = at->second.data() + at->second.size();
  const auto [stop, error] = std::from_chars(at->second.data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw std::invalid_argument("parameter " + key + "=" + at->second + " is no number");
  }
  return value;
}

std::uint32_t Params::number(const std::string& key, std::uint32_t otherwise) const {
  return values_.contains(key) ? number(key) : otherwise;
}

std::string Params::text(const std::string& key, std::string otherwise) const {
  const auto at = values_.find(key);
  return at == values_.end() ? std::move(otherwise) : at->second;
}

}  // namespace davsim::silicon
