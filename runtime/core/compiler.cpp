#include "runtime/core/compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <system_error>

#include "runtime/core/api_error.hpp"

extern char** environ;

namespace davsim::runtime {
namespace {

namespace fs = std::filesystem;

/// As it lies in an installation and in a build folder; else its name, for PATH.
std::string compiler() {
  Dl_info self{};
  std::error_code none;
  if (dladdr(reinterpret_cast<const void*>(&run_compiler), &self) != 0) {
    const fs::path folder = fs::weakly_canonical(self.dli_fname, none).parent_path();
    for (const char* bin : {"../../../../bin", "../bin"}) {
      const fs::path file = folder / bin / "davsim-cc";
      if (fs::exists(file, none)) return file;
    }
  }
  return "davsim-cc";
}

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t count; (count = read(descriptor, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

CompilerRun run_compiler(const std::vector<std::string>& arguments) {
  const std::string program = compiler();
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw ApiError(ACL_ERROR_INTERNAL_ERROR, "no pipe is left");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t id = 0;
  const int failed = posix_spawnp(&id, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  CompilerRun run;
  if (failed == 0) run.log = all_of(ends[0]);
  close(ends[0]);
  if (failed != 0) {
    throw ApiError(ACL_ERROR_INTERNAL_ERROR,
                   "kernels are compiled by davsim-cc, and " + program +
                       " cannot be run: " + std::generic_category().message(failed));
  }
  int status = 0;
  waitpid(id, &status, 0);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return run;
}

CompilerFolder::CompilerFolder() {
  std::string name = fs::temp_directory_path() / "davsim-compile-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw ApiError(ACL_ERROR_INTERNAL_ERROR, "there is no folder for temporary files");
  }
  path_ = name;
}

CompilerFolder::~CompilerFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace davsim::runtime
