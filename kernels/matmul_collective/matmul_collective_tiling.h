// What the host passes to the kernel of products with a collective operation.
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul_tiling.h"

enum class CollectiveOfProduct : uint32_t { kAllReduce, kAllGather, kReduceScatter };

struct MatmulCollectiveTiling {
  CollectiveOfProduct kind;
  uint32_t rank, ranks;
  uint32_t pieces;           ///< operations into which the collective one is cut
  uint32_t piece_rows;       ///< of a rank; the last piece has the rest
  uint32_t rows;             ///< of a rank's part of the collective operation
  uint32_t width, inner;     ///< N and K
  uint32_t data_type;        ///< HcclDataType of a and c
  MatmulTiling piece, last;  ///< a piece of all ranks that it covers, and the last one
  MatmulTiling own;          ///< all-gather: the rows of the own rank
};
