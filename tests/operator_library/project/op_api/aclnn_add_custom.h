// AddCustom for tensors of any types and strides, under the name of the generated functions.
#pragma once

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_API aclnnStatus aclnnAddCustomGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                                     const aclScalar* alpha, const aclTensor* out,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);
aclnnStatus aclnnAddCustom(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                           aclrtStream stream);

// self + alpha * other by the function that is generated.
aclnnStatus aclnnAddPlainGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                          double alpha, const aclTensor* out,
                                          uint64_t* workspaceSize, aclOpExecutor** executor);
aclnnStatus aclnnAddPlain(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                          aclrtStream stream);

// Sums of the rows of a matrix and those of another, which lie `by` rows below and end in zeros,
// each with their columns reversed in order of dimensions: out is the transposed sum.
aclnnStatus aclnnAddShiftedGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                            int64_t by, aclTensor* out, uint64_t* workspaceSize,
                                            aclOpExecutor** executor);
aclnnStatus aclnnAddShifted(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                            aclrtStream stream);

#ifdef __cplusplus
}
#endif
