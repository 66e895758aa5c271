/* The public name of what acl_meta.h declares. */
#ifndef DAVSIM_ACLNN_ACLNN_BASE_H
#define DAVSIM_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#endif
