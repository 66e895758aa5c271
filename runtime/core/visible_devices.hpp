// The devices that a program sees, and how it counts them. ASCEND_RT_VISIBLE_DEVICES lists them;
// behind the interface a device is a die of the system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace davsim::runtime {

/// The dies of a system of `dies` that a list such as "4,5" names, up to the first number that is
/// none or is there already. A null pointer or an empty list stands for all, and so does any list
/// where there is one die.
std::vector<std::uint32_t> listed_dies(const char* list, std::uint32_t dies);

/// Devices that the program sees.
std::uint32_t visible_devices();
/// The die of a device by the program's number. Throws ApiError if there is no such device.
std::uint32_t die_of(std::int64_t device);
/// The program's number of a die; -1 if the program does not see it.
std::int32_t device_of(std::uint32_t die);

}  // namespace davsim::runtime
