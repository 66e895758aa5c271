/* Multiplies the rows of all ranks: operators/matmul_collective.md. */
#ifndef DAVSIM_ACLNNOP_ACLNN_ALL_GATHER_MATMUL_H
#define DAVSIM_ACLNNOP_ACLNN_ALL_GATHER_MATMUL_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnAllGatherMatmulGetWorkspaceSize(
    const aclTensor* x1, const aclTensor* x2, const aclTensor* bias, const char* group,
    int64_t gatherIndex, int64_t commTurn, int64_t streamMode, const aclTensor* output,
    const aclTensor* gatherOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAllGatherMatmul(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
