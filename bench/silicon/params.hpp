// Parameters of a measured kernel as a measurement names them: "length=8192 cores=48 tile=4096".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
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
  /// The same of a size, which is 1 to kMostSize.
  std::uint32_t size(const std::string& key) const;
  std::uint32_t size(const std::string& key, std::uint32_t otherwise) const;
  static constexpr std::uint32_t kMostSize = 1u << 30;
  /// A number of 0 to `most`.
  std::uint32_t up_to(const std::string& key, std::uint32_t most,
                      std::uint32_t otherwise = 0) const;
  /// A size that divides the one of `whole`, which it is if it is missing.
  std::uint32_t divisor(const std::string& key, const std::string& whole) const;
  std::string text(const std::string& key, std::string otherwise) const;
  /// One of some words, the first of which it is if it is missing. Throws std::invalid_argument
  /// naming all of them.
  std::string choice(const std::string& key, std::initializer_list<const char*> words) const;

  /// Throws std::invalid_argument naming a key that nobody has asked for: a kernel would ignore it.
  void require_all_read() const;

 private:
  /// nullptr if there is none.
  const std::string* find(const std::string& key) const;

  std::map<std::string, std::string> values_;
  /// The keys that were asked for. Copies share it, because kernels keep their parameters until
  /// they are launched.
  std::shared_ptr<std::set<std::string>> read_ = std::make_shared<std::set<std::string>>();
};

}  // namespace davsim::silicon
