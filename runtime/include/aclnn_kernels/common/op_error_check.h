// Checks of the arguments of hand-written aclnn functions: each says what is wrong and then does
// what its last argument says, such as `return false`.
#pragma once

#include <cstdint>

#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

/// Says which argument is a null pointer.
template <class Object>
bool IsNullptr(const Object* object, const char* name) {
  if (object == nullptr) OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "%s is a null pointer", name);
  return object == nullptr;
}
inline bool CheckDims(const aclTensor* tensor) {
  for (std::size_t i = 0; i < tensor->GetViewShape().GetDimNum(); ++i) {
    if (tensor->GetViewShape().GetDim(i) <= INT32_MAX) continue;
    OP_LOGE(ACLNN_ERR_PARAM_INVALID, "a size of the tensor is more than %d", INT32_MAX);
    return false;
  }
  return true;
}
inline bool CheckReduceOutShape(const aclTensor* inferred, const aclTensor* out) {
  const bool single = inferred->Numel() == 1 && out->Numel() == 1;
  if (single || inferred->GetViewShape() == out->GetViewShape()) return true;
  OP_LOGE(ACLNN_ERR_PARAM_INVALID, "out has shape %s; the result has %s",
          op::ToString(out->GetViewShape()).GetString(),
          op::ToString(inferred->GetViewShape()).GetString());
  return false;
}

#define DAVSIM_OP_CHECK(condition, code, action, ...) \
  do {                                                \
    if (!(condition)) {                               \
      OP_LOGE(code, __VA_ARGS__);                     \
      action;                                         \
    }                                                 \
  } while (false)
#define DAVSIM_OP_CHECK_PARAM(condition, action, ...) \
  DAVSIM_OP_CHECK(condition, ACLNN_ERR_PARAM_INVALID, action, __VA_ARGS__)

#define OP_CHECK_NULL(parameter, action)    \
  do {                                      \
    if (IsNullptr(parameter, #parameter)) { \
      action;                               \
    }                                       \
  } while (false)
#define OP_CHECK_COMM_INPUT(workspace_size, executor)                                            \
  DAVSIM_OP_CHECK((workspace_size) != nullptr && (executor) != nullptr, ACLNN_ERR_PARAM_NULLPTR, \
                  return ACLNN_ERR_PARAM_NULLPTR, "workspaceSize or executor is a null pointer")
#define OP_CHECK_DTYPE_NOT_SUPPORT(tensor, types, action)                                     \
  DAVSIM_OP_CHECK_PARAM(                                                                      \
      op::CheckType((tensor)->GetDataType(), types), action, "%s is %s; it may be one of %s", \
      #tensor, op::ToString((tensor)->GetDataType()).GetString(), op::ToString(types).GetString())
#define OP_CHECK_DTYPE_NOT_MATCH(tensor, type, action)                                             \
  DAVSIM_OP_CHECK_PARAM((tensor)->GetDataType() == (type), action, "%s is %s and not %s", #tensor, \
                        op::ToString((tensor)->GetDataType()).GetString(),                         \
                        op::ToString(type).GetString())
#define OP_CHECK_DTYPE_NOT_SAME(a, b, action)                             \
  DAVSIM_OP_CHECK_PARAM((a)->GetDataType() == (b)->GetDataType(), action, \
                        "%s is %s and %s is %s; they have one type", #a,  \
                        op::ToString((a)->GetDataType()).GetString(), #b, \
                        op::ToString((b)->GetDataType()).GetString())
#define OP_CHECK_RESULT_DTYPE_CAST_FAILED(from, to, action)                                \
  DAVSIM_OP_CHECK_PARAM(op::CanCast(from, to), action, "a result of type %s cannot be %s", \
                        op::ToString(from).GetString(), op::ToString(to).GetString())
#define OP_CHECK_BROADCAST_WITH_SHAPE(tensor, sizes, action)                              \
  DAVSIM_OP_CHECK_PARAM(op::CheckBroadcastShape((tensor)->GetViewShape(), sizes), action, \
                        "%s has shape %s, which does not go with %s", #tensor,            \
                        op::ToString((tensor)->GetViewShape()).GetString(),               \
                        op::ToString(sizes).GetString())
#define OP_CHECK_BROADCAST(a, b, action) \
  OP_CHECK_BROADCAST_WITH_SHAPE(a, (b)->GetViewShape(), action)
#define OP_CHECK_BROADCAST_AND_INFER_SHAPE(a, b, result, action)                                   \
  DAVSIM_OP_CHECK_PARAM(op::BroadcastInferShape((a)->GetViewShape(), (b)->GetViewShape(), result), \
                        action, "%s has shape %s and %s has %s, which do not go together", #a,     \
                        op::ToString((a)->GetViewShape()).GetString(), #b,                         \
                        op::ToString((b)->GetViewShape()).GetString())
#define OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(tensor, sizes, action)                         \
  DAVSIM_OP_CHECK_PARAM((tensor)->GetViewShape() == (sizes), action, "%s has shape %s and not %s", \
                        #tensor, op::ToString((tensor)->GetViewShape()).GetString(),               \
                        op::ToString(sizes).GetString())
#define OP_CHECK_SHAPE_NOT_EQUAL(a, b, action) \
  OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(a, (b)->GetViewShape(), action)
#define OP_CHECK_WRONG_DIMENSION(tensor, count, action)                                          \
  DAVSIM_OP_CHECK_PARAM((tensor)->GetViewShape().GetDimNum() == static_cast<std::size_t>(count), \
                        action, "%s has shape %s and not %zu dimensions", #tensor,               \
                        op::ToString((tensor)->GetViewShape()).GetString(),                      \
                        static_cast<std::size_t>(count))
#define OP_CHECK_MAX_DIM(tensor, most, action)                                                  \
  DAVSIM_OP_CHECK_PARAM((tensor)->GetViewShape().GetDimNum() <= static_cast<std::size_t>(most), \
                        action, "%s has more than %zu dimensions", #tensor,                     \
                        static_cast<std::size_t>(most))
#define OP_CHECK_MIN_DIM(tensor, least, action)                                                  \
  DAVSIM_OP_CHECK_PARAM((tensor)->GetViewShape().GetDimNum() >= static_cast<std::size_t>(least), \
                        action, "%s has fewer than %zu dimensions", #tensor,                     \
                        static_cast<std::size_t>(least))
#define OP_CHECK_TENSORLIST_SIZE_EQUAL(a, b, action)        \
  DAVSIM_OP_CHECK_PARAM((a)->Size() == (b)->Size(), action, \
                        "the lists %s and %s have different lengths", #a, #b)
#define OP_CHECK_ADD_TO_LAUNCHER_LIST_AICORE(failed, action, ...) \
  DAVSIM_OP_CHECK(!(failed), ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID, action, __VA_ARGS__)
#define OP_CHECK_INFERSHAPE(failed, action, ...) \
  DAVSIM_OP_CHECK(!(failed), ACLNN_ERR_INNER_INFERSHAPE_ERROR, action, __VA_ARGS__)
