// How the code that the compiler plugin inserts describes an access through a pointer of C++.
#pragma once

#include <cstdint>

namespace davsim::isa {

/// Bits of the word that compiled kernels hand to davsim_global_access().
inline constexpr std::uint32_t kPointerStores = 1;
/// The access is made by a function, such as memcpy, and has not counted as any instruction.
inline constexpr std::uint32_t kPointerUncounted = 2;
/// Behind the store davsim_global_stored() is called: it may reach over several lines, or its value
/// come from global memory too.
inline constexpr std::uint32_t kPointerEnds = 4;
/// The bits from here on: the loads or stores that the access has counted as. 0: the device's
/// compiler keeps the value in a register.
inline constexpr unsigned kPointerCountShift = 3;

/// Registers are loaded and stored in pairs.
inline constexpr std::uint64_t kPairBytes = 16;

}  // namespace davsim::isa
