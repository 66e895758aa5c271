/* Marks and ranges in a profile. They are there for programs that name them and do nothing:
 * DAVSIM_MSPROF and DAVSIM_TRACE write what the device did without them. C and C++, and no library.
 */
#ifndef DAVSIM_MSTX_MS_TOOLS_EXT_H
#define DAVSIM_MSTX_MS_TOOLS_EXT_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MSTX_INVALID_RANGE_ID 0
#define MSTX_TOOL_ID 0x1000
#define MSTX_SUCCESS 0
#define MSTX_FAIL 1

typedef uint64_t mstxRangeId;
typedef struct mstxDomainRegistration_st* mstxDomainHandle_t;

/* 0: there is no range without a message. */
static inline mstxRangeId mstxRangeStartA(const char* message, aclrtStream stream) {
  (void)stream;
  return message == NULL ? MSTX_INVALID_RANGE_ID : 1;
}

static inline void mstxRangeEnd(mstxRangeId id) {
  (void)id;
}

static inline void mstxMarkA(const char* message, aclrtStream stream) {
  (void)message;
  (void)stream;
}

/* One serves all domains. NULL: there is none without a name. */
static inline mstxDomainHandle_t mstxDomainCreateA(const char* name) {
  static char domain;
  return name == NULL ? NULL : (mstxDomainHandle_t)(void*)&domain;
}

static inline void mstxDomainDestroy(mstxDomainHandle_t handle) {
  (void)handle;
}

static inline void mstxDomainMarkA(mstxDomainHandle_t handle, const char* message,
                                   aclrtStream stream) {
  (void)handle;
  mstxMarkA(message, stream);
}

static inline mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t handle, const char* message,
                                                aclrtStream stream) {
  return handle == NULL ? MSTX_INVALID_RANGE_ID : mstxRangeStartA(message, stream);
}

static inline void mstxDomainRangeEnd(mstxDomainHandle_t handle, mstxRangeId id) {
  (void)handle;
  mstxRangeEnd(id);
}

#ifdef __cplusplus
}
#endif

#endif
