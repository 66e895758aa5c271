// Checks of codes that calls of the device's runtime return.
#pragma once

#include <acl/acl.h>
#include <c10/util/Exception.h>

#include <string>

#include "torch_npu/csrc/core/npu/NPUMacros.h"
#include "torch_npu/csrc/core/npu/npu_log.h"

namespace c10_npu {
/// Text of the last error of this thread; empty if there is none.
inline std::string recent_error() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}
inline const char* acl_error_code_msg(int) {
  return "";
}
}  // namespace c10_npu

enum class SubModule { PTA = 0, OPS = 1, DIST = 2, GRAPH = 3, PROF = 4 };
enum class ErrCode {
  SUC = 0,
  PARAM = 1,
  TYPE = 2,
  VALUE = 3,
  PTR = 4,
  INTERNAL = 5,
  MEMORY = 6,
  NOT_SUPPORT = 7,
  NOT_FOUND = 8,
  UNAVAIL = 9,
  SYSCALL = 10,
  TIMEOUT = 11,
  PERMISSION = 12,
  ACL = 100,
  HCCL = 200,
  GE = 300
};
inline std::string formatErrorCode(SubModule, ErrCode code) {
  return "\n[ERROR] code " + std::to_string(static_cast<int>(code));
}
#define PTA_ERROR(code) formatErrorCode(SubModule::PTA, code)
#define OPS_ERROR(code) formatErrorCode(SubModule::OPS, code)
#define DIST_ERROR(code) formatErrorCode(SubModule::DIST, code)

#define NPU_CHECK_ERROR(...) DAVSIM_NPU_CHECK(__VA_ARGS__)
#define NPU_CHECK_ERROR_WITHOUT_UCE(...) DAVSIM_NPU_CHECK(__VA_ARGS__)
#define OPS_CHECK_ERROR(...) DAVSIM_NPU_CHECK(__VA_ARGS__)
#define NPU_CHECK_SUPPORTED_OR_ERROR(...) DAVSIM_NPU_CHECK(__VA_ARGS__)
#define NPU_CHECK_WARN(...) (void)(__VA_ARGS__)
#define DAVSIM_NPU_CHECK(code, ...)                                                      \
  do {                                                                                   \
    const int davsim_code = static_cast<int>(code);                                      \
    TORCH_CHECK(davsim_code == 0, __func__, ":", __FILE__, ":", __LINE__, " NPU error ", \
                davsim_code, " of ", #code, ": ", ::c10_npu::recent_error());            \
  } while (false)
