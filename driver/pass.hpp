// One of the three compilations of a source: the host's, the cube cores' or the vector cores'.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "driver/header_cache.hpp"
#include "driver/options.hpp"
#include "driver/process.hpp"
#include "driver/rewrite.hpp"
#include "driver/toolchain.hpp"

namespace davsim::driver {

/// What tells a half's compilation which core it is for.
Command core_macros(Half half);

/// The flags of plain sources of the host.
Command host_flags(const Options& options, const Toolchain& toolchain);

/// How g++ names what it writes beside an object for profiles; empty where no profile is wanted.
Command profile_names(const Options& options, const std::string& source, const std::string& object);

/// The compiler could not use a compiled header.
struct CompiledHeaderFailed {};

class Pass {
 public:
  /// Without `half`: the host's.
  Pass(const Options& options, const Toolchain& toolchain, std::optional<Half> half,
       const std::string& source, const TemporaryFolder& temporary);

  /// host, aic or aiv.
  std::string name() const;
  std::string file(std::string_view extension) const {
    return temporary_.file(name() + std::string(extension));
  }

  /// The source with its macros expanded. `more` are further options. Throws Failed, or
  /// CompiledHeaderFailed.
  std::string preprocess(const Command& more);
  /// Starts the compilation of `text` into file(".o"); its messages go to file(".log"). `more` are
  /// further options.
  Process compile(const std::string& text, const Command& more = {}) const;

  /// Throws CompiledHeaderFailed if the messages of a compilation that failed are about the header.
  void look_at_failure(const std::string& log) const;

  /// Of both, and what tells the compiled header apart, if there is one.
  Command flags() const;
  std::string header_identity() const;
  /// All files that the preprocessor has read.
  const std::set<std::string>& files() const { return files_; }

 private:
  void run_with_header(Command command) const;

  const Options& options_;
  const Toolchain& toolchain_;
  std::optional<Half> half_;
  std::string source_;
  const TemporaryFolder& temporary_;
  std::optional<CachedHeader> header_;
  std::set<std::string> files_;
  bool bare_ = false;  ///< the source has device code and includes nothing of the kernel API
};

}  // namespace davsim::driver
