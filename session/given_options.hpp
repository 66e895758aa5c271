// Options by name, from the command line of a program and from variables of the environment:
// --check-numbers and DAVSIM_CHECK_NUMBERS are one option.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace davsim::session {

class GivenOptions {
 public:
  /// Variables only.
  GivenOptions() = default;
  /// Takes the options out of the arguments, "--NAME VALUE" and "--NAME=VALUE". A switch has no
  /// value and reads as "1". Behind "--" nothing is taken. Throws WrongChoice where a value is
  /// missing, or an option that can be given once is given twice; only `set` may be repeated.
  GivenOptions(int& argc, char** argv, const std::vector<std::string>& switches,
               const std::vector<std::string>& valued);

  /// The value of an option; empty: it is not given.
  std::string text(const std::string& name);
  /// All values of an option: those of the variable first.
  std::vector<std::string> texts(const std::string& name);
  /// What the user calls the option: "--check", or "DAVSIM_CHECK" where arguments are not read.
  std::string called(const std::string& name) const;
  /// How the user switches it on: "--check" or "DAVSIM_CHECK=1".
  std::string as_switch(const std::string& name) const {
    return called(name) + (arguments_ ? "" : "=1");
  }
  /// "options" or "variables".
  std::string kind() const { return arguments_ ? "options" : "variables"; }
  /// Variables that look like options and are none, because nothing asked for them.
  void warn_of_unknown();

 private:
  std::map<std::string, std::vector<std::string>> taken_;
  bool arguments_ = false;
  std::vector<std::string> known_;
};

}  // namespace davsim::session
