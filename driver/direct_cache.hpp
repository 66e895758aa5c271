// Objects by their sources as they lie on the disk: an unchanged source costs looking at its files
// and not even the preprocessor.
#pragma once

#include <set>
#include <string>

#include "driver/object_cache.hpp"
#include "driver/options.hpp"
#include "driver/toolchain.hpp"

namespace davsim::driver {

class DirectCache {
 public:
  DirectCache(const Options& options, const Toolchain& toolchain, const std::string& source,
              const std::string& object);

  /// Writes the object, and the rule for make where one is wanted, if source, headers and options
  /// are those of an object that the cache has.
  bool fetch() const;
  /// Remembers that the object of `cache` is made of `files`. Sources that name the time of day are
  /// not remembered.
  void store(const ObjectCache& cache, const std::set<std::string>& files) const;

 private:
  std::string rule_file() const;

  const Options& options_;
  std::string source_, object_;
  std::string file_;  ///< what is known of this source; empty: nothing is kept
  std::int64_t began_ = 0;
};

/// Where -MD writes the rule for `object`.
std::string dependency_file(const Options& options, const std::string& object);

}  // namespace davsim::driver
