#include "session/given_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "session/chosen_soc.hpp"
#include "session/suggest.hpp"

namespace davsim::session {
namespace {

const std::string kPrefix = "DAVSIM_";

std::string variable_of(const std::string& option) {
  std::string name = kPrefix + option;
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

GivenOptions::GivenOptions(int& argc, char** argv, const std::vector<std::string>& switches,
                           const std::vector<std::string>& valued)
    : arguments_(true) {
  int kept = std::min(argc, 1);
  std::string wrong;  // told when all options are taken, so that the program sees none of them
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") {
      while (i < argc) argv[kept++] = argv[i++];
      break;
    }
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.starts_with("--") ? argument.substr(2, equals - 2) : "";
    const bool alone = has(switches, name) && equals == argument.size();
    if (!alone && !has(valued, name)) {
      argv[kept++] = argv[i];
      continue;
    }
    std::string value = "1";
    if (!alone && equals == argument.size()) {
      value = i + 1 < argc ? argv[++i] : "";
    } else if (!alone) {
      value = argument.substr(equals + 1);
    }
    std::vector<std::string>& values = taken_[name];
    if (value.empty() && wrong.empty()) wrong = "--" + name + " needs a value";
    if (!values.empty() && name != "set" && wrong.empty()) wrong = "--" + name + " is given twice";
    values.push_back(std::move(value));
  }
  argc = kept;
  argv[argc] = nullptr;
  if (!wrong.empty()) throw WrongChoice(wrong);
}

std::vector<std::string> GivenOptions::texts(const std::string& name) {
  std::vector<std::string> all;
  known_.push_back(variable_of(name));
  const char* value = std::getenv(known_.back().c_str());
  if (value != nullptr && *value != '\0') all.emplace_back(value);
  if (const auto found = taken_.find(name); found != taken_.end()) {
    all.insert(all.end(), found->second.begin(), found->second.end());
  }
  return all;
}

std::string GivenOptions::text(const std::string& name) {
  const std::vector<std::string> all = texts(name);
  return all.empty() ? "" : all.back();
}

std::string GivenOptions::called(const std::string& name) const {
  return arguments_ ? "--" + name : variable_of(name);
}

void GivenOptions::warn_of_unknown() {
  // Those of the other programs of davsim are none of a user's slips.
  known_.emplace_back("DAVSIM_CC_CACHE");
  known_.emplace_back("DAVSIM_CXX");
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable(*entry);
    const std::string name = variable.substr(0, variable.find('='));
    if (!name.starts_with(kPrefix) || has(known_, name)) continue;
    const std::string hint = did_you_mean(name, known_);
    if (hint.empty()) continue;
    std::fprintf(stderr, "davsim: warning: nothing reads the variable %s%s\n", name.c_str(),
                 hint.c_str());
  }
}

}  // namespace davsim::session
