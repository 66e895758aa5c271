// What hand-written aclnn functions begin with: the vendor's log and profile them there.
#pragma once

#include <tuple>

#include "opdev/format_utils.h"
#include "opdev/op_arg_def.h"
#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"

namespace davsim::op_api {

/// Uses arguments that nothing else may use.
template <class... Values>
void seen(const Values&...) {}

}  // namespace davsim::op_api

#define DFX_IN(...) ::davsim::op_api::seen(__VA_ARGS__)
#define DFX_OUT(...) ::davsim::op_api::seen(__VA_ARGS__)

#define L2_DFX_PHASE_1(function, in, out)                                                        \
  if (executor == nullptr || workspaceSize == nullptr) {                                         \
    OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, #function ": workspaceSize or executor is a null pointer"); \
    return ACLNN_ERR_PARAM_NULLPTR;                                                              \
  }                                                                                              \
  L2_DFX_PHASE_1_WITHOUT_CACHE(function, in, out)
#define L2_DFX_PHASE_1_WITHOUT_CACHE(function, in, out) \
  in;                                                   \
  out
#define L2_DFX_PHASE_2(function) static_cast<void>(0)
#define L0_DFX(function, ...) ::davsim::op_api::seen(__VA_ARGS__)

/// Says that the functions launch an operator of this type.
#define OP_TYPE_REGISTER(type)                             \
  [[maybe_unused]] inline std::uint32_t type##OpTypeId() { \
    return 0;                                              \
  }                                                        \
  static_assert(true)
