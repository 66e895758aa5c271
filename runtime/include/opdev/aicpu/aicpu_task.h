// Tasks of AI CPUs. There are none here: functions that would launch one say so when they are
// called.
#pragma once

#include "opdev/make_op_executor.h"
#include "opdev/op_log.h"

namespace op::internal {

class AicpuTaskSpace {
 public:
  template <class... Values>
  explicit AicpuTaskSpace(const char*, const Values&...) {}
};

}  // namespace op::internal

namespace davsim::op_api {

template <class... Parts>
aclnnStatus refuse_ai_cpu(const char* type, const Parts&...) {
  report(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "%s would run on an AI CPU, which davsim has not",
         type);
  return ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
}

}  // namespace davsim::op_api

#define OP_ATTR_NAMES(...) ::davsim::op_api::Ignored()
#define ADD_TO_LAUNCHER_LIST_AICPU(type, ...) ::davsim::op_api::refuse_ai_cpu(#type, __VA_ARGS__)
