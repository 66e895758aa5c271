#include "runtime/launch.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/slot_call.hpp"

namespace davsim::runtime {
namespace {

constexpr std::uint32_t kMostArguments = 1024;

[[noreturn]] void refuse(aclError code, const char* kernel, const std::string& what) {
  throw ApiError(code, "launch of '" + std::string(kernel) + "': " + what);
}

isa::KernelEntry kernel_named(const char* name) {
  try {
    return isa::find_kernel(name);
  } catch (const std::invalid_argument& error) {
    throw ApiError(ACL_ERROR_RT_KERNEL_LOOKUP, error.what());
  }
}

std::uint32_t size_of(const DavsimArguments& arguments, std::uint32_t index) {
  return arguments.sizes == nullptr ? isa::kSlotBytes : arguments.sizes[index];
}

/// Refuses arguments that are not those the kernel was registered with.
void check(const char* kernel, const isa::KernelParameters& parameters,
           const DavsimArguments& arguments) {
  if (parameters.sizes == nullptr) return;
  if (arguments.count != parameters.count) {
    refuse(ACL_ERROR_RT_PARAM_INVALID, kernel,
           std::to_string(arguments.count) + " arguments were given, the kernel has " +
               std::to_string(parameters.count) + " parameters");
  }
  for (std::uint32_t i = 0; i < arguments.count; ++i) {
    const std::uint32_t size = size_of(arguments, i), wanted = parameters.sizes[i];
    // Without sizes a small number stands in a slot of its own.
    const bool fits = arguments.sizes == nullptr ? wanted <= size : wanted == size;
    if (fits || wanted == 0) continue;
    refuse(ACL_ERROR_RT_PARAM_INVALID, kernel,
           "argument " + std::to_string(i + 1) + " has " + std::to_string(size) +
               " bytes, the kernel's parameter has " + std::to_string(wanted));
  }
}

Launch launch_of(const char* kernel, std::uint32_t blocks, const DavsimArguments& arguments) {
  if (blocks == 0 || blocks > isa::kMostBlocks) {
    refuse(ACL_ERROR_RT_PARAM_INVALID, kernel,
           "the number of blocks is " + std::to_string(blocks) + ", allowed are 1 to " +
               std::to_string(isa::kMostBlocks));
  }
  if (arguments.count > kMostArguments) {
    refuse(ACL_ERROR_RT_PARAM_INVALID, kernel,
           std::to_string(arguments.count) + " arguments were given, allowed are " +
               std::to_string(kMostArguments));
  }
  Launch launch{kernel_named(kernel), blocks, arguments.tiling_key, {}, arguments.call};
  const isa::KernelParameters& parameters = launch.kernel.parameters;
  check(kernel, parameters, arguments);
  if (launch.call == nullptr) launch.call = parameters.call;
  if (launch.call == nullptr) launch.call = slot_call(arguments.count);
  if (launch.call == nullptr) {
    refuse(ACL_ERROR_RT_PARAM_INVALID, kernel,
           std::to_string(arguments.count) +
               " arguments are too many for a kernel that was registered without parameters");
  }
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < arguments.count; ++i) {
    bytes += isa::slot_bytes(size_of(arguments, i));
  }
  if (bytes > 0) require_pointer(arguments.slots, "slots");
  launch.slots.resize(bytes / isa::kSlotBytes + 1);
  if (bytes > 0) std::memcpy(launch.slots.data(), arguments.slots, bytes);
  return launch;
}

/// A launch in the source has no result, so the refusal is shown.
void tell_refusal(const char* kernel, const ApiError& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "davsim: kernel %s is not launched: %s (error %d)\n",
               kernel == nullptr ? "?" : kernel, error.what(), error.code);
}

/// And kept for who waits.
void keep_refusal(Stream& stream, const ApiError& error) {
  const std::lock_guard lock(stream.mutex);
  stream.refused = DeviceError{error.code, error.what()};
}

void queue_launch(const char* kernel, std::uint32_t blocks, void* stream,
                  const DavsimArguments& arguments) {
  require_pointer(kernel, "kernel");
  const auto on = Process::instance().stream(stream);
  Simulator& simulator = Simulator::instance();
  require_device_sound(simulator);
  try {
    simulator.launch(on, launch_of(kernel, blocks, arguments));
  } catch (const ApiError& error) {
    keep_refusal(*on, error);
    throw;
  }
}

}  // namespace
}  // namespace davsim::runtime

std::uint32_t davsim_launch(const char* kernel, std::uint32_t blocks, void* stream,
                            const DavsimArguments* arguments) {
  using namespace davsim::runtime;
  return static_cast<std::uint32_t>(api_call("davsim_launch", [&] {
    try {
      queue_launch(kernel, blocks, stream, arguments == nullptr ? DavsimArguments{} : *arguments);
    } catch (const ApiError& error) {
      tell_refusal(kernel, error);
      throw;
    }
  }));
}
