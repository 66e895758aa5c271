// The fixed patterns by which GatherMask keeps elements.
#pragma once

#include <cstdint>

namespace davsim::isa {

/// Patterns have the numbers 1 to 7; 0 says that a tensor of bits takes the place of a pattern.
inline constexpr std::uint8_t kPatterns = 7;

/// A fixed pattern keeps element `first` of every `period`.
struct Pattern {
  std::uint32_t period, first;
  /// How many of `elements` elements are kept.
  std::uint32_t kept(std::uint32_t elements) const {
    return (elements + period - 1 - first) / period;
  }
};

inline Pattern pattern_of(std::uint8_t number) {
  if (number == kPatterns) return {1, 0};
  return number <= 2 ? Pattern{2, number - 1u} : Pattern{4, number - 3u};
}

}  // namespace davsim::isa
