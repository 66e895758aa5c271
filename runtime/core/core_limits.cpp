#include "runtime/core/core_limits.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

namespace davsim::runtime {
namespace {

struct DeviceLimits {
  std::mutex mutex;
  std::map<std::uint32_t, CoreLimits> by_device;
};

DeviceLimits& devices() {
  static auto* all = new DeviceLimits;  // static variables of the program may still use it
  return *all;
}

thread_local std::weak_ptr<Stream> t_stream;

std::uint32_t all_cores(aclrtDevResLimitType type) {
  const sim::SocConfig& soc = Simulator::instance().soc();
  return type == ACL_RT_DEV_RES_CUBE_CORE ? soc.aic_count() : soc.aiv_count();
}

void require_some(std::uint32_t cores) {
  if (cores == 0) refuse_rt("value is 0; a limit leaves at least one core");
}

}  // namespace

std::uint32_t CoreLimits::limited(aclrtDevResLimitType type, std::uint32_t cores) const {
  return std::min(most_.at(type).value_or(cores), cores);
}

void require_type(aclrtDevResLimitType type) {
  if (type == ACL_RT_DEV_RES_CUBE_CORE || type == ACL_RT_DEV_RES_VECTOR_CORE) return;
  throw ApiError(ACL_ERROR_INVALID_PARAM, "there is no resource " + std::to_string(type));
}

void limit_device(std::uint32_t device, aclrtDevResLimitType type, std::uint32_t cores) {
  require_some(cores);
  const std::lock_guard lock(devices().mutex);
  devices().by_device[device].set(type, cores);
}

void unlimit_device(std::uint32_t device) {
  const std::lock_guard lock(devices().mutex);
  devices().by_device.erase(device);
}

void limit_stream(Stream& stream, aclrtDevResLimitType type, std::uint32_t cores) {
  require_some(cores);
  const std::lock_guard lock(stream.mutex);
  stream.core_limits.set(type, cores);
}

void unlimit_stream(Stream& stream) {
  const std::lock_guard lock(stream.mutex);
  stream.core_limits.reset();
}

void use_limits_of(std::shared_ptr<Stream> stream) {
  t_stream = std::move(stream);
}

std::uint32_t cores_of_device(std::uint32_t device, aclrtDevResLimitType type) {
  const std::lock_guard lock(devices().mutex);
  const auto limits = devices().by_device.find(device);
  const std::uint32_t all = all_cores(type);
  return limits == devices().by_device.end() ? all : limits->second.limited(type, all);
}

std::uint32_t cores_of_stream(Stream& stream, aclrtDevResLimitType type) {
  const std::uint32_t device = Process::instance().device_of_thread();
  const std::lock_guard lock(stream.mutex);
  // What is set for the stream counts even where it is more than the device's limit.
  if (stream.core_limits.has(type)) return stream.core_limits.limited(type, all_cores(type));
  return cores_of_device(device, type);
}

std::uint32_t cores_of_thread(aclrtDevResLimitType type) {
  if (const auto stream = t_stream.lock()) return cores_of_stream(*stream, type);
  return cores_of_device(Process::instance().device_of_thread(), type);
}

}  // namespace davsim::runtime
