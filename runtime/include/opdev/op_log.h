// Messages of hand-written aclnn functions. Those about errors go to standard error and to
// aclGetRecentErrMsg; the others are not written.
#pragma once

#include "aclnn/acl_meta.h"
#include "op_common/log/log.h"
#include "opdev/op_errno.h"

/// What functions that call generated ones hand to the profiler: see NnopbaseReportApiInfo, which
/// they declare.
struct NnopbaseDfxId {
  uint32_t id;
  const char* funcName;
  bool hasReg;
};

namespace davsim::op_api {

/// The text about a failure of the calling thread.
__attribute__((format(printf, 2, 3))) void report(aclnnStatus code, const char* format, ...);

inline aclnnStatus code_of(aclnnStatus code) {
  return code;
}
/// Functions of op_host give a name in place of the code.
template <class Name>
aclnnStatus code_of(const Name&) {
  return ACLNN_ERR_INNER;
}

}  // namespace davsim::op_api

#undef OP_LOGE
#undef OP_LOGE_WITHOUT_REPORT
#undef OP_LOGW
#define OP_LOGE(code, ...) ::davsim::op_api::report(::davsim::op_api::code_of(code), __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(code, ...) OP_LOGE(code, __VA_ARGS__)
#define OP_LOGW(...) static_cast<void>(0)
#ifndef OP_LOGV
#define OP_LOGV(...) static_cast<void>(0)
#endif

#define CHECK_RET(condition, result) \
  do {                               \
    if (!(condition)) {              \
      return result;                 \
    }                                \
  } while (false)
#define CHECK_COND(condition, result, ...) \
  do {                                     \
    if (!(condition)) {                    \
      OP_LOGE(result, __VA_ARGS__);        \
      return result;                       \
    }                                      \
  } while (false)
#define CHECK_RET_CODE(code, ...)  \
  do {                             \
    if ((code) != ACLNN_SUCCESS) { \
      OP_LOGE(code, __VA_ARGS__);  \
      return code;                 \
    }                              \
  } while (false)
#define OP_CHECK(condition, log, result) \
  do {                                   \
    if (!(condition)) {                  \
      log;                               \
      result;                            \
    }                                    \
  } while (false)
