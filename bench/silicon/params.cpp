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

const std::string* Params::find(const std::string& key) const {
  read_->insert(key);
  const auto at = values_.find(key);
  return at == values_.end() ? nullptr : &at->second;
}

std::uint32_t Params::number(const std::string& key) const {
  const std::string* const at = find(key);
  if (at == nullptr) throw std::invalid_argument("parameter " + key + " is missing");
  std::uint32_t value = 0;
  const char* end = at->data() + at->size();
  const auto [stop, error] = std::from_chars(at->data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw std::invalid_argument("parameter " + key + "=" + *at + " is no number");
  }
  return value;
}

std::uint32_t Params::number(const std::string& key, std::uint32_t otherwise) const {
  return values_.contains(key) ? number(key) : otherwise;
}

std::uint32_t Params::size(const std::string& key) const {
  const std::uint32_t value = number(key);
  if (value == 0 || value > kMostSize) {
    throw std::invalid_argument("parameter " + key + " is " + std::to_string(value) +
                                ", allowed are 1 to " + std::to_string(kMostSize));
  }
  return value;
}

std::uint32_t Params::size(const std::string& key, std::uint32_t otherwise) const {
  return values_.contains(key) ? size(key) : otherwise;
}

std::uint32_t Params::up_to(const std::string& key, std::uint32_t most,
                            std::uint32_t otherwise) const {
  const std::uint32_t value = number(key, otherwise);
  if (value > most) {
    throw std::invalid_argument("parameter " + key + " is " + std::to_string(value) +
                                ", allowed are 0 to " + std::to_string(most));
  }
  return value;
}

std::uint32_t Params::divisor(const std::string& key, const std::string& whole) const {
  const std::uint32_t all = size(whole);
  const std::uint32_t value = values_.contains(key) ? size(key) : all;
  if (all % value != 0) {
    throw std::invalid_argument("parameter " + key + " is " + std::to_string(value) +
                                ", allowed are divisors of " + whole + ", which is " +
                                std::to_string(all));
  }
  return value;
}

std::string Params::text(const std::string& key, std::string otherwise) const {
  const std::string* const at = find(key);
  return at == nullptr ? std::move(otherwise) : *at;
}

std::string Params::choice(const std::string& key, std::initializer_list<const char*> words) const {
  const std::string value = text(key, *words.begin());
  std::string all;
  for (const char* word : words) {
    if (value == word) return value;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw std::invalid_argument("parameter " + key + " is " + value + ", allowed are " + all);
}

void Params::require_all_read() const {
  for (const auto& [key, value] : values_) {
    if (!read_->contains(key)) throw std::invalid_argument("the kernel has no parameter " + key);
  }
}

}  // namespace davsim::silicon
