#include "cli/child.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <system_error>

namespace davsim::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// The output goes to nameless files. With pipes the parent would have to read all the time.
File nameless_file() {
  File file(std::tmpfile());
  if (!file) throw std::system_error(errno, std::generic_category(), "temporary file");
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  char buffer[4096];
  std::rewind(file);
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, got);
  return text;
}

struct Child {
  std::size_t index;
  File out, err;
};

/// Starts a child. Between fork and exec it makes only calls that are safe there.
pid_t start(const std::vector<std::string>& arguments, const Child& child) {
  std::vector<char*> argv = {const_cast<char*>("davsim")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(EXIT_FAILURE);  // the parent ended before prctl
  dup2(fileno(child.out.get()), STDOUT_FILENO);
  dup2(fileno(child.err.get()), STDERR_FILENO);
  execv("/proc/self/exe", argv.data());
  _exit(127);
}

}  // namespace

void run_children(const std::vector<std::vector<std::string>>& argument_lists, unsigned at_once,
                  const OnChild& ended) {
  std::map<pid_t, Child> running;
  const bool side_by_side = std::min<std::size_t>(at_once, argument_lists.size()) > 1;
  std::size_t next = 0;
  while (next < argument_lists.size() || !running.empty()) {
    if (next < argument_lists.size() && running.size() < at_once) {
      Child child{next, nameless_file(), nameless_file()};
      std::vector<std::string> arguments = argument_lists[next++];
      if (side_by_side) arguments.emplace_back("--threads=1");  // the processes fill the host
      const pid_t pid = start(arguments, child);
      running.emplace(pid, std::move(child));
      continue;
    }
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "waitpid");
    const auto at = running.find(pid);
    if (at == running.end()) continue;
    const Child child = std::move(at->second);
    running.erase(at);
    ended(child.index, {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                        contents(child.out.get()), contents(child.err.get())});
  }
}

}  // namespace davsim::cli
