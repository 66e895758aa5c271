// The callback by which a program learns of errors on the device (aclrtSetExceptionInfoCallback).
#pragma once

#include <cstdint>

#include "acl/acl_rt.h"

/// What a program is told of it.
struct rtExceptionInfo {
  std::uint32_t task, stream, thread, device, code;
};

namespace davsim::runtime {

/// The last one holds; null: nobody.
void set_exception_callback(aclrtExceptionInfoCallback callback);
/// Calls it in the calling thread, whose number it adds.
void tell_exception(rtExceptionInfo info);

}  // namespace davsim::runtime
