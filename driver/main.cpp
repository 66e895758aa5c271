// davsim-cc: compiles and links sources that mix host code and kernels.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "driver/compile.hpp"
#include "driver/help_text.hpp"
#include "driver/looks_mixed.hpp"
#include "driver/object_cache.hpp"
#include "driver/options.hpp"
#include "driver/pass.hpp"
#include "driver/process.hpp"
#include "driver/rewritten_half.hpp"
#include "driver/toolchain.hpp"

namespace davsim::driver {
namespace {

namespace fs = std::filesystem;

void append(Command& command, const Command& more) {
  command.insert(command.end(), more.begin(), more.end());
}

/// The libraries of davsim's that programs are linked with.
Command library_identities(const Toolchain& toolchain) {
  Command identities;
  for (const std::string& folder : toolchain.link) {
    if (!folder.starts_with("-L")) continue;
    for (const std::string& name : toolchain.link) {
      if (!name.starts_with("-l")) continue;
      identities.push_back(identity_of(folder.substr(2) + "/lib" + name.substr(2) + ".so"));
    }
  }
  return identities;
}

class Driver {
 public:
  Driver(Options options, Toolchain toolchain)
      : options_(std::move(options)), toolchain_(std::move(toolchain)) {}

  void run_action() {
    if (options_.shared) options_.compiler.emplace_back("-fPIC");
    for (Options::Item& item : options_.items) {
      if (!item.is_input || item.input.kind == Input::Kind::kObject) continue;
      Input& input = item.input;
      const bool names_language = !input.language.empty() && input.language != "c++";
      if (input.kind == Input::Kind::kHost && !names_language &&
          looks_mixed(input.path, options_)) {
        input.kind = Input::Kind::kMixed;
      }
      compile(input);
    }
    if (options_.action == Action::kLink) link();
    if (options_.action == Action::kArchive) archive();
  }

 private:
  bool only_sources() const {
    return options_.action == Action::kCompile || options_.action == Action::kPreprocess;
  }

  /// Where the object of a source goes.
  std::string object_of(const std::string& source) {
    if (only_sources()) {
      return options_.output.empty() || options_.action == Action::kPreprocess
                 ? fs::path(source).stem().string() + ".o"
                 : options_.output;
    }
    folders_.push_back(std::make_unique<TemporaryFolder>());
    return folders_.back()->file(fs::path(source).stem().string() + ".o");
  }

  void compile(Input& input) {
    const std::string object = object_of(input.path);
    if (input.kind == Input::Kind::kHost) {
      compile_host(input, object);
    } else if (options_.action == Action::kPreprocess) {
      preprocess(input.path, object);
    } else {
      // A folder for each source: what it leaves behind is gone before the next begins.
      const TemporaryFolder temporary;
      compile_mixed(options_, toolchain_, input.path, object, temporary);
    }
    input.path = object;
  }

  void compile_host(const Input& input, const std::string& object) {
    Command command = {toolchain_.compiler};
    append(command, host_flags(options_, toolchain_));
    if (!input.language.empty()) append(command, {"-x", input.language});
    append(command, options_.dependencies);
    if (!options_.dependency_file.empty()) append(command, {"-MF", options_.dependency_file});
    if (!options_.dependency_target.empty()) append(command, {"-MT", options_.dependency_target});
    if (options_.action == Action::kPreprocess) {
      if (options_.dependencies.empty()) command.emplace_back("-E");
      append(command, {input.path});
      if (!options_.output.empty()) append(command, {"-o", options_.output});
    } else {
      append(command, profile_names(options_, input.path, object));
      append(command, {"-c", input.path, "-o", object});
    }
    run(command);
  }

  void preprocess(const std::string& source, const std::string& object) {
    const TemporaryFolder temporary;
    const std::string text = preprocessed_host(options_, toolchain_, source, object, temporary);
    if (options_.output.empty() || options_.output == "-") {
      std::cout << text;
    } else {
      write_file(options_.output, text);
    }
  }

