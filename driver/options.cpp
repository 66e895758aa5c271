#include "driver/options.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "driver/response_files.hpp"
#include "driver/vendor_options.hpp"

namespace davsim::driver {
namespace {

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::string_view (&known)[kCount]) {
  return std::find(std::begin(known), std::end(known), text) != std::end(known);
}

std::string extension(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? "" : std::string(name.substr(dot + 1));
}

/// libx.so.1.2 as well as x.so.
bool is_object(std::string_view path) {
  constexpr std::string_view kObjects[] = {"o", "obj", "a", "so", "lo"};
  const std::size_t slash = path.rfind('/');
  return is_one_of(extension(path), kObjects) ||
         path.find(".so.", slash == path.npos ? 0 : slash) != path.npos;
}

/// Options that take the next argument where nothing is attached, and who gets them.
constexpr std::string_view kPreprocessorPairs[] = {"-I",        "-D",         "-U",
                                                   "-include",  "-isystem",   "-iquote",
                                                   "-imacros",  "-idirafter", "-Xpreprocessor",
                                                   "--sysroot", "-isysroot"};
constexpr std::string_view kLinkerPairs[] = {"-l", "-L", "-Xlinker", "-T", "-u", "-z", "-rpath"};
constexpr std::string_view kDependencyPairs[] = {"-MF", "-MT", "-MQ"};

/// Options of the linker without a value of their own.
constexpr std::string_view kLinkerFlags[] = {
    "-rdynamic",      "-pie", "-no-pie", "-nostdlib", "-nostartfiles",
    "-nodefaultlibs", "-s",   "-r",      "-symbolic"};
/// They would need davsim's libraries, or one of two copies of the C++ runtime, in the program.
constexpr std::string_view kStatic[] = {"-static", "-static-pie", "-static-libgcc",
                                        "-static-libstdc++"};

/// C++20 is what the kernel API needs; a later standard stays.
std::string standard_for(const std::string& asked) {
  constexpr std::string_view kLater[] = {"c++20", "gnu++20", "c++2a", "gnu++2a",
                                         "c++23", "gnu++23", "c++2b", "gnu++2b"};
  if (is_one_of(asked, kLater)) return asked;
  if (!asked.starts_with("c++") && !asked.starts_with("gnu++")) {
    throw UsageError("-std=" + asked + " is no C++ standard");
  }
  return asked.starts_with("gnu") ? "gnu++20" : "c++20";
}

/// A word of the device's language. Tests that compile kernels for the host define some as nothing,
/// which would hide from the driver what is the device's.
bool is_device_word(std::string_view macro) {
  constexpr std::string_view kWords[] = {"__aicore__", "__global__", "__vector__", "__cube__",
                                         "__gm__",     "__ubuf__",   "__cbuf__",   "__ca__",
                                         "__cb__",     "__cc__",     "__fbuf__",   "__biasbuf__"};
  return is_one_of(macro.substr(0, macro.find('=')), kWords);
}

/// What counts how often code runs.
bool is_for_profiles(std::string_view argument) {
  constexpr std::string_view kWhole[] = {"--coverage", "-coverage", "-ftest-coverage", "-pg", "-p"};
  return is_one_of(argument, kWhole) || argument.starts_with("-fprofile-") ||
         argument.starts_with("-fno-profile-") || argument.starts_with("-fbranch-probabilities");
}

class Parser {
 public:
  explicit Parser(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

  Options run() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      argument_ = arguments_[at_];
      if (argument_.empty()) throw UsageError("an argument is empty");
      if (argument_[0] != '-' || argument_ == "-") {
        input();
      } else if (!action() && !vendor() && !common() && !pair() && !pass_on()) {
        throw UsageError("unknown option " + argument_ + "; see davsim-cc --help");
      }
    }
    check();
    return std::move(options_);
  }

 private:
  std::string value(const std::string& option) {
    if (at_ + 1 >= arguments_.size()) throw UsageError(option + " needs a value");
    return arguments_[++at_];
  }

  void input() {
    Options::Item item;
    item.is_input = true;
    item.input.path = argument_;
    constexpr std::string_view kMixed[] = {"asc", "cce"};
    if (is_object(argument_)) {
      item.input.kind = Input::Kind::kObject;
    } else if (language_ == "asc" || language_ == "cce" ||
               (language_.empty() && is_one_of(extension(argument_), kMixed))) {
      item.input.kind = Input::Kind::kMixed;
    } else {
      item.input.language = language_;
    }
    options_.items.push_back(item);
  }

