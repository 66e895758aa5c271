#include "runtime/core/exception.hpp"

#include <unistd.h>

#include <atomic>

#include "runtime/core/reports.hpp"

namespace davsim::runtime {
namespace {

std::atomic<aclrtExceptionInfoCallback> g_callback{nullptr};

}  // namespace

void set_exception_callback(aclrtExceptionInfoCallback callback) {
  g_callback = callback;
}

void tell_exception(rtExceptionInfo info) {
  const aclrtExceptionInfoCallback callback = g_callback;
  if (callback == nullptr) return;
  info.thread = static_cast<std::uint32_t>(gettid());
  const InCallback now;  // calls that would wait for the device do not
  callback(&info);
}

}  // namespace davsim::runtime
