// The documented combinations of a Matmul object's types on architecture 2201, and what the tests
// of them hand to their kernels.
#pragma once

#include <array>
#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

enum class MatmulKind : std::int32_t { kFloat, kHalf, kBfloat16, kInt8, kInt4, kInt32 };

/// A and B, the bias, and C.
struct MatmulTypes {
  MatmulKind in, bias, out;
};
/// All of the documentation's table: "Matmul" of the high-level API, for Atlas A2 and A3.
inline constexpr MatmulTypes kMatmulTypes[] = {
    {MatmulKind::kFloat, MatmulKind::kFloat, MatmulKind::kFloat},
    {MatmulKind::kFloat, MatmulKind::kFloat, MatmulKind::kHalf},
    {MatmulKind::kFloat, MatmulKind::kFloat, MatmulKind::kBfloat16},
    {MatmulKind::kFloat, MatmulKind::kHalf, MatmulKind::kFloat},
    {MatmulKind::kFloat, MatmulKind::kHalf, MatmulKind::kHalf},
    {MatmulKind::kFloat, MatmulKind::kHalf, MatmulKind::kBfloat16},
    {MatmulKind::kHalf, MatmulKind::kFloat, MatmulKind::kFloat},
    {MatmulKind::kHalf, MatmulKind::kFloat, MatmulKind::kHalf},
    {MatmulKind::kHalf, MatmulKind::kFloat, MatmulKind::kBfloat16},
    {MatmulKind::kHalf, MatmulKind::kFloat, MatmulKind::kInt8},
    {MatmulKind::kHalf, MatmulKind::kHalf, MatmulKind::kFloat},
    {MatmulKind::kHalf, MatmulKind::kHalf, MatmulKind::kHalf},
    {MatmulKind::kHalf, MatmulKind::kHalf, MatmulKind::kBfloat16},
    {MatmulKind::kBfloat16, MatmulKind::kFloat, MatmulKind::kFloat},
    {MatmulKind::kBfloat16, MatmulKind::kFloat, MatmulKind::kHalf},
    {MatmulKind::kBfloat16, MatmulKind::kFloat, MatmulKind::kBfloat16},
    {MatmulKind::kBfloat16, MatmulKind::kFloat, MatmulKind::kInt8},
    {MatmulKind::kBfloat16, MatmulKind::kHalf, MatmulKind::kFloat},
    {MatmulKind::kBfloat16, MatmulKind::kHalf, MatmulKind::kHalf},
    {MatmulKind::kInt8, MatmulKind::kInt32, MatmulKind::kInt32},
    {MatmulKind::kInt8, MatmulKind::kInt32, MatmulKind::kHalf},
    {MatmulKind::kInt8, MatmulKind::kInt32, MatmulKind::kInt8},
    {MatmulKind::kInt4, MatmulKind::kInt32, MatmulKind::kInt32},
    {MatmulKind::kInt4, MatmulKind::kInt32, MatmulKind::kHalf},
};

/// Formats: A is ND, NZ or VECTOR, B is ND or NZ, C is ND, NZ or ND_ALIGN.
enum class MatmulLayout : std::int32_t { kNd, kNz, kOther };

/// A combination that is tested. Each type of A and B has all six formats of A and B, and each type
/// of C that comes out of a kind of sums all three of C; a combination of three formats is not
/// tested with all types, because what A and B are ends in L0A and L0B.
struct MatmulCombination {
  MatmulTypes types;
  MatmulLayout a, b, c;
};

inline constexpr std::size_t kMatmulRows = sizeof(kMatmulTypes) / sizeof(kMatmulTypes[0]);
inline constexpr std::size_t kMatmulCombinations = 3 * kMatmulRows;

constexpr MatmulCombination matmul_combination(std::size_t number) {
  const std::size_t row = number / 3, formats = (row * 3 + number % 3) % 6;
  return {kMatmulTypes[row], static_cast<MatmulLayout>(formats % 3),
          static_cast<MatmulLayout>(formats / 3), static_cast<MatmulLayout>((number + row) % 3)};
}

/// Where the operands of a mixed kernel lie: A and B in global memory, UB or L1, bias and C in
/// global memory or UB.
enum class MatmulPlace : std::int32_t { kGm, kUb, kL1 };
struct MatmulPlaces {
  MatmulPlace a, b, bias, c;
};
constexpr MatmulPlaces matmul_places(std::size_t row) {
  return {static_cast<MatmulPlace>(row % 3), static_cast<MatmulPlace>((row / 3 + row) % 3),
          static_cast<MatmulPlace>(row % 2), static_cast<MatmulPlace>((row / 2 + 1) % 2)};
}

struct CombinationsCall {
  AscendC::tiling::TCubeTiling tiling;
  std::int32_t number = 0;
  std::int32_t trans_a = 0, trans_b = 0, bias = 0;
  std::int32_t quant = 0;  ///< 1: a word, 2: a vector of words
  std::uint64_t quant_word = 0;
};
