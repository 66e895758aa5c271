// Calls kernels whose parameters are not known: pointers and whole numbers, which the calling
// conventions of all hosts pass alike, a word each.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "isa/core/kernel_parameters.hpp"

namespace davsim::runtime {

using SlotCall = void (*)(isa::KernelFunction half, const std::byte* slots);

inline constexpr std::size_t kMostWords = 64;

template <std::size_t... I>
void call_with_words(isa::KernelFunction half, const std::byte* slots, std::index_sequence<I...>) {
  [[maybe_unused]] std::array<std::uint64_t, sizeof...(I) + 1> words;
  std::memcpy(words.data(), slots, sizeof...(I) * isa::kSlotBytes);
  reinterpret_cast<void (*)(decltype(static_cast<std::uint64_t>(I))...)>(half)(words[I]...);
}

/// The call for `count` words; null for more than kMostWords.
inline SlotCall slot_call(std::uint32_t count) {
  static constexpr auto kCalls = []<std::size_t... N>(std::index_sequence<N...>) {
    return std::array<SlotCall, sizeof...(N)>{
        +[](isa::KernelFunction half, const std::byte* slots) {
          call_with_words(half, slots, std::make_index_sequence<N>());
        }...};
  }
  (std::make_index_sequence<kMostWords + 1>());
  return count <= kMostWords ? kCalls[count] : nullptr;
}

}  // namespace davsim::runtime
