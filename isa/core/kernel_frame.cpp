#include "isa/core/kernel_frame.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <utility>

#include "isa/core/running_kernel.hpp"

namespace davsim::isa {
namespace {

std::terminate_handler g_terminate_before = nullptr;

}  // namespace

void end_terminated_kernel() {
  KernelFrame* frame = g_running_kernel.frame;
  const bool here = frame != nullptr && pthread_equal(frame->thread_, pthread_self()) != 0;
  if (here && std::current_exception()) frame->leave();
  if (g_terminate_before != nullptr) g_terminate_before();
  std::abort();
}

KernelFrame::Exceptions& KernelFrame::exceptions() {
  return *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
}

std::exception_ptr KernelFrame::run(const std::function<void()>& kernel) {
  // A program may have set a handler of its own since.
  if (std::get_terminate() != end_terminated_kernel) {
    g_terminate_before = std::set_terminate(end_terminated_kernel);
  }
  thread_ = pthread_self();
  before_ = exceptions();
  g_running_kernel.frame = this;
  if (setjmp(start_) == 0) {
    try {
      kernel();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }
  first_.reset();
  return std::exchange(thrown_, {});
}

void KernelFrame::leave() {
  // The exception that cannot go on has been caught by the runtime. One that was on its way when
  // this one was thrown is the reason of both.
  const bool second = unwinding(before_);
  thrown_ = second && first_ ? std::make_exception_ptr(*first_) : std::current_exception();
  abi::__cxa_end_catch();
  exceptions() = before_;
  std::longjmp(start_, 1);
}

void stop_kernel(Fault fault) {
  KernelFrame* frame = g_running_kernel.frame;
  if (frame != nullptr && !KernelFrame::unwinding(frame->before_)) frame->first_ = fault;
  throw fault;
}

}  // namespace davsim::isa
