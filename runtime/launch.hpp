// How host code launches a registered kernel: what davsim-cc makes of `kernel<<<...>>>(...)`, and
// what generated aclrtlaunch_<kernel>.h headers call. It needs nothing else of the simulator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "isa/core/kernel_parameters.hpp"

extern "C" {

/// The arguments of one launch. They are copied before the call returns.
struct DavsimArguments {
  /// One behind the other, each in as many whole slots of 8 bytes as it needs, as the device takes
  /// them. A small number stands in the first bytes of its slot. May be null if there are none.
  const void* slots;
  /// Bytes of each argument; null: each has one slot.
  const std::uint32_t* sizes;
  std::uint32_t count;
  /// Calls a half of the kernel with such slots: isa::ParametersOf<Signature>::call. Null: the one
  /// the kernel was registered with, or else the kernel takes pointers and whole numbers only.
  void (*call)(void (*half)(), const std::byte* slots);
  /// What TILING_KEY_IS asks for; 0 where the kernel asks for nothing.
  std::uint64_t tiling_key;
};

/// Queues a launch of the kernel that isa::KernelRegistrar knows as `kernel` on `stream`, an
/// aclrtStream; null: the default stream of the calling thread's context. Returns at once. What the
/// kernel does wrong is told by the next call that waits for the stream. Returns
///   0       the launch is queued
///   107000  no kernel, no blocks or more than 65535; or number and sizes of the arguments are not
///           those of the parameters that the kernel was registered with
///   107002  the thread has no context: aclrtSetDevice was not called
///   107003  the stream is one of another context
///   107017  the stream does not exist any more
///   507027  no kernel is registered under this name
/// and what the device has gone wrong with before, if it has. aclGetRecentErrMsg tells more.
std::uint32_t davsim_launch(const char* kernel, std::uint32_t blocks, void* stream,
                            const DavsimArguments* arguments);

}  // extern "C"

namespace davsim::runtime {

/// An argument as a parameter of the kernel. Any pointer to an object does for a pointer: programs
/// pass void* for __gm__ half*.
template <class Parameter, class Argument>
Parameter as_parameter(const Argument& argument) {
  if constexpr (std::is_pointer_v<Parameter> && std::is_pointer_v<std::decay_t<Argument>>) {
    const volatile void* address = argument;
    return static_cast<Parameter>(const_cast<void*>(address));
  } else {
    static_assert(std::is_convertible_v<const Argument&, Parameter>,
                  "an argument of the launch does not convert to the kernel's parameter");
    return static_cast<Parameter>(argument);
  }
}

template <class Signature>
struct TypedLaunch;

template <class... Parameters>
struct TypedLaunch<void(Parameters...)> {
  template <class... Arguments>
  static std::uint32_t queue(const char* kernel, std::uint32_t blocks, void* stream,
                             std::uint64_t tiling_key, const Arguments&... arguments) {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters),
                  "a launch has as many arguments as the kernel has parameters");
    using Kernel = isa::ParametersOf<void(Parameters...)>;
    alignas(isa::kSlotBytes) std::array<std::byte, Kernel::kBytes + 1> slots{};
    [[maybe_unused]] std::byte* to = slots.data();
    [[maybe_unused]] const auto put = [&to](const auto& value) {
      std::memcpy(to, &value, sizeof value);
      to += isa::slot_bytes(sizeof value);
    };
    (put(as_parameter<Parameters>(arguments)), ...);
    const DavsimArguments all{slots.data(), Kernel::kSizes.data(), sizeof...(Parameters),
                              &Kernel::call, tiling_key};
    return davsim_launch(kernel, blocks, stream, &all);
  }
};

/// Launches a kernel whose type is `Signature`, void(Parameters...): decltype(kernel) where its
/// declaration is known. The arguments convert to the parameters as in a call. Returns what
/// davsim_launch returns.
template <class Signature, class... Arguments>
std::uint32_t launch(const char* kernel, std::uint32_t blocks, void* stream,
                     const Arguments&... arguments) {
  return TypedLaunch<Signature>::queue(kernel, blocks, stream, 0, arguments...);
}

/// The same with a tiling key.
template <class Signature, class... Arguments>
std::uint32_t launch_keyed(std::uint64_t tiling_key, const char* kernel, std::uint32_t blocks,
                           void* stream, const Arguments&... arguments) {
  return TypedLaunch<Signature>::queue(kernel, blocks, stream, tiling_key, arguments...);
}

}  // namespace davsim::runtime
