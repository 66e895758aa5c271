// Sizes of the device for kernels, in bytes.
#pragma once

#include "kernel_operator.h"

namespace Ops {
namespace Base {

/// A DataBlock of UB.
__aicore__ inline constexpr uint32_t GetUbBlockSize() {
  return 32;
}
/// What a vector instruction takes in one repeat.
__aicore__ inline constexpr uint32_t GetVRegSize() {
  return 256;
}

}  // namespace Base
}  // namespace Ops
