// What is said when native code crashes, a kernel's or a program's, and the handlers of signals
// that say it.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>

namespace davsim::session {

/// The status of a process whose kernel went wrong.
inline constexpr int kKernelFailed = 4;

struct CrashSignal {
  int number;
  const char* what;
};
inline constexpr std::array kCrashSignals = {
    CrashSignal{SIGSEGV, "invalid memory access (SIGSEGV)"},
    CrashSignal{SIGBUS, "invalid memory access (SIGBUS)"},
    CrashSignal{SIGFPE, "integer division by zero (SIGFPE)"},
    CrashSignal{SIGILL, "invalid instruction (SIGILL)"},
    CrashSignal{SIGABRT, "abort (SIGABRT)"},
};

/// Lets `handler` answer a signal, on a stack of its own in threads that have one.
void handle_signal(int signal, void (*handler)(int));
/// Gives the calling thread a stack for handlers: its own may have overflowed.
void give_handler_stack();

/// The part of a message that is put together in a handler, where nothing can be allocated.
class CrashPlace {
 public:
  /// Looks which kernel runs, on which core and behind which call.
  CrashPlace();
  bool in_kernel() const { return size_ > 0; }
  /// "  kernel: add\n  core: core3.veccore1\n  at: behind the call at add.cpp:41\n"; empty outside
  /// kernels.
  std::string_view text() const { return {text_.data(), size_}; }
  /// The same as further members of an object: ,"kernel":"add","core":...
  std::string_view json() const { return {json_.data(), json_size_}; }

 private:
  std::array<char, 1024> text_, json_;
  std::size_t size_ = 0, json_size_ = 0;
};

/// From now on `tell` is called when a kernel of the calling thread ends the process by exit(); the
/// process then ends with kKernelFailed. One function is kept, the last.
void tell_exits_of_kernels(void (*tell)(const CrashPlace&));

/// Writes to standard error, or to another descriptor. A handler may call it too.
inline constexpr int kStandardError = 2;
void write_error(std::string_view text, int to = kStandardError);

/// From now on Ctrl-C and the other signals that end a program remove temporary files first. A
/// signal that the caller ignores, as nohup does, stays ignored; one that it handles stays its own.
void clean_up_when_interrupted();

}  // namespace davsim::session
