// Parameters of a measured kernel as a measurement names them: "length=8192 cores=48 tile=4096".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace davsim::silicon {

class Params {
 public:
  /// Reads "key=value key=value". Throws std::invalid_argument naming the word that is none.
  static Params parse(std::string_view text);

  /// Value of a key. Throws std::invalid_argument naming the key if it is missing or no number.
  std::uint32_t number(const std::string& key) const;
  std::uint32_t number(const std::string& key, std::uint32_t otherwise) const;
  std::string text(const std::string& key, std::string otherwise) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace davsim::silicon