  bool action() {
    if (argument_ == "--help" || argument_ == "-h") {
      options_.action = Action::kHelp;
    } else if (argument_ == "--version") {
      options_.action = Action::kVersion;
    } else if (argument_ == "-dumpversion" || argument_ == "-dumpfullversion" ||
               argument_ == "-dumpmachine" || argument_ == "-print-multiarch") {
      options_.action = Action::kTargetVersion;
      options_.compiler.push_back(argument_);
    } else if (argument_ == "-c" || argument_ == "-dc") {
      options_.action = Action::kCompile;
    } else if (argument_ == "-E") {
      options_.action = Action::kPreprocess;
    } else if (argument_ == "-M" || argument_ == "-MM") {
      options_.action = Action::kPreprocess;
      options_.dependencies.push_back(argument_);
    } else if (argument_ == "-lib" || argument_ == "--lib" ||
               argument_ == "--cce-build-static-lib") {
      options_.action = Action::kArchive;
    } else if (argument_ == "-S") {
      throw UsageError("-S is not supported: an object of davsim-cc holds three programs");
    } else {
      return false;
    }
    return true;
  }

  /// Whether the argument is `name` with a value, attached by = or next; sets value_.
  bool has_value(const std::string& name) {
    if (argument_.starts_with(name + "=")) {
      value_ = argument_.substr(name.size() + 1);
      return true;
    }
    if (argument_ != name) return false;
    value_ = value(name);
    return true;
  }

  /// Between -Xaicore-start and -Xaicore-end stand options of the device's compiler alone. Those of
  /// its machine mean nothing here, because kernels are code of the host.
  bool in_device_section() {
    if (argument_ == "-Xaicore-start" || argument_ == "-Xaicore-end") {
      device_section_ = argument_ == "-Xaicore-start";
      return true;
    }
    return device_section_ && argument_.starts_with("-m") && argument_ != "-mllvm";
  }

  bool vendor() {
    if (is_clangs(argument_) || in_device_section()) return true;
    for (const std::string_view option : clangs_pairs()) {
      if (has_value(std::string(option))) return true;
    }
    if (argument_ == "-xcce" || argument_ == "-xasc") {
      language_ = "asc";
    } else if (argument_ == "--shared") {
      options_.shared = true;
    } else if (argument_ == "--cce-aicore-only") {
      options_.compiler.emplace_back("-fPIC");  // programs load such an object while they run
    } else if (has_value("--npu-arch") || has_value("--cce-aicore-arch")) {
      if (!is_architecture(value_)) {
        throw UsageError("davsim simulates architecture dav-2201 (dav-c220); '" + value_ +
                         "' is another one");
      }
    } else if (argument_ == "--cce-auto-sync" || argument_ == "--cce-auto-sync=on") {
      options_.auto_sync = true;
    } else if (argument_ == "--cce-auto-sync=off") {
      options_.auto_sync = false;
    } else if (argument_.starts_with("--cce-auto-sync=")) {
      throw UsageError(argument_ + ": allowed are on and off");
    } else if (has_value("--run-mode")) {
      if (value_ != "npu" && value_ != "sim" && value_ != "cpu") {
        throw UsageError("--run-mode is '" + value_ + "', allowed are npu, sim and cpu");
      }
      options_.cpu_mode = value_ == "cpu";
    } else if (has_value("--davsim-launch-headers")) {
      options_.launch_headers = value_;
      options_.launch_functions = true;
    } else if (argument_ == "--davsim-module") {
      options_.module = options_.shared = true;
    } else if (argument_ == "--davsim-launch-functions") {
      options_.launch_functions = true;
    } else if (argument_ == "-mllvm") {
      const std::string given = value("-mllvm");
      if (!is_of_code_generator(given)) {
        options_.warnings.push_back("-mllvm " + given + " is ignored");
      }
    } else if (argument_.starts_with("--cce-") || argument_.starts_with("-fcce-") ||
               argument_ == "--sanitizer") {
      if (!is_known_without_effect(argument_))
        options_.warnings.push_back(argument_ + " is ignored");
    } else {
      return false;
    }
    return true;
  }

  bool common() {
    if (argument_ == "-o" || argument_.starts_with("-o")) {
      options_.output = argument_ == "-o" ? value("-o") : argument_.substr(2);
    } else if (argument_ == "-x" || argument_.starts_with("-x")) {
      language_ = argument_ == "-x" ? value("-x") : argument_.substr(2);
      if (language_ == "none") language_.clear();
    } else if (argument_ == "-shared") {
      options_.shared = true;
    } else if (argument_.starts_with("-std=") || argument_.starts_with("--std=")) {
      options_.standard = standard_for(argument_.substr(argument_.find('=') + 1));
    } else if (argument_.starts_with("-O")) {
      options_.optimisation = argument_;
    } else if (argument_ == "-v" || argument_ == "--verbose") {
      options_.verbose = true;
    } else if (argument_ == "-MD" || argument_ == "-MMD") {
      options_.writes_dependencies = true;
      options_.dependencies.push_back(argument_);
    } else if (argument_.starts_with("-flto")) {
      options_.warnings.push_back(argument_ + " is ignored: kernels are linked before the program");
    } else if (argument_ == "-fno-exceptions") {
      options_.warnings.push_back(argument_ + " is ignored: a kernel that is stopped throws");
    } else if (is_one_of(argument_, kStatic)) {
      options_.warnings.push_back(argument_ +
                                  " is ignored: davsim's libraries are shared, and so is the C++ "
                                  "runtime of their exceptions");
    } else if (argument_ == "-save-temps" || argument_ == "-pipe") {
      // Temporary files have names of their own, and nothing else would change.
    } else {
      return false;
    }
    return true;
  }

