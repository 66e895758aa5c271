// The fixed patterns by which GatherMask keeps elements.
#pragma once

#include <cstdint>

namespace davsim::isa {

/// Patterns have the numbers 1 to 7. 0 means a tensor of bits instead of a pattern.
inline constexpr std::uint8_t kPatterns = 7;

/// A fixed pattern keeps element `first` of every `period`.
struct Pattern {
  std::uint32_t period, first;
  /// The number of kept elements of `elements` elements.
  std::uint32_t kept(std::uint32_t elements) const {
    return (elements + period - 1 - first) / period;
  }
};

inline Pattern pattern_of(std::uint8_t number) {
  if (number == kPatterns) return {1, 0};
  return number <= 2 ? Pattern{2, number - 1u} : Pattern{4, number - 3u};
}

}  // namespace davsim::isa
