#include "runtime/core/crash.hpp"

#include <unistd.h>

#include <csignal>

#include "io/temporaries.hpp"
#include "session/crash_report.hpp"

namespace davsim::runtime {
namespace {

/// As the command ends where a kernel went wrong.
constexpr int kFaulted = 4;

extern "C" void tell_crash(int signal) {
  io::temporaries::remove_all();
  const session::CrashPlace place;
  session::write_error(place.in_kernel() ? "davsim: a kernel crashed in native code: "
                                         : "davsim: the host program crashed: ");
  for (const session::CrashSignal& known : session::kCrashSignals) {
    if (known.number == signal) session::write_error(known.what);
  }
  session::write_error("\n");
  session::write_error(place.text());
  if (place.in_kernel()) _exit(kFaulted);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void tell_crashes() {
  for (const session::CrashSignal& signal : session::kCrashSignals) {
    struct sigaction before {};
    sigaction(signal.number, nullptr, &before);
    if (before.sa_handler == SIG_DFL) session::handle_signal(signal.number, tell_crash);
  }
}

}  // namespace davsim::runtime