  /// Options with a value, attached or next.
  bool pair() {
    for (const std::string_view option : kDependencyPairs) {
      if (!argument_.starts_with(option)) continue;
      const std::string file =
          argument_ == option ? value(argument_) : argument_.substr(option.size());
      (option == "-MF" ? options_.dependency_file : options_.dependency_target) = file;
      return true;
    }
    for (const std::string_view option : kPreprocessorPairs) {
      if (!argument_.starts_with(option)) continue;
      const bool attached = argument_ != option;
      const std::string own = attached ? argument_.substr(option.size()) : value(argument_);
      if (option == "-D" && is_device_word(own)) return true;
      options_.preprocessor.push_back(argument_);
      if (!attached) options_.preprocessor.push_back(own);
      return true;
    }
    for (const std::string_view option : kLinkerPairs) {
      if (argument_ != option && !(option.size() == 2 && argument_.starts_with(option))) continue;
      link(argument_);
      if (argument_ == option) link(value(argument_));
      return true;
    }
    return false;
  }

  bool pass_on() {
    if (argument_.starts_with("-Wl,") || is_one_of(argument_, kLinkerFlags)) {
      link(argument_);
    } else if (argument_ == "-Xcompiler" || argument_ == "-Xassembler") {
      options_.compiler.push_back(argument_ == "-Xcompiler" ? value(argument_)
                                                            : "-Wa," + value(argument_));
    } else if (argument_ == "-MP" || argument_ == "-MG") {
      options_.dependencies.push_back(argument_);
    } else if (argument_.starts_with("-fsanitize") || argument_.starts_with("-fno-sanitize")) {
      if (argument_.starts_with("-fsanitize=") && argument_.find("thread") != argument_.npos) {
        throw UsageError(argument_ +
                         " is not supported: the memory of a device lies at addresses "
                         "that ThreadSanitizer gives to no program");
      }
      options_.sanitizers.push_back(argument_);
    } else if (argument_ == "-pthread") {
      options_.compiler.push_back(argument_);
      link(argument_);
    } else if (is_for_profiles(argument_)) {
      options_.profile.push_back(argument_);
    } else if (argument_.starts_with("-W") || argument_.starts_with("-f") ||
               argument_.starts_with("-g") || argument_.starts_with("-m") || argument_ == "-w" ||
               argument_.starts_with("-pedantic") || argument_ == "-ansi" ||
               argument_.starts_with("-B")) {
      options_.compiler.push_back(argument_);
    } else if (argument_ == "-nostdinc" || argument_ == "-nostdinc++") {
      options_.preprocessor.push_back(argument_);
    } else {
      return false;
    }
    return true;
  }

  void link(const std::string& argument) {
    Options::Item item;
    item.argument = argument;
    options_.items.push_back(item);
  }

  void check() {
    if (options_.action == Action::kHelp || options_.action == Action::kVersion ||
        options_.action == Action::kTargetVersion) {
      return;
    }
    const auto inputs = std::count_if(options_.items.begin(), options_.items.end(),
                                      [](const Options::Item& item) { return item.is_input; });
    if (inputs == 0) throw UsageError("no input files");
    const auto sources =
        std::count_if(options_.items.begin(), options_.items.end(), [](const Options::Item& item) {
          return item.is_input && item.input.kind != Input::Kind::kObject;
        });
    if (options_.action == Action::kCompile && !options_.output.empty() && sources > 1) {
      throw UsageError("-o with -c takes one source, not " + std::to_string(sources));
    }
    check_files();
  }

  void check_files() const {
    namespace fs = std::filesystem;
    const fs::path output = options_.output;
    std::error_code ignored;
    for (const Options::Item& item : options_.items) {
      if (!item.is_input) continue;
      const std::string& path = item.input.path;
      if (!std::ifstream(path)) throw UsageError("cannot read " + path);
      if (fs::is_directory(path, ignored)) throw UsageError(path + " is a folder, not a file");
      if (fs::is_regular_file(path, ignored) && fs::equivalent(path, output, ignored)) {
        throw UsageError("-o " + options_.output + " would overwrite the input " + path);
      }
    }
    if (output.empty() || output == "-") return;
    if (fs::is_directory(output, ignored))
      throw UsageError("-o " + options_.output + ": that is a folder");
    const fs::path folder = output.parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored)) {
      throw UsageError("-o " + options_.output + ": there is no folder " + folder.string());
    }
  }

  std::vector<std::string> arguments_;
  std::size_t at_ = 0;
  bool device_section_ = false;
  std::string argument_;
  std::string value_;
  std::string language_;
  Options options_;
};

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  return Parser(with_response_files(arguments)).run();
}

}  // namespace davsim::driver
