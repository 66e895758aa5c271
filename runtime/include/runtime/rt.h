/* What programs use of the layer below AscendCL: its types, and the address for SetSyncBaseAddr.
 * C and C++. */
#ifndef DAVSIM_RUNTIME_RT_H
#define DAVSIM_RUNTIME_RT_H

#include "acl/acl_rt.h"

typedef int32_t rtError_t;
typedef void* rtStream_t;
typedef void* rtEvent_t;
typedef void* rtContext_t;

static const rtError_t RT_ERROR_NONE = 0;

#endif
