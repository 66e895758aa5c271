// What the registry shows of PagedAttention: tensors, attributes, limits.
#pragma once

#include "kernels/registry/operator.hpp"

namespace davsim::ops::pa {

OperatorInfo describe();

}  // namespace davsim::ops::pa
