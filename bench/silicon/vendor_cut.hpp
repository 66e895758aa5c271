// How MatMulV3 cuts a product, by its published tiling for 910B and 910C: base blocks, how much of
// k L1 holds, and parts of C that are computed one after the other because L2 holds what they need.
#pragma once

#include <cstdint>

namespace davsim::silicon {

struct VendorProduct {
  std::uint64_t m, n, k, bytes;  ///< bytes of an element of A, B and C
  bool b_transposed;
  std::uint64_t cores, l2_bytes;
};

struct VendorCut {
  std::uint64_t base_m = 128, base_n = 256, base_k = 0;
  std::uint64_t step_ka = 1,
                step_kb = 1;             ///< base blocks along k of one load, of which L1 holds two
  std::uint64_t part_m = 1, part_n = 1;  ///< base blocks of a part of C

  static VendorCut of(const VendorProduct& product);
};

}  // namespace davsim::silicon
