// Memory that a process shares with others: by keys, and by numbers of physical memory. A key of
// another process stands for bytes of its device, which both have from then on.
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/imported_memory.hpp"
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
  std::string add(void* start, std::uint64_t bytes) {
    const ExportedMemory exported = ExportedMemory::of(start, bytes);
    const std::lock_guard lock(mutex_);
    const std::string key = exported.key(++made_);
    memory_[key] = start;
    Simulator::instance().sharing().share();
    return key;
  }
  /// Throws ApiError for a key that is none of this process's.
  void* find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return known(key)->second;
  }
  void remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = known(key);
    Simulator::instance().sharing().end();
    memory_.erase(found);
  }

 private:
  std::map<std::string, void*>::iterator known(const std::string& key) {
    const auto found = memory_.find(key);
    if (found != memory_.end()) return found;
    refuse_rt("key '" + key + "' was not exported by this process, or is closed");
  }

  std::mutex mutex_;
  std::map<std::string, void*> memory_;
  std::uint64_t made_ = 0;
};

bool is_of_another(const std::string& key) {
  return ExportedMemory::opened(key).process != getpid();
}

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
    const std::string made = Keys::instance().add(devPtr, size);
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
    if (is_of_another(text_of(key))) {
      *devPtr = ImportedMemory::instance().import(text_of(key));
      return;
    }
    void* const start = Keys::instance().find(text_of(key));
    if (!Simulator::instance().memory().block_at(start)) refuse_rt("the key's memory is freed");
    Simulator::instance().memory().make_block_accessible(start);
    *devPtr = start;
  });
}

aclError aclrtIpcMemClose(const char* key) {
  return api_call("aclrtIpcMemClose", [&] {
    if (!is_of_another(text_of(key))) return Keys::instance().remove(text_of(key));
    if (!ImportedMemory::instance().close(text_of(key))) refuse_rt("the key was not imported");
  });
}
