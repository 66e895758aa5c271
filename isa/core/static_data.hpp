// Variables of a kernel's file at namespace scope. The device keeps them in global memory, and
// kernels copy tables of constants out of them. Here they lie where the host's loader has put them.
#pragma once

#include <cstdint>

namespace davsim::isa {

/// Whether [addr, addr + bytes) lies in the data of one of the binaries of this process.
bool is_static_data(std::uint64_t addr, std::uint64_t bytes);

/// The device address of a byte of static data, for timing: the same in every run.
std::uint64_t device_address_of_static_data(std::uint64_t addr);

}  // namespace davsim::isa
