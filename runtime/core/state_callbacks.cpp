#include "runtime/core/state_callbacks.hpp"

namespace davsim::runtime {

// They are never destroyed: libraries that register callbacks come and go around them.

LifeCallbacks<aclInitCallbackFunc>& beginning_callbacks() {
  static auto* all = new LifeCallbacks<aclInitCallbackFunc>;
  return *all;
}

LifeCallbacks<aclFinalizeCallbackFunc>& end_callbacks() {
  static auto* all = new LifeCallbacks<aclFinalizeCallbackFunc>;
  return *all;
}

NamedCallbacks<aclrtDeviceStateCallback>& device_callbacks() {
  static auto* all = new NamedCallbacks<aclrtDeviceStateCallback>;
  return *all;
}

NamedCallbacks<aclrtStreamStateCallback>& stream_callbacks() {
  static auto* all = new NamedCallbacks<aclrtStreamStateCallback>;
  return *all;
}

void tell_initialised(const std::string& config) {
  beginning_callbacks().tell([&](aclInitCallbackFunc callback, void* argument) {
    return callback(config.c_str(), config.size(), argument);
  });
}

void tell_finalised() {
  end_callbacks().tell(
      [](aclFinalizeCallbackFunc callback, void* argument) { return callback(argument); });
}

}  // namespace davsim::runtime
