// Ends kernels that no exception can unwind.
//
// A fault of the kernel, or of another core, is an exception that leaves the kernel. Where it comes
// to a function that is noexcept, as destructors are that say nothing else, or to a destructor that
// another exception is calling, the C++ runtime calls std::terminate(). In a kernel's thread that
// ends the kernel alone: what it threw is kept, and its frames are left as they are.
#pragma once

#include <pthread.h>

#include <csetjmp>
#include <exception>
#include <functional>
#include <optional>

#include "isa/instr/fault.hpp"

namespace davsim::isa {

/// Throws the fault, for code that kernels call. Where the kernel's destructors meet another one on
/// its way, this one is the kernel's.
[[noreturn]] void stop_kernel(Fault fault);
/// The handler of std::terminate().
[[noreturn]] void end_terminated_kernel();

class KernelFrame {
 public:
  /// Calls `kernel` and returns the exception that ended it; null if none did. `kernel` may suspend
  /// its thread, if g_running_kernel is the same whenever it goes on.
  std::exception_ptr run(const std::function<void()>& kernel);

 private:
  friend void stop_kernel(Fault fault);
  friend void end_terminated_kernel();

  /// What the C++ runtime knows of the exceptions of a thread; its layout is a part of the ABI.
  struct Exceptions {
    void* caught;
    unsigned uncaught;
  };
  static Exceptions& exceptions();

  /// Whether an exception is unwinding the kernel.
  static bool unwinding(const Exceptions& before) {
    return exceptions().uncaught > before.uncaught;
  }
  [[noreturn]] void leave();

  std::jmp_buf start_;
  pthread_t thread_{};
  Exceptions before_{};         ///< the kernel
  std::exception_ptr thrown_;   ///< by the kernel
  std::optional<Fault> first_;  ///< that stop_kernel() threw
};

}  // namespace davsim::isa
