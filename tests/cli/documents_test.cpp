// The documents agree with the program: the commands that they show name operators, cases, SoCs,
// options and parameters that exist, and their tables of operators, SoCs and cycle classes are
// those of the program. Nothing is simulated: that the commands work is for the other tests of this
// folder.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "observe/cycle_classes.hpp"
#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

struct Command {
  std::string where;  ///< "docs/command.md: davsim list"
  std::vector<std::string> words;
};

/// The commands of a page: lines of code that begin with davsim, without their comments.
void read_commands(const fs::path& file, std::vector<Command>& commands) {
  std::istringstream in(read_file(file));
  std::string line;
  bool fenced = false;
  while (std::getline(in, line)) {
    if (line.starts_with("```")) fenced = !fenced;
    if (!fenced && !line.starts_with("    ")) continue;
    std::istringstream parts(line.substr(0, line.find(" #")));
    std::string word;
    if (!(parts >> word) || (word != "davsim" && word != "build/bin/davsim")) continue;
    Command command{file.filename().string() + ": " + line, {}};
    while (parts >> word) command.words.push_back(word);
    if (!command.words.empty()) commands.push_back(command);
  }
}

class DocumentsTest : public ProgramTest {
 protected:
  static std::vector<Command> commands() {
    const fs::path root = DAVSIM_SOURCE;
    std::vector<Command> all;
    read_commands(root / "README.md", all);
    for (const char* folder : {"docs", "docs/operators"}) {
      for (const auto& entry : fs::directory_iterator(root / folder)) {
        if (entry.path().extension() == ".md") read_commands(entry.path(), all);
      }
    }
    return all;
  }

  /// The names in a list of objects that a command prints with --json.
  std::set<std::string> names(const std::vector<std::string>& arguments, const char* list,
                              const char* member) const {
    std::set<std::string> all;
    const json::object printed = result(arguments);
    for (const json::value& entry : printed.at(list).as_array()) {
      all.insert(entry.as_object().at(member).as_string().c_str());
    }
    return all;
  }

  std::string help(const std::string& command) {
    const auto [entry, made] = help_.try_emplace(command);
    if (made) entry->second = davsim({"help", command}).out;
    return entry->second;
  }

  std::map<std::string, std::string> help_;
};

TEST_F(DocumentsTest, CommandsNameWhatExists) {
  const auto operators = names({"list"}, "operators", "name");
  const auto socs = names({"list"}, "socs", "name");
  const json::object soc = result({"describe", "Ascend910B3"});
  const json::object& parameters = soc.at("parameters").as_object();
  std::map<std::string, std::set<std::string>> cases;
  for (const std::string& name : operators) cases[name] = names({"describe", name}, "cases", "id");
  for (const std::string& name : names({"list"}, "system_operators", "name")) {
    cases[name] = names({"describe", name}, "cases", "id");
  }

  const auto all = commands();
  EXPECT_GT(all.size(), 40u);
  for (const Command& command : all) {
    SCOPED_TRACE(command.where);
    const std::string& name = command.words[0];
    const std::string described = help(name);
    ASSERT_TRUE(holds(described, "usage: davsim " + name));
    const std::string subject = command.words.size() > 1 ? command.words[1] : "";
    const bool of_operator = name == "run" || name == "compare" || name == "check";
    const auto known = operators.count(subject) + (name == "describe" ? socs.count(subject) : 0);
    // A library of operators is the reader's own.
    const bool of_library =
        std::find(command.words.begin(), command.words.end(), "--operators") != command.words.end();
    if (((of_operator && subject != "all") || name == "describe") && !of_library) {
      EXPECT_EQ(known, 1u) << subject;
    }
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      const std::string& word = command.words[i];
      if (!word.starts_with("--")) continue;
      EXPECT_TRUE(holds(described, word + " "));
      const std::string value = i + 1 < command.words.size() ? command.words[i + 1] : "";
      if (word == "--case") {
        // What runs on a system is named behind it.
        const std::string& of = name == "run-system" ? command.words.at(2) : subject;
        EXPECT_EQ(cases[of].count(value), 1u) << value;
      }
      if (word == "--soc") {
        EXPECT_EQ(socs.count(value), 1u) << value;
      }
      if (word == "--set") {
        EXPECT_TRUE(parameters.contains(value.substr(0, value.find('=')))) << value;
      }
    }
  }
}

TEST_F(DocumentsTest, EveryOperatorHasAPage) {
  for (const std::string& name : names({"list"}, "operators", "name")) {
    EXPECT_TRUE(fs::exists(fs::path(DAVSIM_SOURCE) / "docs/operators" / (name + ".md"))) << name;
  }
}

TEST_F(DocumentsTest, TableOfSocsIsThatOfTheProgram) {
  const std::string page = read_file(fs::path(DAVSIM_SOURCE) / "docs/socs.md");
  const json::object list = result({"list"});
  for (const json::value& entry : list.at("socs").as_array()) {
    const json::object& soc = entry.as_object();
    const auto number = [&](const char* name) {
      return std::to_string(soc.at(name).to_number<std::int64_t>());
    };
    const std::string name = soc.at("name").as_string().c_str();
    const std::string row = "\n| " + name + " | " + soc.at("product").as_string().c_str() + " | " +
                            number("aic") + " | " + number("aiv") + " | " +
                            number("frequency_mhz") + " | ";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST_F(DocumentsTest, TablesOfCycleClassesNameThemAll) {
  for (const char* file : {"docs/glossary.md", "docs/traces.md"}) {
    const std::string page = read_file(fs::path(DAVSIM_SOURCE) / file);
    for (std::size_t i = 0; i < observe::kCycleClassCount; ++i) {
      const auto name = observe::cycle_class_name(static_cast<observe::CycleClass>(i));
      EXPECT_NE(page.find("\n| `" + std::string(name) + "` | "), std::string::npos)
          << file << ": " << name;
    }
  }
}

}  // namespace
}  // namespace davsim::cli
