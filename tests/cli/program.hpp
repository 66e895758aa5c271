// Runs the davsim program and looks at everything it leaves behind.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/scratch_folder.hpp"

namespace davsim::cli {

namespace fs = std::filesystem;
namespace json = boost::json;

struct Outcome {
  int status = 0;          ///< exit status; -signal if a signal ended it
  std::string out, err;    ///< what it wrote
  std::uint64_t peak = 0;  ///< bytes of host memory at most
};

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// A test with a folder of its own, in which the program runs.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() { fs::create_directory(work_); }

  /// `in_child` is called in the process of the program before it starts, in the folder of the
  /// test.
  Outcome davsim(
      const std::vector<std::string>& arguments,
      const std::function<void()>& in_child = [] {}) const {
    const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
    std::vector<char*> argv = {const_cast<char*>("davsim")};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
      const auto redirect = [](const fs::path& path, int to) {
        dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
      };
      redirect(out, STDOUT_FILENO);
      redirect(err, STDERR_FILENO);
      if (chdir(work_.c_str()) != 0) _exit(127);
      in_child();
      execv(DAVSIM_PROGRAM, argv.data());
      _exit(127);
    }
    int status = 0;
    rusage usage{};
    EXPECT_EQ(wait4(pid, &status, 0, &usage), pid);
    Outcome outcome;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    outcome.out = read_file(out);
    outcome.err = read_file(err);
    outcome.peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return outcome;
  }

  /// Runs with --json appended and expects one JSON object on standard output and nothing else.
  json::object result(std::vector<std::string> arguments, int status = 0) const {
    arguments.push_back("--json");
    const Outcome outcome = davsim(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return object(outcome.out);
  }
  /// Runs with --json appended and expects one error object on standard error and nothing else.
  json::object error(std::vector<std::string> arguments, int status) const {
    arguments.push_back("--json");
    const Outcome outcome = davsim(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "");
    const json::object whole = object(outcome.err);
    EXPECT_EQ(whole.size(), 1u);
    const json::value* error = whole.if_contains("error");
    if (error == nullptr || !error->is_object()) {
      ADD_FAILURE() << "no error object: " << outcome.err;
      return {{"class", ""}, {"message", ""}, {"rule", ""}};
    }
    EXPECT_FALSE(error->at("message").as_string().empty());
    EXPECT_TRUE(error->at("rule").is_string());
    return error->as_object();
  }
  std::string error_class(std::vector<std::string> arguments, int status) const {
    return error(std::move(arguments), status).at("class").as_string().c_str();
  }

  static json::object object(const std::string& text) {
    boost::system::error_code problem;
    const json::value value = json::parse(text, problem);
    EXPECT_FALSE(problem) << "not one JSON value: '" << text << "'";
    EXPECT_TRUE(value.is_object()) << text;
    return value.is_object() ? value.get_object() : json::object();
  }

  fs::path file(const std::string& name) const { return work_ / name; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(work_))
      names.push_back(entry.path().filename());
    return names;
  }

  const ScratchFolder folder_;
  const fs::path work_ = folder_ / "work";
};

/// `text` holds `part`.
inline ::testing::AssertionResult holds(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

}  // namespace davsim::cli
