// Tiles as vector kernels have them, in UB and on the host, for the benchmarks of vector
// instructions.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/instruction_speed.hpp"
#include "bench/plain_loops.hpp"
#include "kernel_operator.h"

namespace davsim::bench {

/// Elements of a tile and where three of them lie in UB.
inline constexpr std::uint32_t kCount = 8192;
inline constexpr std::uint32_t kTo = 128 * 1024, kA = 0, kB = 64 * 1024 + 256;

template <class T>
AscendC::LocalTensor<T> tile(std::uint32_t at) {
  return {AscendC::TPosition::VECCALC, at, kCount};
}

/// The host's tiles, with numbers between -8 and 8.
struct HostTiles {
  HostTiles() : to(kCount), a(kCount), b(kCount) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-8, 8);
    for (std::uint32_t i = 0; i < kCount; ++i) a[i] = number(random), b[i] = number(random);
  }
  template <class T>
  T* as(std::vector<float>& tile) {
    return reinterpret_cast<T*>(tile.data());
  }
  std::vector<float> to, a, b;
};
inline HostTiles& host() {
  static HostTiles tiles;
  return tiles;
}

/// The same numbers in UB, by way of the scalar unit.
inline void fill_ub() {
  for (std::uint32_t i = 0; i < kCount; ++i) {
    tile<float>(kA).SetValue(i, host().a[i]);
    tile<float>(kB).SetValue(i, host().b[i]);
  }
}

inline boost::json::object run_on_tiles(const std::vector<Contest>& contests) {
  return run_contests(isa::CoreType::AIV, fill_ub, contests);
}

}  // namespace davsim::bench
