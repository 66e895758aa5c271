// What the host tells the kernel of running sums and products. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

/// Elements that follow each other in a sum are rows here: each lane has a sum of its own.
struct CumulateTiling {
  std::uint64_t rows;
  std::uint64_t lanes;
  std::uint64_t share;  ///< lanes of a core; the last core has what is left
  std::uint32_t tile;   ///< elements that are in UB at a time
  Arithmetic op;        ///< kAdd or kMul
  std::uint32_t whole;  ///< 1: int32, else float
  std::uint32_t exclusive;
  std::uint32_t reverse;
};

}  // namespace davsim_basic
