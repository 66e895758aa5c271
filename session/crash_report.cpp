#include "session/crash_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "io/temporaries.hpp"
#include "isa/core/running_kernel.hpp"

namespace davsim::session {
namespace {

/// The signals that end a program from outside. SIGPIPE comes when the reader of the output has
/// ended.
constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
constexpr std::size_t kStackBytes = 65536;

extern "C" void end_as_usual(int signal) {
  io::temporaries::remove_all();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void (*g_tell_exit)(const CrashPlace&) = nullptr;
/// A program may end in one thread while a kernel runs in another one.
thread_local bool t_runs_kernels = false;

extern "C" void end_when_a_kernel_exits() {
  const CrashPlace place;
  if (!t_runs_kernels || !place.in_kernel()) return;
  std::fflush(nullptr);
  io::temporaries::remove_all();
  g_tell_exit(place);
  _exit(kKernelFailed);
}

/// Text in a buffer that is as large as it is.
class Line {
 public:
  explicit Line(std::array<char, 1024>& buffer) : buffer_(buffer) {}
  Line& operator<<(std::string_view text) {
    const std::size_t taken = std::min(text.size(), buffer_.size() - size_);
    std::memcpy(buffer_.data() + size_, text.data(), taken);
    size_ += taken;
    return *this;
  }
  Line& operator<<(std::uint32_t number) {
    std::array<char, 10> digits;
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
    } while ((number /= 10) != 0);
    return *this << std::string_view(digits.data() + at, digits.size() - at);
  }
  std::size_t size() const { return size_; }

 private:
  std::array<char, 1024>& buffer_;
  std::size_t size_ = 0;
};

}  // namespace

CrashPlace::CrashPlace() {
  const isa::RunningKernel& kernel = isa::g_running_kernel;
  if (kernel.name == nullptr) return;
  const std::string_view file = kernel.call.file_name();
  Line text(text_), json(json_);
  text << "  kernel: " << kernel.name << "\n  core: " << kernel.core << "\n";
  json << ",\"kernel\":\"" << kernel.name << "\",\"core\":\"" << kernel.core << "\"";
  if (!file.empty()) {
    text << "  at: behind the call at " << file << ":" << kernel.call.line() << "\n";
    // A name that would have to be escaped is left out.
    if (file.find_first_of("\"\\") == std::string_view::npos) {
      json << ",\"file\":\"" << file << "\",\"line\":" << kernel.call.line();
    }
  }
  size_ = text.size();
  json_size_ = json.size();
}

void tell_exits_of_kernels(void (*tell)(const CrashPlace&)) {
  [[maybe_unused]] static const int registered = std::atexit(end_when_a_kernel_exits);
  g_tell_exit = tell;
  t_runs_kernels = true;
}

void handle_signal(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

void give_handler_stack() {
  // A sanitizer gives each thread one, and takes back what it finds at the thread's end.
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0) return;
  static thread_local std::array<char, kStackBytes> memory;
  stack = {};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, nullptr);
}

void write_error(std::string_view text, int to) {
  // A failure here cannot be reported any more.
  [[maybe_unused]] const auto written = write(to, text.data(), text.size());
}

void clean_up_when_interrupted() {
  for (const int signal : kInterrupts) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_DFL) handle_signal(signal, end_as_usual);
  }
}

}  // namespace davsim::session
