// Tensors of the library as those of the kernel API, for its calls.
#pragma once

#include "ascendc/library_call.h"
#include "ascendc/tensor.h"

namespace davsim::api::lib {

template <typename T>
AscendC::LocalTensor<T> typed(const Tensor& tensor) {
  AscendC::LocalTensor<T> local;
  local.SetAddr({tensor.bytes, static_cast<std::uint32_t>(tensor.at.addr), nullptr,
                 static_cast<std::uint8_t>(AscendC::TPosition::VECCALC), tensor.at.buffer});
  return local;
}

}  // namespace davsim::api::lib
