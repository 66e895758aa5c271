#include "session/program_crash.hpp"

#include <unistd.h>

#include <csignal>

#include "io/temporaries.hpp"
#include "session/crash_report.hpp"

namespace davsim::session {
namespace {

extern "C" void tell_crash(int signal) {
  io::temporaries::remove_all();
  const CrashPlace place;
  write_error(place.in_kernel() ? "davsim: a kernel crashed in native code: "
                                : "davsim: the host program crashed: ");
  for (const CrashSignal& known : kCrashSignals) {
    if (known.number == signal) write_error(known.what);
  }
  write_error("\n");
  write_error(place.text());
  if (place.in_kernel()) _exit(kKernelFailed);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void tell_crashes() {
  for (const CrashSignal& signal : kCrashSignals) {
    struct sigaction before {};
    sigaction(signal.number, nullptr, &before);
    if (before.sa_handler == SIG_DFL) handle_signal(signal.number, tell_crash);
  }
}

void tell_exits() {
  tell_exits_of_kernels([](const CrashPlace& place) {
    write_error("davsim: a kernel ended the process by exit()\n");
    write_error(place.text());
  });
}

}  // namespace davsim::session
