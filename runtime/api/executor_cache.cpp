// What extensions of torch look up beside the operators: their macros keep objects of a call in a
// pool of the thread, and executors in a cache.
#include <cstddef>
#include <cstdint>

#include "aclnn/acl_meta.h"

extern "C" {

// The objects of a call are ordinary memory here, which belongs to whom the interface says. There
// is nothing to prepare and nothing to give back.
ACL_FUNC_VISIBILITY int InitHugeMemThreadLocal(void* arg, bool sync) {
  static_cast<void>(arg);
  static_cast<void>(sync);
  return 0;
}

ACL_FUNC_VISIBILITY void UnInitHugeMemThreadLocal(void* arg, bool sync) {
  static_cast<void>(arg);
  static_cast<void>(sync);
}

ACL_FUNC_VISIBILITY void ReleaseHugeMem(void* arg, bool sync) {
  static_cast<void>(arg);
  static_cast<void>(sync);
}

// No executor is kept: callers who ask first go without the cache, and the others find nothing in
// it.
ACL_FUNC_VISIBILITY bool CanUsePTACache(const char* function) {
  static_cast<void>(function);
  return false;
}

ACL_FUNC_VISIBILITY void InitPTACacheThreadLocal(void) {}

ACL_FUNC_VISIBILITY void UnInitPTACacheThreadLocal(void) {}

ACL_FUNC_VISIBILITY void SetPTAHashKey(uint64_t hash) {
  static_cast<void>(hash);
}

ACL_FUNC_VISIBILITY void SetPTACacheHashKey(uint8_t* key, size_t length) {
  static_cast<void>(key);
  static_cast<void>(length);
}

ACL_FUNC_VISIBILITY void AddTensorAddrToCachedList(void* address) {
  static_cast<void>(address);
}

ACL_FUNC_VISIBILITY aclOpExecutor* PTAGetExecCache(uint64_t hash, uint64_t* workspaceSize) {
  static_cast<void>(hash);
  static_cast<void>(workspaceSize);
  return nullptr;
}

ACL_FUNC_VISIBILITY aclOpExecutor* PTAFindExecCache(uint8_t* key, size_t length,
                                                    uint64_t* workspaceSize) {
  static_cast<void>(key);
  static_cast<void>(length);
  static_cast<void>(workspaceSize);
  return nullptr;
}

}  // extern "C"
