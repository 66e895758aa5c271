// Functions of the program that are called when the interface, a device or a stream changes its
// state.
#include "runtime/core/state_callbacks.hpp"

#include "runtime/core/process.hpp"

namespace davsim::runtime {
namespace {

LifeCallbacks<aclInitCallbackFunc>& beginnings() {
  static auto* all = new LifeCallbacks<aclInitCallbackFunc>;  // libraries come and go around it
  return *all;
}

LifeCallbacks<aclFinalizeCallbackFunc>& ends() {
  static auto* all = new LifeCallbacks<aclFinalizeCallbackFunc>;
  return *all;
}

}  // namespace

NamedCallbacks<aclrtDeviceStateCallback>& device_callbacks() {
  static auto* all = new NamedCallbacks<aclrtDeviceStateCallback>;
  return *all;
}

NamedCallbacks<aclrtStreamStateCallback>& stream_callbacks() {
  static auto* all = new NamedCallbacks<aclrtStreamStateCallback>;
  return *all;
}

void tell_initialised(const std::string& config) {
  beginnings().tell([&](aclInitCallbackFunc callback, void* argument) {
    return callback(config.c_str(), config.size(), argument);
  });
}

void tell_finalised() {
  ends().tell([](aclFinalizeCallbackFunc callback, void* argument) { return callback(argument); });
}

}  // namespace davsim::runtime

using namespace davsim::runtime;

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                 void* userData) {
  return api_call("aclInitCallbackRegister", [&] {
    beginnings().add(type, cbFunc, userData);
    if (Process::instance().initialised()) require_success(cbFunc("", 0, userData));
  });
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  return api_call("aclInitCallbackUnRegister", [&] { beginnings().remove(type, cbFunc); });
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                     void* userData) {
  return api_call("aclFinalizeCallbackRegister", [&] { ends().add(type, cbFunc, userData); });
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                       aclFinalizeCallbackFunc cbFunc) {
  return api_call("aclFinalizeCallbackUnRegister", [&] { ends().remove(type, cbFunc); });
}

aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback,
                                     void* args) {
  return api_call("aclrtRegDeviceStateCallback",
                  [&] { device_callbacks().set(regName, callback, args); });
}

aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback,
                                     void* args) {
  return api_call("aclrtRegStreamStateCallback",
                  [&] { stream_callbacks().set(regName, callback, args); });
}