  void link() const {
    Command command = {toolchain_.compiler};
    if (options_.shared) command.emplace_back("-shared");
    for (const std::string& option : options_.compiler) {
      if (option.starts_with("-g") || option.starts_with("-fuse-ld") || option.starts_with("-B") ||
          option.starts_with("-m")) {
        command.push_back(option);
      }
    }
    append(command, options_.profile);
    append(command, options_.sanitizers);
    append(command, {"-o", options_.output.empty() ? "a.out" : options_.output});
    for (const Options::Item& item : options_.items) {
      command.push_back(item.is_input ? item.input.path : item.argument);
    }
    if (!options_.module) append(command, toolchain_.link);
    if (!links_own_objects_only()) return run(command);
    // Where the objects are those of the last time, so is the program.
    ObjectCache cache(toolchain_);
    cache.add(command_without_files(command), "");
    cache.add(library_identities(toolchain_), "");
    for (const Options::Item& item : options_.items) cache.add({}, read_file(item.input.path));
    if (cache.fetch(command[output_at(command)])) return;
    run(command);
    cache.store(command[output_at(command)]);
  }

  /// Whether all that is linked was compiled here: nothing is known of other files and libraries.
  bool links_own_objects_only() const {
    return std::all_of(options_.items.begin(), options_.items.end(), [](const auto& item) {
      return item.is_input && item.input.kind == Input::Kind::kMixed;
    });
  }

  static std::size_t output_at(const Command& command) {
    return static_cast<std::size_t>(std::find(command.begin(), command.end(), "-o") -
                                    command.begin()) +
           1;
  }
  Command command_without_files(Command command) const {
    command.erase(command.begin() + static_cast<std::ptrdiff_t>(output_at(command)));
    for (const Options::Item& item : options_.items) {
      command.erase(std::find(command.begin(), command.end(), item.input.path));
    }
    return command;
  }

  void archive() const {
    const std::string output = options_.output.empty() ? "liba.a" : options_.output;
    std::error_code ignored;
    fs::remove(output, ignored);
    Command command = {toolchain_.archiver, "rcs", output};
    for (const Options::Item& item : options_.items) {
      if (item.is_input) command.push_back(item.input.path);
    }
    run(command);
  }

  Options options_;
  Toolchain toolchain_;
  std::vector<std::unique_ptr<TemporaryFolder>> folders_;
};

/// What failed, without words of the library: the file and the reason.
std::string reason(const fs::filesystem_error& error) {
  const fs::path& path = error.path2().empty() ? error.path1() : error.path2();
  return (path.empty() ? "the working directory" : path.string()) + ": " + error.code().message();
}

int run_driver(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--davsim-kernel-half") {
    compile_rewritten({arguments.begin() + 1, arguments.end()});
    return 0;
  }
  Options options = parse_options(arguments);
  if (options.action == Action::kHelp) {
    std::cout << help_text();
    return 0;
  }
  Toolchain toolchain = find_toolchain();
  if (options.action == Action::kVersion) {
    std::cout << "davsim-cc " << toolchain.version << "\nKernels for NPU architecture dav-2201; "
              << "host code by " << toolchain.compiler << "\n";
    return 0;
  }
  if (options.action == Action::kTargetVersion) {
    Command command = {toolchain.compiler};
    append(command, options.compiler);
    run(command);
    return 0;
  }
  for (const std::string& warning : options.warnings) {
    std::cerr << "davsim-cc: warning: " << warning << "\n";
  }
  // What the compiler writes beside an object for a profile is not kept.
  if (!options.profile.empty()) toolchain.cache.clear();
  show_commands(options.verbose);
  Driver(std::move(options), std::move(toolchain)).run_action();
  return 0;
}

}  // namespace
}  // namespace davsim::driver

int main(int argc, char** argv) {
  using namespace davsim::driver;
  try {
    return run_driver({argv + 1, argv + argc});
  } catch (const Failed& failed) {
    return failed.status;
  } catch (const UsageError& error) {
    std::cerr << "davsim-cc: error: " << error.what() << "\n";
    return 2;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << "\n";
    return 1;
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "davsim-cc: error: " << reason(error) << "\n";
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "davsim-cc: error: " << error.what() << "\n";
    return 1;
  }
}
