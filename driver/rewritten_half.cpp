#include "driver/rewritten_half.hpp"

#include <algorithm>
#include <string_view>

#include "driver/looks_mixed.hpp"
#include "driver/options.hpp"
#include "driver/rewrite.hpp"
#include "driver/scan.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {
namespace {

std::size_t value_of(const Command& command, std::string_view option) {
  const auto found = std::find(command.begin(), command.end(), option);
  if (command.end() - found < 2) {
    throw UsageError("--davsim-kernel-half: the command has no " + std::string(option));
  }
  return static_cast<std::size_t>(found - command.begin()) + 1;
}

/// With what rewritten launches name. The plugin counts what is compiled.
Command preprocessing(Command command, std::size_t source, std::size_t output,
                      const std::string& text) {
  command[source - 1] = "-E";
  command[output] = text;
  command.insert(command.begin() + static_cast<std::ptrdiff_t>(source) - 1,
                 {"-include", "ascendc/launch_argument.h"});
  std::erase_if(command, [](const std::string& word) { return word.starts_with("-fplugin"); });
  return command;
}

Command compilation(const Command& command, std::size_t source, const std::string& text) {
  Command compiled;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-MF" || word == "-MT" || word == "-MQ") {
      ++i;
    } else if (i == source) {
      compiled.insert(compiled.end(), {"-x", "c++-cpp-output", text});
    } else if (!word.starts_with("-M")) {
      compiled.push_back(word);
    }
  }
  return compiled;
}

}  // namespace

void compile_rewritten(const Command& command) {
  const std::size_t source = value_of(command, "-c"), output = value_of(command, "-o");
  constexpr std::string_view kForms[] = {"<<<", "template <>", "template<>", "[host", "[ host"};
  if (!mentions(command[source], command, kForms)) return run(command);
  const TemporaryFolder temporary;
  const std::string file = temporary.file("half.ii");
  run(preprocessing(command, source, output, file));
  const std::string text = read_file(file);
  const TokenList tokens(text, command[source]);
  Scan seen = scan(tokens);
  seen.kernels.clear();  // the build decides which cores they run on
  write_file(file, half_source(tokens, seen, Half::kVector));
  run(compilation(command, source, file));
}

}  // namespace davsim::driver
