#include "cli/guard.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "cli/errors.hpp"
#include "io/temporaries.hpp"
#include "session/crash_report.hpp"

namespace davsim::cli {
namespace {

struct Handled {
  int signal;
  /// Made beforehand, because a handler cannot allocate; where the kernel was stands between them.
  std::string head, tail;
};
/// Set before the handlers are installed; not changed until they are removed.
std::vector<Handled> handled;
Handled exited;
bool as_json = false;
int descriptor = session::kStandardError;

void write(const Handled& entry, const session::CrashPlace& place) {
  session::write_error(entry.head, descriptor);
  session::write_error(as_json ? place.json() : place.text(), descriptor);
  session::write_error(entry.tail, descriptor);
}

extern "C" void end_with_message(int signal) {
  io::temporaries::remove_all();
  const session::CrashPlace place;
  for (const Handled& entry : handled) {
    if (entry.signal == signal) write(entry, place);
  }
  _exit(kFaulted);
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

/// Both halves of a message. An object as JSON ends behind the further members of its error.
Handled message(int signal, const Failure& failure, bool json) {
  const std::string text = shown(failure, json);
  const std::size_t head = json ? text.rfind("}}") : text.size();
  return {signal, text.substr(0, head), text.substr(head)};
}

Handled crash_message(const session::CrashSignal& signal, const std::string& operator_name,
                      bool json) {
  return message(signal.number,
                 stopped("crash", "device code does nothing that is undefined in C++",
                         "operator " + operator_name + " crashed in native code: " + signal.what),
                 json);
}

Handled exit_message(const std::string& operator_name, bool json) {
  return message(0,
                 stopped("crash", "device code returns",
                         "operator " + operator_name + " ended the process by exit()"),
                 json);
}

Handled timeout_message(const std::string& operator_name, unsigned seconds,
                        const RunGuard::Message& form) {
  return message(
      SIGALRM,
      stopped("timeout", "a run ends within " + form.limit,
              "operator " + operator_name + " did not end within " + std::to_string(seconds) +
                  " s of wall time; either device code loops for ever without emitting "
                  "instructions, or " +
                  form.limit + " is too short for this case"),
      form.json);
}

}  // namespace

RunGuard::RunGuard(unsigned seconds, const std::string& operator_name, const Message& message) {
  as_json = message.json;
  descriptor = message.to;
  handled = {timeout_message(operator_name, seconds, message)};
  for (const session::CrashSignal& signal : session::kCrashSignals) {
    handled.push_back(crash_message(signal, operator_name, message.json));
  }
  exited = exit_message(operator_name, message.json);
  session::tell_exits_of_kernels([](const session::CrashPlace& place) { write(exited, place); });
  session::give_handler_stack();
  for (const Handled& entry : handled) session::handle_signal(entry.signal, end_with_message);
  set_timer(seconds);
}

RunGuard::~RunGuard() {
  set_timer(0);
  for (const Handled& entry : handled) std::signal(entry.signal, SIG_DFL);
  handled.clear();
}

}  // namespace davsim::cli
