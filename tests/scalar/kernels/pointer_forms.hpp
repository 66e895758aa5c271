// What kernels do through pointers, in many forms. Compiled with the plugin and without it: both do
// the same to memory, wherever it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace davsim::test {

/// Bytes that the functions read and write, at a multiple of 64.
inline constexpr std::size_t kFormsBytes = 8192;

namespace counted {
/// Changes all bytes and returns a sum of what it has seen.
std::uint64_t change_by_pointers(std::byte* memory, std::uint32_t seed);
}  // namespace counted

namespace native {
std::uint64_t change_by_pointers(std::byte* memory, std::uint32_t seed);
}  // namespace native

}  // namespace davsim::test
