// The parameters of a kernel: how many there are, how large each is, and how a half of the kernel
// is called with arguments that stand in memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace davsim::isa {

/// A kernel function with its parameters erased; the launch casts it back.
using KernelFunction = void (*)();

/// Arguments stand in slots as a device takes them: one behind the other, each in as many whole
/// slots as it needs.
inline constexpr std::size_t kSlotBytes = 8;
constexpr std::size_t slot_bytes(std::size_t bytes) {
  return (bytes + kSlotBytes - 1) / kSlotBytes * kSlotBytes;
}

/// What is known of a kernel's parameters.
struct KernelParameters {
  /// Bytes of each, in their order; 0: its type is not known. Null: nothing is known.
  const std::uint32_t* sizes = nullptr;
  std::uint32_t count = 0;
  /// Calls a half with the arguments in `slots`; null: the types of the parameters are not known.
  void (*call)(KernelFunction half, const std::byte* slots) = nullptr;

  bool known() const { return call != nullptr; }
};

/// The parameters of a kernel whose type is `void(Parameters...)`.
template <class Signature>
struct ParametersOf;

template <class... Parameters>
struct ParametersOf<void(Parameters...)> {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...),
                "a kernel's parameters are pointers, numbers and plain structures");

  static constexpr std::array<std::uint32_t, sizeof...(Parameters) + 1> kSizes = {
      sizeof(Parameters)..., 0};
  static constexpr std::size_t kBytes = (std::size_t{0} + ... + slot_bytes(sizeof(Parameters)));

  static void call(KernelFunction half, const std::byte* slots) {
    [[maybe_unused]] const auto take = [&slots]<class T>(std::type_identity<T>) {
      std::array<std::byte, sizeof(T)> bytes;
      std::memcpy(bytes.data(), slots, sizeof(T));
      slots += slot_bytes(sizeof(T));
      return std::bit_cast<T>(bytes);
    };
    // Braces, because these are evaluated in order.
    const std::tuple<Parameters...> arguments{take(std::type_identity<Parameters>())...};
    std::apply(reinterpret_cast<void (*)(Parameters...)>(half), arguments);
  }

  static constexpr KernelParameters value() {
    return {kSizes.data(), static_cast<std::uint32_t>(sizeof...(Parameters)), &call};
  }
};

}  // namespace davsim::isa
