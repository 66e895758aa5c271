// A graph of operators. There are no graphs here: its class can be named, and the node that sources
// find by this header is that of operator.h.
#pragma once

#include "graph/operator.h"

namespace ge {

class Graph;

}  // namespace ge
