// The shape of what is left of a tensor when some of its axes are reduced.
#pragma once

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/const_util.h"
#include "op_common/op_host/util/shape_util.h"

namespace Ops {
namespace Base {

/// Input 1 has the axes of input 0 to reduce, as values that the host may read. Attribute 0 says
/// whether they stay as sizes of 1. No axes are all axes.
inline ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context) {
  const gert::Shape* const input = context->GetInputShape(0);
  gert::Shape* const output = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, input);
  OP_CHECK_NULL_WITH_CONTEXT(context, output);
  OP_CHECK_NULL_WITH_CONTEXT(context, context->GetAttrs());
  const bool* const keeps = context->GetAttrs()->GetBool(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, keeps);
  const gert::Tensor* const axes_tensor = context->GetInputTensor(1);
  OP_CHECK_NULL_WITH_CONTEXT(context, axes_tensor);
  gert::Shape axes;
  if (axes_tensor->GetShapeSize() > 0 && !GetConstIntToShape(context, 1, axes)) {
    return ge::GRAPH_FAILED;
  }
  const std::size_t rank = input->GetDimNum();
  bool reduced[gert::Shape::kMaxDimNum] = {};
  for (std::size_t i = 0; i < axes.GetDimNum(); ++i) {
    OP_CHECK_IF(!CheckAxisBounds(rank, axes.GetDim(i)),
                OP_LOGE(context, "axis %" PRId64 " is none of %zu axes", axes.GetDim(i), rank),
                return ge::GRAPH_FAILED);
    const std::int64_t axis = axes.GetDim(i);
    reduced[axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis] = true;
  }
  gert::Shape left;
  for (std::size_t i = 0; i < rank; ++i) {
    if (axes.GetDimNum() > 0 && !reduced[i]) {
      left.AppendDim(input->GetDim(i));
    } else if (*keeps) {
      left.AppendDim(1);
    }
  }
  *output = left;
  return ge::GRAPH_SUCCESS;
}

}  // namespace Base
}  // namespace Ops
