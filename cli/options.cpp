#include "cli/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <sstream>
#include <thread>

#include "cli/errors.hpp"

namespace davsim::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* kPositional = "<positional>";

std::vector<std::string> option_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  return names;
}

/// Refuses a word that belongs to no option.
[[noreturn]] void refuse_word(const Command& command, const std::string& word) {
  throw UsageError("unexpected argument '" + word + "'; usage: davsim " + command.name + " " +
                   command.usage);
}

}  // namespace

std::string Command::help() const {
  std::ostringstream text;
  text << "usage: davsim " << name << " " << usage << "\n\n" << description << "\n";
  if (!options.options().empty()) text << "\n" << options;
  if (!examples.empty()) text << "\nExamples:\n" << examples;
  return text.str();
}

po::variables_map parse(const Command& command, const Arguments& arguments) {
  po::options_description all;
  all.add(command.options);
  all.add_options()(kPositional, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(kPositional, -1);
  // Abbreviated options would change their meaning when an option is added.
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional).style(style).run(),
        values);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    const std::string hint = did_you_mean(name, option_names(command.options));
    throw UsageError("unknown option '" + name + "'" + (hint.empty() ? "." : hint) +
                     " See `davsim help " + command.name + "`.");
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + ". See `davsim help " + command.name + "`.");
  }
  const std::vector<std::string> words = list_option(values, kPositional);
  if (command.positional.empty() && !words.empty()) refuse_word(command, words.front());
  const std::size_t most = command.second_positional.empty() ? 1 : 2;
  if (words.size() > most) refuse_word(command, words[most]);
  if (!command.positional.empty() && words.empty()) {
    throw UsageError(command.positional + " is missing; usage: davsim " + command.name + " " +
                     command.usage);
  }
  if (!words.empty()) values.insert({command.positional, po::variable_value(words[0], false)});
  if (words.size() > 1) {
    values.insert({command.second_positional, po::variable_value(words[1], false)});
  }
  return values;
}

std::string text_option(const po::variables_map& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second.as<std::string>();
}

std::vector<std::string> list_option(const po::variables_map& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return {};
  return found->second.as<std::vector<std::string>>();
}

bool is_given(const po::variables_map& values, const std::string& name) {
  const auto found = values.find(name);
  return found != values.end() && !found->second.defaulted();
}

bool flag_option(const po::variables_map& values, const std::string& name) {
  const auto found = values.find(name);
  return found != values.end() && found->second.as<bool>();
}

std::uint64_t number_option(const po::variables_map& values, const std::string& name,
                            std::uint64_t otherwise, std::uint64_t most) {
  if (values.count(name) == 0) return otherwise;
  const std::string text = text_option(values, name);
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number > most) {
    throw UsageError("--" + name + " is '" + text + "', which is no whole number from 0 to " +
                     std::to_string(most));
  }
  return number;
}

unsigned jobs_option(const po::variables_map& values) {
  constexpr std::uint64_t kMaxJobs = 1024;
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  const auto jobs = static_cast<unsigned>(number_option(values, "jobs", cores, kMaxJobs));
  if (jobs == 0) throw UsageError("--jobs is at least 1");
  return jobs;
}

}  // namespace davsim::cli
