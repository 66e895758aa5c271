/* Operators that the devices of a communicator carry out together, by the names of their public
 * functions (docs/systems.md). C and C++. */
#ifndef DAVSIM_SYSTEM_CALL_H
#define DAVSIM_SYSTEM_CALL_H

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A request is the part of the calling thread's device, as JSON:
 *   operator    "npu_mm_all_reduce_base"
 *   group       name of the communicator
 *   attributes  by name; others have their defaults
 *   tensors     those that are there, each with name, type (aclDataType), shape, address, and
 *               strides in elements, if they are not those of the shape; output: true for one of
 *               the results */

/* *outputs is a list with name, type and shape of each result that this part has; the calling
 * thread's until its next call. 161001 and 161002: what the operator's rules refuse. */
ACL_FUNC_VISIBILITY aclError davsim_system_outputs(const char* request, const char** outputs);

/* Queues the part. The request has the results, too. */
ACL_FUNC_VISIBILITY aclError davsim_system_call(const char* request, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
