// Architectures by their numbers.
#pragma once

#include <cstdint>

/// Devices here are DAV_2201; sources name the others in branches of theirs.
enum class NpuArch : std::uint32_t {
  DAV_1001 = 1001,
  DAV_2002 = 2002,
  DAV_2201 = 2201,
  DAV_3002 = 3002,
  DAV_3102 = 3102,
  DAV_3510 = 3510,
  DAV_5102 = 5102,
  DAV_RESV = 0xFFFF
};
