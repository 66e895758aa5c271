#include "runtime/op_host/library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "runtime/op_host/registry.hpp"

namespace davsim::op_host {

namespace {

/// A library that holds the simulator itself, such as one of host calls, or whose constructors
/// fail, ends the process that loads it. So a process of its own tries.
void require_loadable(const std::string& file) {
  const pid_t child = fork();
  if (child < 0) return;
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw std::invalid_argument("the library of operators " + file +
                              " can be loaded; it ends the process that does. A project's library "
                              "of operators is lib<package>.so, and not that of its aclnn calls");
}

}  // namespace

void load_library(const std::string& path) {
  // A name without a folder would be looked for elsewhere.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  require_loadable(file);
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();
    throw std::invalid_argument("the library of operators " + path + " can be loaded; " +
                                (reason == nullptr ? "it cannot" : reason));
  }
  for (const std::string& error : take_registration_errors()) {
    throw std::invalid_argument("the library of operators " + path + ": " + error);
  }
}

}  // namespace davsim::op_host
