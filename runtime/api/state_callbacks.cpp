// Functions of the program that are called when the interface, a device or a stream changes its
// state.
#include "runtime/core/state_callbacks.hpp"

#include "runtime/core/process.hpp"

using namespace davsim::runtime;

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                 void* userData) {
  return api_call("aclInitCallbackRegister", [&] {
    beginning_callbacks().add(type, cbFunc, userData);
    if (Process::instance().initialised()) require_success(cbFunc("", 0, userData));
  });
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  return api_call("aclInitCallbackUnRegister", [&] { beginning_callbacks().remove(type, cbFunc); });
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                     void* userData) {
  return api_call("aclFinalizeCallbackRegister",
                  [&] { end_callbacks().add(type, cbFunc, userData); });
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                       aclFinalizeCallbackFunc cbFunc) {
  return api_call("aclFinalizeCallbackUnRegister", [&] { end_callbacks().remove(type, cbFunc); });
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
