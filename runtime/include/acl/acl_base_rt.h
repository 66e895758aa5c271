/* The basic types of the runtime, which acl_base.h has all. */
#ifndef DAVSIM_ACL_ACL_BASE_RT_H
#define DAVSIM_ACL_ACL_BASE_RT_H

#include "acl/acl_base.h"

#endif
