// Pointers for the compiler's intrinsics.
#pragma once

#include <cstdint>

namespace davsim::test {

/// A pointer into an on-chip buffer, as LocalTensor::GetPhyAddr gives it.
template <class T>
T* on_chip(std::uint64_t byte) {
  return reinterpret_cast<T*>(byte);
}

}  // namespace davsim::test
