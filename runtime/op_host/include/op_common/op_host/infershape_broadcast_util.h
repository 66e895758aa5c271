// The shape to which two operands are broadcast.
#pragma once

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/shape_util.h"

namespace Ops {
namespace Base {

/// Sizes are compared from the last one on; one of 1 becomes the other's. False if two differ.
inline bool BroadcastShape(const gert::Shape* a, const gert::Shape* b, gert::Shape* result) {
  if (IsUnknownRank(*a) || IsUnknownRank(*b)) {
    SetUnknownRank(*result);
    return true;
  }
  const std::size_t rank = a->GetDimNum() > b->GetDimNum() ? a->GetDimNum() : b->GetDimNum();
  gert::Shape both;
  both.SetDimNum(rank);
  for (std::size_t i = 1; i <= rank; ++i) {
    const std::int64_t left = i <= a->GetDimNum() ? a->GetDim(a->GetDimNum() - i) : 1;
    const std::int64_t right = i <= b->GetDimNum() ? b->GetDim(b->GetDimNum() - i) : 1;
    if (left != right && left > 1 && right > 1) return false;
    std::int64_t size = left == 1 ? right : left;
    // An unknown size becomes the known one, since only that or 1 fits it.
    if (left == -1 && right > 1) size = right;
    both.SetDim(rank - i, size);
  }
  *result = both;
  return true;
}

/// The first output has the shape to which the first two inputs are broadcast.
inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context) {
  const gert::Shape* const a = context->GetInputShape(0);
  const gert::Shape* const b = context->GetInputShape(1);
  gert::Shape* const output = context->GetOutputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, a);
  OP_CHECK_NULL_WITH_CONTEXT(context, b);
  OP_CHECK_NULL_WITH_CONTEXT(context, output);
  OP_CHECK_IF(!BroadcastShape(a, b, output),
              OP_LOGE(context, "shapes %s and %s cannot be broadcast", ToString(*a).c_str(),
                      ToString(*b).c_str()),
              return ge::GRAPH_FAILED);
  return ge::GRAPH_SUCCESS;
}

}  // namespace Base
}  // namespace Ops
