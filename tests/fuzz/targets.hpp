// What is fuzzed: readers of bytes that come from outside. Any bytes end in a result or in an
// exception of a documented kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::fuzz {

struct Target {
  const char* name;  ///< also of its folder in tests/fuzz/corpus
  /// Reads `bytes`. Throws Wrong if something else than a documented exception comes out.
  void (*run)(std::string_view bytes);
  /// Words that inputs are made of.
  std::vector<std::string> words;
};

class Wrong : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

const std::vector<Target>& targets();
/// Throws std::invalid_argument if there is none.
const Target& target_named(std::string_view name);

}  // namespace davsim::fuzz
