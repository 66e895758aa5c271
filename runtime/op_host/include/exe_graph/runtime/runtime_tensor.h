// The later name of the header that declares Tensor.
#pragma once

#include "exe_graph/runtime/tensor.h"
