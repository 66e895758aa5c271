// Memory of tensors on npu. It comes from aclrtMalloc; freed memory is given out again once the
// kernels that may use it have ended.
#pragma once

#include <c10/core/Allocator.h>

#include "torch_npu/csrc/core/npu/NPUStream.h"

namespace c10_npu::NPUCachingAllocator {

/// Throws c10::Error if the device is full.
void* raw_alloc(size_t bytes);
void* raw_alloc_with_stream(size_t bytes, aclrtStream stream);
void raw_delete(void* data);
c10::Allocator* get();
inline void emptyCache(bool /*check_error*/ = true) {}
inline void recordStream(const c10::DataPtr&, NPUStream) {}
inline void eraseStream(const c10::DataPtr&, NPUStream) {}
/// Bytes that tensors have, now and at most.
size_t allocated_bytes();
size_t most_allocated_bytes();
void reset_most_allocated_bytes();

}  // namespace c10_npu::NPUCachingAllocator
