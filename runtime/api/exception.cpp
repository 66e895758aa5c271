// What goes wrong on the device, as programs hear of it.
#include "runtime/core/exception.hpp"

#include "runtime/core/api_error.hpp"

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

std::uint32_t number_of(const aclrtExceptionInfo* info, std::uint32_t rtExceptionInfo::*number) {
  return info == nullptr ? kNone : info->*number;
}

}  // namespace

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  davsim::runtime::set_exception_callback(callback);
  return ACL_SUCCESS;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return number_of(info, &rtExceptionInfo::task);
}
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return number_of(info, &rtExceptionInfo::stream);
}
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return number_of(info, &rtExceptionInfo::thread);
}
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return number_of(info, &rtExceptionInfo::device);
}
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return number_of(info, &rtExceptionInfo::code);
}
