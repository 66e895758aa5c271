// How functions launch their kernels: shares of the cores, and tilings as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/op_api/work_list.hpp"

namespace davsim::basic {

using op_api::KernelLaunch;

/// How elements are split over the vector cores.
struct Shares {
  std::uint64_t elements = 0;
  std::uint64_t share = 0;  ///< elements of a core; the last core has what is left
  std::uint32_t cores = 1;
};

/// Shares are whole DataBlocks of all types, and no smaller than a few of them.
Shares shares_of_vector_cores(std::uint64_t elements, std::uint64_t in_bytes,
                              std::uint64_t out_bytes);
/// Whole rows; at least 1 row a core.
Shares rows_of_vector_cores(std::uint64_t rows);

/// Bytes of a DataBlock of UB.
inline constexpr std::int64_t kUbBlock = 32;

/// Bursts of one DataCopy at most (blockCount of DataCopyExtParams).
inline constexpr std::int64_t kMostBursts = 4095;

/// Bursts of a few bytes that kernels of moves are given at most: each takes the time of many
/// bytes.
inline constexpr std::int64_t kMostShortBursts = 16384;

inline std::int64_t quotient_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}
inline std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return quotient_up(value, unit) * unit;
}

/// Bytes of UB, as the SoC describes it.
std::uint64_t ub_bytes();
std::uint32_t vector_cores();
std::uint32_t cube_cores();
/// Cores for these tiles, which they take in turn.
std::uint32_t cores_for(std::uint64_t tiles);

template <class Tiling>
std::vector<std::byte> bytes_of(const Tiling& tiling) {
  std::vector<std::byte> bytes(sizeof tiling);
  std::memcpy(bytes.data(), &tiling, sizeof tiling);
  return bytes;
}

}  // namespace davsim::basic
