// What functions that size temporary buffers read from a shape.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/tensor.h"
#include "kernel_tiling/library_sizes.h"

namespace op_host {

/// Rows of h elements along the last dimension, of which the first `counting` count.
struct Bsh {
  std::uint32_t b = 1, s = 1, h = 0, counting = 0;
  std::uint32_t rows() const { return b * s; }
};

/// Of [b, s, h], of its last dimensions, or of [b, s, h, counting].
inline Bsh bsh_of(const ge::Shape& shape) {
  const std::size_t count = std::min<std::size_t>(shape.GetDimNum(), 3);
  const auto from_end = [&](std::size_t i) {
    return count >= i ? static_cast<std::uint32_t>(shape.GetDim(count - i)) : 1;
  };
  Bsh dims{from_end(3), from_end(2), count == 0 ? 0 : from_end(1), 0};
  dims.counting = shape.GetDimNum() == 4 ? static_cast<std::uint32_t>(shape.GetDim(3)) : dims.h;
  return dims;
}

/// A size as programs are given it: none is 0.
inline std::uint32_t rounded(std::uint64_t bytes) {
  return std::max(davsim::sizes::up(static_cast<std::uint32_t>(bytes), 256), 256u);
}

}  // namespace op_host
