// Declarations of operators for graphs: REG_OP(Add).INPUT(x, types)...OP_END_FACTORY_REG(Add).
// There are no graphs here, so that they compile and do nothing.
#pragma once

#include "graph/operator.h"

namespace davsim::op_host {

struct GraphDeclaration {
  const GraphDeclaration& Taken() const { return *this; }
};

}  // namespace davsim::op_host

#define REG_OP(type)                                                                         \
  [[maybe_unused]] static const ::davsim::op_host::GraphDeclaration davsim_graph_op_##type = \
      ::davsim::op_host::GraphDeclaration()
#define INPUT(...) Taken()
#define OPTIONAL_INPUT(...) Taken()
#define DYNAMIC_INPUT(...) Taken()
#define OUTPUT(...) Taken()
#define DYNAMIC_OUTPUT(...) Taken()
#define ATTR(...) Taken()
#define REQUIRED_ATTR(...) Taken()
#define GRAPH(...) Taken()
#define DYNAMIC_GRAPH(...) Taken()
#define DATATYPE(...) Taken()
#define OP_END_FACTORY_REG(type) Taken();
