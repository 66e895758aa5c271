#include "driver/rewritten_half.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <utility>

#include "driver/buffer_arrays.hpp"
#include "driver/library_names.hpp"
#include "driver/looks_mixed.hpp"
#include "driver/mixed_choices.hpp"
#include "driver/options.hpp"
#include "driver/own_statics.hpp"
#include "driver/own_types.hpp"
#include "driver/retries.hpp"
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
      compiled.insert(compiled.end(), {kColumnsInBytes, "-x", "c++-cpp-output", text});
    } else if (!word.starts_with("-M")) {
      compiled.push_back(word);
    }
  }
  return compiled;
}

/// The cores that an attribute names, as sections of kernels do: "1_2"; empty for another
/// attribute.
std::string cores_named(std::string_view attribute) {
  std::string words;
  for (const char letter : attribute) {
    if (letter != ' ' && letter != '\n') words += letter;
  }
  if (words == "__attribute__((aiv))") return "0_1";
  if (words == "__attribute__((aic))") return "1_0";
  constexpr std::string_view kRatio = "[[bisheng::core_ratio(";
  if (!words.starts_with(kRatio) || words.size() < kRatio.size() + 3) return {};
  return {words[kRatio.size()], '_', words[kRatio.size() + 2]};
}

/// The source with the section in place of each attribute that says on which cores a kernel runs,
/// as
/// __vector__ and its like have it. No line is added or lost.
std::string with_sections(std::string source) {
  std::size_t number = 1'000'000;  // behind those of __COUNTER__
  for (const auto& [begin, end] :
       {std::pair<std::string_view, std::string_view>{"[[", "]]"}, {"__attribute__", "))"}}) {
    for (std::size_t at = 0; (at = source.find(begin, at)) != source.npos; ++at) {
      const std::size_t stop = source.find(end, at);
      if (stop == source.npos || stop - at > 80) continue;
      const std::string attribute = source.substr(at, stop + end.size() - at);
      const std::string cores = cores_named(attribute);
      if (cores.empty()) continue;
      std::string section = "__attribute__((section(\"davsim_kernels_" + cores + "." +
                            std::to_string(number++) + "\")))";
      section.append(static_cast<std::size_t>(std::ranges::count(attribute, '\n')), '\n');
      source.replace(at, attribute.size(), section);
    }
  }
  return source;
}

/// Runs a compiler, whose messages go to the file `log`.
Compilation outcome_of(const Command& command, const std::string& log) {
  const int status = Process(command, log).wait();
  return {status, read_file(log)};
}

/// Shows what a compiler said. Throws Failed.
void show(const Compilation& outcome) {
  std::cerr << outcome.log;
  if (outcome.status != 0) throw Failed{outcome.status};
}

}  // namespace

void compile_rewritten(const Command& command) {
  const std::size_t source = value_of(command, "-c"), output = value_of(command, "-o");
  std::vector<std::string_view> forms = {
      "<<<",     "template <>", "template<>",      "[host",    "[ host",    "core_ratio", "((aiv))",
      "((aic))", "asc_simd.h",  "[[block_local]]", "MOVEMASK", "0.0 / 0.0", "0.0f / 0.0f"};
  const auto& names = declarations_with_library_names();
  forms.insert(forms.end(), names.begin(), names.end());
  const auto definitions = definitions_with_api_names();
  forms.insert(forms.end(), definitions.begin(), definitions.end());
  const auto statics = common_statics();
  forms.insert(forms.end(), statics.begin(), statics.end());
  const TemporaryFolder temporary;
  const std::string log = temporary.file("half.log"), file = temporary.file("half.ii");
  if (!mentions(command[source], command, forms)) {
    const Compilation plain = outcome_of(command, log);
    if (plain.status == 0 || !may_settle(plain.log)) return show(plain);
  }
  run(preprocessing(command, source, output, file));
  const std::string text = with_buffer_arrays(read_file(file));
  const TokenList tokens(text, command[source]);
  Scan seen = scan(tokens);
  seen.kernels.clear();  // the build decides which cores they run on
  const auto compile = [&](const std::string& half, const Command& more) {
    write_file(file, half);
    Command compiler = compilation(command, source, file);
    compiler.insert(compiler.end(), more.begin(), more.end());
    return outcome_of(compiler, log);
  };
  const std::string half = with_sections(half_source(tokens, seen, Half::kVector));
  show(settle(half, command[source], compile(half, {}), compile));
}

}  // namespace davsim::driver
