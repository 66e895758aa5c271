// Operands of timing tests of vector instructions that do not disturb each other.
#pragma once

#include "tests/sim/timing_test.hpp"

namespace davsim::test {

inline constexpr std::uint8_t kRepeats = 50;
/// Three places in three banks, whose blocks of one repeat lie in different groups.
inline constexpr std::uint32_t kA = 0, kB = 65536 + 256, kC = 131072;

}  // namespace davsim::test
