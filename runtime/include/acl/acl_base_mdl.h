/* The basic types of models, which acl_base.h has all. */
#ifndef DAVSIM_ACL_ACL_BASE_MDL_H
#define DAVSIM_ACL_ACL_BASE_MDL_H

#include "acl/acl_base.h"

#endif
