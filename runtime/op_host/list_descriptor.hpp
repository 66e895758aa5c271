// A list of tensors as kernels find it in global memory.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/op_host/node.hpp"

namespace davsim::op_host {

/// The 64-bit words of the list: isa/include/ascendc/list_tensor.h describes them.
std::vector<std::uint64_t> list_descriptor(const ParameterArgument& tensors);

}  // namespace davsim::op_host
