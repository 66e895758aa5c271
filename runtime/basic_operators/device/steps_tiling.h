// What the host tells the kernel of evenly spaced numbers. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

enum class StepsOut : std::uint32_t { kFloat, kHalf, kBfloat, kInt32, kInt64 };

/// Element i is first + i * step.
struct StepsTiling {
  std::uint64_t elements;
  std::uint64_t share;  ///< elements of a core; the last core has what is left
  std::uint32_t tile;   ///< elements, whole repeats
  StepsOut out;
  std::uint32_t whole;  ///< 1: computed in int32, else in float
  float first, step;
  std::int32_t whole_first, whole_step;
};

}  // namespace davsim_basic
