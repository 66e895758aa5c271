// Codes that hand-written aclnn functions return beside those of aclnn/acl_meta.h.
#pragma once

#include "aclnn/acl_meta.h"

static const aclnnStatus ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR = 561102;
static const aclnnStatus ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE = 561104;
static const aclnnStatus ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND = 561114;
static const aclnnStatus ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID = 561118;
static const aclnnStatus ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID = 561119;
