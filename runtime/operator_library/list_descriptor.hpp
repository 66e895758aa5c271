// A list of tensors as kernels find it in global memory.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/registry/tensor.hpp"

namespace davsim::op_library {

/// The 64-bit words of the list: isa/include/ascendc/list_tensor.h describes them.
std::vector<std::uint64_t> list_descriptor(const std::vector<operators::Tensor>& tensors);

}  // namespace davsim::op_library
