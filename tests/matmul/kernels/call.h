// What the tests of Matmul objects hand to their kernels.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

/// How a kernel is to use its object.
enum class MatmulUse : std::int32_t {
  kAll,
  kBlocks,
  kSequential,
  kStoredAndAddedTwice,
  kPartial,
  kNBatch,
  kNumberA,  ///< all elements of A are 2
  kNumberB,
  kPastL2  ///< A, B and C have a hint against L2
};

struct MatmulTestCall {
  AscendC::tiling::TCubeTiling tiling;
  std::int32_t variant = 0;
  MatmulUse use = MatmulUse::kAll;
  std::int32_t trans_a = 0, trans_b = 0, bias = 0, hf32 = 0;
  std::int32_t quant = 0;  ///< 1: a word, 2: a vector of words
  std::uint64_t quant_word = 0;
};
