// Takes the arguments of a kernel out of a block of memory in which a program has laid them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace davsim::runtime {

struct KernelHandle;

/// The slots of a launch for a block that holds the kernel's arguments one behind the other as a
/// structure does, each at a multiple of 4 at least; what is behind them is not looked at. Words of
/// 8 bytes where nobody knows the parameters. Throws ApiError for a block that is too short, or as
/// long as if each argument had words of its own.
std::vector<std::uint64_t> slots_of(const KernelHandle& kernel,
                                    const std::vector<std::byte>& block);

}  // namespace davsim::runtime
