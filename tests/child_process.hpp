// A process of its own for each device of a test: a process has one device.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

namespace davsim::test {

/// In a build with AddressSanitizer: programs that this process starts are not asked for leaks.
/// Open MPI keeps memory until a process ends, and under a debugger nobody can look.
inline void look_for_no_leaks() {
  if (const char* options = std::getenv("ASAN_OPTIONS")) {
    setenv("ASAN_OPTIONS", (std::string(options) + ":detect_leaks=0").c_str(), 1);
  }
}

/// A process that returns a text.
struct Child {
  pid_t process = -1;
  int text = -1;  ///< where to read it
};

/// Runs `body` in a process of its own.
inline Child start_child(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string text;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = std::string("it threw: ") + error.what();
    }
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = ::write(ends[1], text.data() + done, text.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  return {child, ends[0]};
}

/// What its body returned, or how the process ended.
inline std::string result_of(const Child& child) {
  if (child.process < 0) return "no process";
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(child.text, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(child.text);
  int status = 0;
  waitpid(child.process, &status, 0);
  if (WIFSIGNALED(status)) text += "it was killed by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    text += "it ended with status " + std::to_string(WEXITSTATUS(status));
  }
  return text;
}

/// What `body` returns in a process of its own, or how that process ended.
inline std::string in_child(const std::function<std::string()>& body) {
  return result_of(start_child(body));
}

}  // namespace davsim::test
