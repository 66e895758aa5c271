// What the registry shows of PagedAttention: tensors, attributes, limits.
#pragma once

#include "kernels/registry/operator.hpp"

namespace davsim::operators::paged_attention {

OperatorInfo describe();

}  // namespace davsim::operators::paged_attention
