// The shape of what an operator computes element by element.
#pragma once

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"

namespace Ops {
namespace Base {

/// The first output has the shape of the first input.
inline ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context) {
  const gert::Shape* const input = context->GetInputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, input);
  gert::Shape* const output = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, output);
  *output = *input;
  return ge::GRAPH_SUCCESS;
}

}  // namespace Base
}  // namespace Ops
