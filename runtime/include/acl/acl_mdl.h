/* Dumps of what operators of models take and give. davsim runs no models and dumps nothing: kernels
 * print by DumpTensor and printf. The functions are there for programs that name them; they return
 * 0. C and C++. */
#ifndef DAVSIM_ACL_ACL_MDL_H
#define DAVSIM_ACL_ACL_MDL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char* dumpCfgPath);
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

#ifdef __cplusplus
}
#endif

#endif
