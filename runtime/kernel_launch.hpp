// What davsim-cc makes of kernel<<<blocks, l2ctrl, stream>>>(arguments): it includes this header
// before every source with kernels and writes calls of these functions into the host's code.
#pragma once

#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "isa/include/ascendc/launch_argument.h"
#include "runtime/kernel_module.hpp"
#include "runtime/launch.hpp"

/// Headers for hosts and kernels show a source with kernels both.
#define DAVSIM_LAUNCHES_KERNELS

namespace davsim::launch {

/// What hosts that have no types of C++, such as Python, need to know of a parameter: 'p' a
/// pointer, 'b' a bool, 'i' a whole number, 'u' one without sign, 'f' a float or double, 's' a
/// structure.
template <class T>
constexpr char kind_of() {
  if (std::is_pointer_v<T>) return 'p';
  if (std::is_same_v<T, bool>) return 'b';
  if (std::is_floating_point_v<T>) return 'f';
  if (std::is_class_v<T> || std::is_union_v<T>) return 's';
  return std::is_signed_v<T> || std::is_enum_v<T> ? 'i' : 'u';
}

/// Ends with a 0.
template <class... Parameters>
inline constexpr char kKinds[] = {kind_of<Parameters>()..., '\0'};

/// Where each begins in a block of arguments: at a multiple of this, as in the structures of the
/// functions that the vendor's build makes.
template <class... Parameters>
inline constexpr std::uint8_t kAlignments[] = {
    static_cast<std::uint8_t>(alignof(Parameters) < 4 ? 4 : alignof(Parameters))..., 0};

/// What stands between <<< and >>>, until the call behind it begins.
struct Configuration {
  bool pending = false;
  std::uint32_t blocks = 0;
  void* stream = nullptr;
  std::uint64_t tiling_key = 0;
};

inline Configuration& configuration() {
  static thread_local Configuration next;
  return next;
}

/// Number of blocks as <<<>>> has it; what no launch can have becomes 0, which the launch refuses.
template <class Blocks>
std::uint32_t block_count(const Blocks& blocks) {
  const auto count = static_cast<std::int64_t>(blocks);
  return count < 0 || count > 0xffffffff ? 0 : static_cast<std::uint32_t>(count);
}

inline void configure(std::uint32_t blocks, void* stream) {
  Configuration& next = configuration();
  next.pending = true;
  next.blocks = blocks;
  next.stream = stream;
}

/// The second argument is reserved, and need not be there. A stream may be an object that converts
/// to one, or 0; the default one where none is named.
template <class Blocks, class Reserved = int>
void configure(const Blocks& blocks, const Reserved& = {}, void* stream = nullptr) {
  configure(block_count(blocks), stream);
}
template <class Blocks, class Reserved, class More>
void configure(const Blocks& blocks, const Reserved&, void* stream, const More&) {
  configure(block_count(blocks), stream);
}

inline void report(const char* kernel, const char* what, std::uint32_t code) {
  std::fprintf(stderr, "davsim: kernel %s is not launched: %s (error %u)\n", kernel, what,
               static_cast<unsigned>(code));
}

/// Launches the kernel whose function on the host is `self`.
template <class... Parameters, class... Arguments>
std::uint32_t queue(void (*self)(Parameters...), std::uint32_t blocks, void* stream,
                    const Arguments&... arguments) {
  const char* name = davsim_kernel_name(reinterpret_cast<void (*)()>(self));
  if (name == nullptr) {
    report("?", "no object of the program holds its code", 507027);
    return 507027;
  }
  return runtime::TypedLaunch<void(Parameters...)>::queue(name, blocks, stream,
                                                          configuration().tiling_key, arguments...);
}

template <class... Parameters>
bool describe(void (*self)(Parameters...)) {
  using Kernel = isa::ParametersOf<void(Parameters...)>;
  const auto host = reinterpret_cast<void (*)()>(self);
  return davsim_describe_kernel(host, Kernel::kSizes.data(), sizeof...(Parameters),
                                &Kernel::call) &&
         davsim_describe_kinds(host, kKinds<Parameters...>) &&
         davsim_describe_alignments(host, kAlignments<Parameters...>);
}

/// The type of a parameter as the type of its function has it. g++ leaves `__restrict__` in a type
/// that depends on a template's parameter, and then finds no such function.
template <class T>
struct PlainParameter {
  using type = std::remove_cv_t<T>;
};
template <class T>
struct PlainParameter<T* __restrict__> {
  using type = T*;
};
template <class T>
struct PlainParameter<T* const __restrict__> {
  using type = T*;
};
template <class T>
using Parameter = typename PlainParameter<T>::type;

/// Known before main(), for programs that launch kernels by name.
template <auto Self>
inline const bool kDescribed = describe(Self);

template <class... Parameters>
void start_described(void (*self)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  Configuration& next = configuration();
  if (!next.pending) {
    const char* name = davsim_kernel_name(reinterpret_cast<void (*)()>(self));
    report(name == nullptr ? "?" : name, "it was called as a function, without <<<>>>", 107000);
    return;
  }
  next.pending = false;
  // A refusal is told by the library.
  queue(self, next.blocks, next.stream, arguments...);
}

/// The body of a kernel's function on the host.
template <auto Self, class... Arguments>
void start(const Arguments&... arguments) {
  static_cast<void>(&kDescribed<Self>);
  start_described(Self, arguments...);
}

}  // namespace davsim::launch
