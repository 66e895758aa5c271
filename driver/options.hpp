// The command line of davsim-cc: g++'s options, and those of the vendor's compilers.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "driver/core_type.hpp"

namespace davsim::driver {

/// What is wrong with the command line; the driver ends with status 2.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A file of the command line, in its order among objects and libraries.
struct Input {
  enum class Kind { kMixed, kHost, kObject };
  std::string path;
  Kind kind = Kind::kHost;
  /// g++'s -x for a host file; empty: by its name.
  std::string language;
};

enum class Action { kLink, kCompile, kPreprocess, kArchive, kHelp, kVersion, kTargetVersion };

struct Options {
  Action action = Action::kLink;
  std::string output;
  /// Sources and, between them, objects and options of the linker (-lm, -Wl,...), in their order.
  struct Item {
    bool is_input = false;
    Input input;
    std::string argument;
  };
  std::vector<Item> items;

  /// -I, -D, -U, -include and the like: every compilation gets them.
  std::vector<std::string> preprocessor;
  /// Other options of every compilation, in their order: -O2, -g, -fPIC.
  std::vector<std::string> compiler;
  /// --coverage, -fprofile-generate, -pg and the like: the host's code and the linker get them. A
  /// kernel's code is linked before the program and has nowhere to count.
  std::vector<std::string> profile;
  /// -fsanitize=... and the like: they check the host's code. A kernel's loads of memory are those
  /// of the device, and its instructions are checked when they are carried out.
  std::vector<std::string> sanitizers;
  /// -MD, -MF file and the like: one compilation writes them.
  std::vector<std::string> dependencies;
  std::string dependency_file;    ///< -MF
  std::string dependency_target;  ///< -MT or -MQ; empty: the object
  bool writes_dependencies = false;

  std::string standard = "gnu++20";
  std::string optimisation;  ///< -O2; empty: the user named none
  bool shared = false;
  /// Links no library of davsim's: the process that loads the shared object has the simulator.
  bool module = false;
  bool cpu_mode = false;  ///< --run-mode=cpu
  bool auto_sync = true;  ///< --cce-auto-sync
  bool verbose = false;
  /// Writes DIR/aclrtlaunch_<kernel>.h and defines the functions that they declare.
  std::string launch_headers;
  bool launch_functions = false;

  std::vector<std::string> warnings;
};

/// Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace davsim::driver
