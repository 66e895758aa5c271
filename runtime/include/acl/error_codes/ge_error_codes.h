/* Error codes; all of them stand in acl_base.h. */
#ifndef DAVSIM_ACL_ERROR_CODES_GE_ERROR_CODES_H
#define DAVSIM_ACL_ERROR_CODES_GE_ERROR_CODES_H

#include "acl/acl_base.h"

#endif
