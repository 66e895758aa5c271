// Names of the kernels that run a graph's nodes. There are no graphs here and no such names: what a
// context is extended by is what it says of its node.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
