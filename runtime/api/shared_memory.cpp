// Memory that a process shares with others: by keys, and by numbers of physical memory. The others
// would have a device of their own here, so that only the process itself can import what it
// exported.
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

namespace {

constexpr std::size_t kKeyBytes = 65;  ///< documented

/// Memory of this process by the keys that it exported.
class Keys {
 public:
  static Keys& instance() {
    static auto* all = new Keys;  // static variables of the program may still use it
    return *all;
  }
  std::string add(void* start) {
    const std::lock_guard lock(mutex_);
    const std::string key = "davsim_" + std::to_string(getpid()) + "_" + std::to_string(++made_);
    memory_[key] = start;
    return key;
  }
  void* find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return known(key)->second;
  }
  void remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    memory_.erase(known(key));
  }

 private:
  std::map<std::string, void*>::iterator known(const std::string& key) {
    const auto found = memory_.find(key);
    if (found != memory_.end()) return found;
    throw ApiError(
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "key '" + key + "' does not come from this process; processes do not share devices here");
  }

  std::mutex mutex_;
  std::map<std::string, void*> memory_;
  std::uint64_t made_ = 0;
};

std::string text_of(const char* key) {
  require_pointer(key, "key");
  return {key, strnlen(key, kKeyBytes)};
}
}  // namespace

aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t) {
  return api_call("aclrtIpcMemGetExportKey", [&] {
    require_pointer(devPtr, "devPtr");
    require_pointer(key, "key");
    if (size == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "size is 0");
    if (len < kKeyBytes) {
      refuse_rt("len is " + std::to_string(len) + ", a key has " + std::to_string(kKeyBytes) +
                " bytes");
    }
    const auto block = Simulator::instance().memory().require_room(devPtr, size, "devPtr");
    if (!block || !block->device) refuse_rt("devPtr is no memory of a device");
    const std::string made = Keys::instance().add(devPtr);
    std::memset(key, 0, kKeyBytes);
    made.copy(key, kKeyBytes - 1);
  });
}

aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return api_call("aclrtIpcMemSetImportPid", [&] {
    if (num > 0) require_pointer(pid, "pid");
    Keys::instance().find(text_of(key));
  });
}

aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t) {
  return api_call("aclrtIpcMemImportByKey", [&] {
    require_pointer(devPtr, "devPtr");
    void* const start = Keys::instance().find(text_of(key));
    if (!Simulator::instance().memory().block_at(start)) refuse_rt("the key's memory is freed");
    Simulator::instance().memory().make_block_accessible(start);
    *devPtr = start;
  });
}

aclError aclrtIpcMemClose(const char* key) {
  return api_call("aclrtIpcMemClose", [&] { Keys::instance().remove(text_of(key)); });
}
