// Results of functions that graphs call, by their other names: the numbers of ge_error_codes.h.
#pragma once

#include "graph/ge_error_codes.h"

namespace ge {

using Status = graphStatus;
constexpr Status SUCCESS = GRAPH_SUCCESS;
constexpr Status FAILED = GRAPH_FAILED;

}  // namespace ge
