// Command lines: the subcommands, and parsing that says what is wrong.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::cli {

using Arguments = std::vector<std::string>;

/// A subcommand. Its help is `usage`, `description`, the options and `examples`.
struct Command {
  std::string name;
  std::string summary;            ///< one line for the list of commands
  std::string usage;              ///< "OPERATOR [options]"
  std::string description;        ///< paragraphs, wrapped
  std::string examples;           ///< lines, indented
  std::string positional;         ///< name of the one positional argument; empty: none
  std::string second_positional;  ///< one behind it that may be left out
  boost::program_options::options_description options{"Options", 100};
  int (*run)(const Command& command, const Arguments& arguments);

  std::string help() const;
};

/// In the order in which `davsim help` lists them.
const std::vector<const Command*>& commands();
/// Throws UsageError.
const Command& find_command(const std::string& name);

/// Values of a command's options. Throws UsageError for options that are unknown, given twice, or
/// lack a value, and where the positional argument is missing.
boost::program_options::variables_map parse(const Command& command, const Arguments& arguments);

/// Value of an option that is a string; "" if it is not given.
std::string text_option(const boost::program_options::variables_map& values,
                        const std::string& name);
/// Values of an option that may be repeated.
std::vector<std::string> list_option(const boost::program_options::variables_map& values,
                                     const std::string& name);
/// True if the option is on the command line, with a value or as a switch.
bool is_given(const boost::program_options::variables_map& values, const std::string& name);
bool flag_option(const boost::program_options::variables_map& values, const std::string& name);
/// A whole number out of [0, most], or `otherwise` if the option is not given. Throws UsageError.
std::uint64_t number_option(const boost::program_options::variables_map& values,
                            const std::string& name, std::uint64_t otherwise, std::uint64_t most);

/// --jobs: processes at once, by default one for each of the host's cores. Throws UsageError.
unsigned jobs_option(const boost::program_options::variables_map& values);

}  // namespace davsim::cli
