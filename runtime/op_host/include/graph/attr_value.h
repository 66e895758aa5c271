// The value of an attribute of a graph's node. There are no graphs here, so that its class can only
// be named. Functions of operators read their attributes by exe_graph/runtime/runtime_attrs.h.
#pragma once

#include "graph/types.h"

namespace ge {

class AttrValue;

}  // namespace ge
