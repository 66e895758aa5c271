// How conversions round.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

/// On small functions that loops over lanes call: without it compilers find some too large to
/// inline and leave the loop scalar.
#define DAVSIM_IN_LOOPS [[gnu::always_inline]] inline

namespace davsim::isa {

/// Rounding of Cast; values are those of the Ascend C enumeration.
enum class RoundMode : std::uint8_t {
  kNone = 0,   ///< as kRint where a rounding is needed
  kRint = 1,   ///< to nearest, ties to even
  kFloor = 2,  ///< towards minus infinity
  kCeil = 3,   ///< towards plus infinity
  kRound = 4,  ///< to nearest, ties away from zero
  kTrunc = 5,  ///< towards zero
  kOdd = 6,    ///< von Neumann: inexact results get an odd last bit (fp32 -> fp16 only)
};
inline constexpr std::size_t kRoundModes = 7;

/// What to add to a magnitude before its low bits are shifted out, so that the shift rounds.
/// `half_step` is half of the last kept bit, `last` that bit (0 or 1), `negative` the sign (0 or
/// 1). Numbers instead of conditions, so that compilers vectorise it.
template <std::unsigned_integral T>
DAVSIM_IN_LOOPS constexpr T rounding_increment(RoundMode mode, T negative, T last, T half_step) {
  const T everything = 2 * half_step - 1;  // carries unless nothing is shifted out
  switch (mode) {
    case RoundMode::kNone:
    case RoundMode::kRint:
      return half_step - 1 + last;
    case RoundMode::kFloor:
      return negative * everything;
    case RoundMode::kCeil:
      return (1 - negative) * everything;
    case RoundMode::kRound:
      return half_step;
    case RoundMode::kTrunc:
      return 0;
    case RoundMode::kOdd:
      return (1 - last) * everything;
  }
  return 0;
}

}  // namespace davsim::isa
