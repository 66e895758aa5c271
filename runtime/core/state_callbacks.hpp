// Functions of the program that are called when the interface, a device or a stream changes its
// state.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "runtime/core/api_error.hpp"

namespace davsim::runtime {

/// Callbacks by name, with what the program gave for them.
template <class Callback>
class NamedCallbacks {
 public:
  /// Null: not any more. Throws ApiError for a name that has one.
  void set(const char* name, Callback callback, void* argument) {
    require_pointer(name, "regName");
    if (*name == '\0') refuse_rt("regName is empty");
    const std::lock_guard lock(mutex_);
    if (callback == nullptr) {
      all_.erase(name);
    } else if (!all_.emplace(name, std::pair(callback, argument)).second) {
      refuse_rt("a callback is registered as '" + std::string(name) + "' already");
    }
  }
  /// In the calling thread, in the order of their names.
  template <class Subject, class State>
  void tell(Subject subject, State state) {
    std::map<std::string, std::pair<Callback, void*>> all;
    {
      const std::lock_guard lock(mutex_);
      all = all_;
    }
    for (const auto& [name, entry] : all) entry.first(subject, state, entry.second);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<Callback, void*>> all_;
};

NamedCallbacks<aclrtDeviceStateCallback>& device_callbacks();
NamedCallbacks<aclrtStreamStateCallback>& stream_callbacks();

/// Callbacks of the interface's beginning or end, in the order in which they were registered.
template <class Callback>
class LifeCallbacks {
 public:
  void add(aclRegisterCallbackType type, Callback callback, void* argument) {
    require_pointer(reinterpret_cast<const void*>(callback), "cbFunc");
    const std::lock_guard lock(mutex_);
    all_.push_back({type, callback, argument});
  }
  /// All that are registered as this. Throws ApiError if there is none.
  void remove(aclRegisterCallbackType type, Callback callback) {
    require_pointer(reinterpret_cast<const void*>(callback), "cbFunc");
    const std::lock_guard lock(mutex_);
    const auto gone = std::erase_if(
        all_, [&](const Entry& entry) { return entry.type == type && entry.callback == callback; });
    if (gone == 0) refuse_rt("the callback is not registered for this type");
  }
  /// Calls each as `call` does. What it returns ends the call of the interface.
  template <class Call>
  void tell(const Call& call) {
    std::vector<Entry> all;
    {
      const std::lock_guard lock(mutex_);
      all = all_;
    }
    for (const Entry& entry : all) {
      require_success(call(entry.callback, entry.argument), "a callback: ");
    }
  }

 private:
  struct Entry {
    aclRegisterCallbackType type;
    Callback callback;
    void* argument;
  };
  std::mutex mutex_;
  std::vector<Entry> all_;
};

LifeCallbacks<aclInitCallbackFunc>& beginning_callbacks();
LifeCallbacks<aclFinalizeCallbackFunc>& end_callbacks();

/// `config` is what the file has that aclInit is given.
void tell_initialised(const std::string& config);
void tell_finalised();

}  // namespace davsim::runtime
