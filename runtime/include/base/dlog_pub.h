/* The log of libraries. Lines appear as those of aclAppLog do: on standard output if
 * ASCEND_SLOG_PRINT_TO_STDOUT is 1, from the level ASCEND_GLOBAL_LOG_LEVEL on. C and C++. */
#ifndef DAVSIM_BASE_DLOG_PUB_H
#define DAVSIM_BASE_DLOG_PUB_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DLOG_DEBUG 0
#define DLOG_INFO 1
#define DLOG_WARN 2
#define DLOG_ERROR 3
#define DLOG_NULL 4
#define DLOG_EVENT 0x10

/* Modules that programs name. A line begins with the number of its module. */
enum { SLOG = 0, HCCL = 3, RUNTIME = 7, PROFILING = 31, GE = 45, ASCENDCL = 48, OP = 63 };

/* 1 if lines of the level appear. */
ACL_FUNC_VISIBILITY int CheckLogLevel(int moduleId, int logLevel);
ACL_FUNC_VISIBILITY int dlog_getlevel(int moduleId, int* enableEvent);
ACL_FUNC_VISIBILITY void DlogRecord(int moduleId, int level, const char* fmt, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#define DAVSIM_DLOG(moduleId, level, fmt, ...)                                            \
  do {                                                                                    \
    if (CheckLogLevel(moduleId, level) == 1) {                                            \
      DlogRecord(moduleId, level, "[%s:%d]" fmt "\n", __FILE__, __LINE__, ##__VA_ARGS__); \
    }                                                                                     \
  } while (0)
#define dlog_debug(moduleId, fmt, ...) DAVSIM_DLOG(moduleId, DLOG_DEBUG, fmt, ##__VA_ARGS__)
#define dlog_info(moduleId, fmt, ...) DAVSIM_DLOG(moduleId, DLOG_INFO, fmt, ##__VA_ARGS__)
#define dlog_warn(moduleId, fmt, ...) DAVSIM_DLOG(moduleId, DLOG_WARN, fmt, ##__VA_ARGS__)
#define dlog_error(moduleId, fmt, ...) DAVSIM_DLOG(moduleId, DLOG_ERROR, fmt, ##__VA_ARGS__)
#define dlog_event(moduleId, fmt, ...) DAVSIM_DLOG(moduleId, DLOG_EVENT, fmt, ##__VA_ARGS__)
#define Dlog(moduleId, level, fmt, ...) DAVSIM_DLOG(moduleId, level, fmt, ##__VA_ARGS__)

#endif
