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

/// What was exported, by key or number.
template <class Name>
class Exports {
 public:
  static Exports& instance() {
    static auto* all = new Exports;  // static variables of the program may still use it
    return *all;
  }
  void add(const Name& name, void* what) {
    const std::lock_guard lock(mutex_);
    all_[name] = what;
  }
  void* find(const Name& name, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(name);
    if (found != all_.end()) return found->second;
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   text + " does not come from this process; processes do not share devices here");
  }
  void remove(const Name& name, const std::string& text) {
    find(name, text);
    const std::lock_guard lock(mutex_);
    all_.erase(name);
  }

 private:
  std::mutex mutex_;
  std::map<Name, void*> all_;
};

Exports<std::string>& keys() {
  return Exports<std::string>::instance();
}
Exports<std::uint64_t>& numbers() {
  return Exports<std::uint64_t>::instance();
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

std::string text_of(const char* key) {
  require_pointer(key, "key");
  return {key, strnlen(key, kKeyBytes)};
}
std::string named(const std::string& key) {
  return "key '" + key + "'";
}
std::string named(std::uint64_t number) {
  return "handle " + std::to_string(number);
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
    const std::string made =
        "davsim_" + std::to_string(getpid()) + "_" + std::to_string(next_number());
    keys().add(made, devPtr);
    std::memset(key, 0, kKeyBytes);
    made.copy(key, kKeyBytes - 1);
  });
}

aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return api_call("aclrtIpcMemSetImportPid", [&] {
    if (num > 0) require_pointer(pid, "pid");
    const std::string text = text_of(key);
    keys().find(text, named(text));
  });
}

aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t) {
  return api_call("aclrtIpcMemImportByKey", [&] {
    require_pointer(devPtr, "devPtr");
    const std::string text = text_of(key);
    *devPtr = keys().find(text, named(text));
  });
}

aclError aclrtIpcMemClose(const char* key) {
  return api_call("aclrtIpcMemClose", [&] {
    const std::string text = text_of(key);
    keys().remove(text, named(text));
  });
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType, uint64_t,
                                         uint64_t* shareableHandle) {
  return api_call("aclrtMemExportToShareableHandle", [&] {
    require_pointer(handle, "handle");
    require_pointer(shareableHandle, "shareableHandle");
    *shareableHandle = next_number();
    numbers().add(*shareableHandle, handle);
  });
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle* handle) {
  return api_call("aclrtMemImportFromShareableHandle", [&] {
    require_pointer(handle, "handle");
    Process::require_device(deviceId);
    *handle = numbers().find(shareableHandle, named(shareableHandle));
  });
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return api_call("aclrtMemSetPidToShareableHandle", [&] {
    if (pidNum > 0) require_pointer(pid, "pid");
    numbers().find(shareableHandle, named(shareableHandle));
  });
}
