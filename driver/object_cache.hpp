// Objects of sources that have not changed: compiling them again takes no longer than the
// preprocessor.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "driver/toolchain.hpp"

namespace davsim::driver {

/// One object, by everything that it is made of.
class ObjectCache {
 public:
  explicit ObjectCache(const Toolchain& toolchain);

  /// What the object is made of: each preprocessed text with the flags of its compilation.
  void add(const std::vector<std::string>& flags, std::string_view text);

  /// Copies the object to `path` if the cache has it.
  bool fetch(const std::string& path) const;
  /// Keeps the object at `path`, and of all objects the 200 that were used last.
  void store(const std::string& path) const;
  /// Where the object is kept.
  std::string file() const;

 private:
  std::string folder_;  ///< empty: nothing is kept
  std::string contents_;
};

/// Keeps of the files of a folder the 200 that were used last.
void drop_oldest(const std::filesystem::path& folder);

/// A program or file by path, size and time, so that another version is told apart.
std::string identity_of(const std::string& program);

/// The driver, the compiler and its plugins.
std::string identity_of(const Toolchain& toolchain);

std::string hexadecimal(std::size_t number);

}  // namespace davsim::driver
