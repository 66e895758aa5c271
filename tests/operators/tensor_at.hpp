// Tensors in UB for tests of what kernels share.
#pragma once

#include "kernel_operator.h"

namespace davsim::test {

/// `elements` from a byte of UB.
template <typename T = float>
AscendC::LocalTensor<T> at(std::uint32_t byte, std::uint32_t elements) {
  return AscendC::LocalTensor<T>(AscendC::TPosition::VECCALC, byte, elements);
}

}  // namespace davsim::test
