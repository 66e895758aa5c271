// What the measured kernels have in common: global memory, buffers, and how work is dealt to cores.
#pragma once

#include <cstdint>

#include "bench/silicon/kernel.hpp"
#include "bench/silicon/whole_parts.hpp"
#include "kernel_operator.h"

namespace davsim::silicon {

/// `count` elements of global memory.
template <class T>
T* allocate(sim::Device& device, std::uint64_t count, const char* name) {
  return reinterpret_cast<T*>(device.memory().allocate(count * sizeof(T), name));
}

template <class T>
AscendC::GlobalTensor<T> global(T* start, std::uint64_t count) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(start, count);
  return tensor;
}

template <class T>
AscendC::LocalTensor<T> local(AscendC::TPosition position, std::uint32_t byte,
                              std::uint32_t count) {
  return AscendC::LocalTensor<T>(position, byte, count);
}

/// The part of `count` pieces that a core gets when each gets as many as any other, or one less.
struct Share {
  std::uint64_t begin, end;
};
inline Share share_of(std::uint64_t count, std::uint64_t core, std::uint64_t cores) {
  return {count * core / cores, count * (core + 1) / cores};
}

/// Cores that have work when each takes as many pieces as the busiest has to.
constexpr std::uint32_t busy_cores(std::uint64_t pieces, std::uint32_t cores) {
  return static_cast<std::uint32_t>(ceil_div(pieces, ceil_div(pieces, cores)));
}

/// Cores a kernel runs on: all of the SoC unless a measurement says how many.
inline std::uint32_t vector_cores(const sim::Device& device, const Params& params) {
  return params.size("cores", device.soc().aiv_count());
}
inline std::uint32_t cube_cores(const sim::Device& device, const Params& params) {
  return params.size("cores", device.soc().aic_count());
}

}  // namespace davsim::silicon
