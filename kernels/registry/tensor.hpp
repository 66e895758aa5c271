// Tensors as operators see them: those of global memory, under their short names.
#pragma once

#include "memory/tensor.hpp"

namespace davsim::operators {

using memory::element_count;
using memory::Shape;
using memory::Tensor;
using memory::TensorMap;
using memory::to_string;

}  // namespace davsim::operators
