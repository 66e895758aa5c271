#include "cli/guard.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

#include "cli/errors.hpp"
#include "io/temporaries.hpp"

namespace davsim::cli {
namespace {

struct Handled {
  int signal;
  std::string message;  ///< made beforehand, because a handler cannot allocate
};
/// Set before the handlers are installed; not changed until they are removed.
std::vector<Handled> handled;
/// The signals that end a program from outside. SIGPIPE comes when the reader of the output has
/// ended.
constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
/// Handlers need a stack of their own, because the kernel's stack may have overflowed.
std::array<char, 65536> handler_stack;

extern "C" void end_with_message(int signal) {
  io::temporaries::remove_all();
  for (const Handled& entry : handled) {
    if (entry.signal != signal) continue;
    // A failure here cannot be reported any more.
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, entry.message.data(), entry.message.size());
  }
  _exit(kFaulted);
}

extern "C" void end_as_usual(int signal) {
  io::temporaries::remove_all();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

void set_timer(unsigned seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Ends the progress line that may stand on a terminal.
std::string shown(const Failure& failure, bool json) {
  if (json) return failure.json();
  return (isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "") + failure.text;
}

std::string crash_message(const std::string& operator_name, const char* what, bool json) {
  const Failure failure = stopped("crash", "device code does nothing that is undefined in C++",
                                  "operator " + operator_name + " crashed in native code: " + what);
  return shown(failure, json);
}

std::string timeout_message(const std::string& operator_name, unsigned seconds, bool json) {
  const Failure failure = stopped(
      "timeout", "a run ends within --host-timeout",
      "operator " + operator_name + " did not end within " + std::to_string(seconds) +
          " s of wall time; either device code loops for ever without emitting instructions, or "
          "--host-timeout is too short for this case");
  return shown(failure, json);
}

}  // namespace

RunGuard::RunGuard(unsigned seconds, const std::string& operator_name, bool json) {
  handled = {
      {SIGALRM, timeout_message(operator_name, seconds, json)},
      {SIGSEGV, crash_message(operator_name, "invalid memory access (SIGSEGV)", json)},
      {SIGBUS, crash_message(operator_name, "invalid memory access (SIGBUS)", json)},
      {SIGFPE, crash_message(operator_name, "integer division by zero (SIGFPE)", json)},
      {SIGILL, crash_message(operator_name, "invalid instruction (SIGILL)", json)},
      {SIGABRT, crash_message(operator_name, "abort (SIGABRT)", json)},
  };
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  sigaltstack(&stack, nullptr);
  for (const Handled& entry : handled) handle(entry.signal, end_with_message);
  set_timer(seconds);
}

RunGuard::~RunGuard() {
  set_timer(0);
  for (const Handled& entry : handled) std::signal(entry.signal, SIG_DFL);
  handled.clear();
}

void clean_up_when_interrupted() {
  for (const int signal : kInterrupts) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_DFL) handle(signal, end_as_usual);
  }
}

}  // namespace davsim::cli
