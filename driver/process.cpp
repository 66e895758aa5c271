#include "driver/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <utility>

namespace davsim::driver {
namespace {

bool commands_are_shown = false;

void show(const Command& command) {
  std::string line;
  for (const std::string& word : command) {
    const bool plain = word.find_first_of(" \t\"'$\\;&|<>()*?") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain && !word.empty() ? word : "'" + word + "'");
  }
  std::cerr << line << '\n';
}

}  // namespace

Process::Process(const Command& command, const std::string& errors, const std::string& output) {
  if (commands_are_shown) show(command);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto redirect = [&actions](int descriptor, const std::string& path) {
    if (path.empty()) return;
    posix_spawn_file_actions_addopen(&actions, descriptor, path.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  };
  redirect(STDERR_FILENO, errors);
  redirect(STDOUT_FILENO, output);
  const int error = posix_spawnp(&id_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    id_ = -1;
    throw std::runtime_error("cannot run " + command[0] + ": " + std::strerror(error));
  }
}

Process::Process(Process&& other) noexcept : id_(std::exchange(other.id_, -1)) {}

Process::~Process() {
  if (id_ > 0) wait();
}

int Process::wait() {
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void show_commands(bool show) {
  commands_are_shown = show;
}

void run(const Command& command) {
  if (const int status = Process(command).wait()) throw Failed{status};
}

TemporaryFolder::TemporaryFolder() {
  std::error_code failed;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(failed);
  if (failed) {
    throw std::runtime_error(
        "the folder for temporary files, which TMPDIR names, cannot be used: " + failed.message());
  }
  std::string name = parent / "davsim-cc-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make the folder " + name + ": " + std::strerror(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, std::string_view text) {
  const std::string draft = path + "." + std::to_string(getpid());
  std::ofstream file(draft, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(draft, path, error);
  if (!file || error) {
    std::filesystem::remove(draft, error);
    throw std::runtime_error("cannot write " + path);
  }
}

}  // namespace davsim::driver
