/* The AscendCL interface of davsim: programs written for it run on the simulated device. */
#ifndef DAVSIM_ACL_ACL_H
#define DAVSIM_ACL_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `configPath` is read by nobody here; it may be NULL. Initialising again returns
 * ACL_ERROR_REPEAT_INITIALIZE. */
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
