// The types of the kernels that multiply in every documented combination.
#pragma once

#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/combinations_call.h"

template <MatmulKind kind>
struct MatmulTypeOf;
template <>
struct MatmulTypeOf<MatmulKind::kFloat> {
  using Type = float;
};
template <>
struct MatmulTypeOf<MatmulKind::kHalf> {
  using Type = half;
};
template <>
struct MatmulTypeOf<MatmulKind::kBfloat16> {
  using Type = bfloat16_t;
};
template <>
struct MatmulTypeOf<MatmulKind::kInt8> {
  using Type = int8_t;
};
template <>
struct MatmulTypeOf<MatmulKind::kInt4> {
  using Type = AscendC::int4b_t;
};
template <>
struct MatmulTypeOf<MatmulKind::kInt32> {
  using Type = int32_t;
};

constexpr CubeFormat matmul_format(MatmulLayout layout, CubeFormat other) {
  return layout == MatmulLayout::kNd   ? CubeFormat::ND
         : layout == MatmulLayout::kNz ? CubeFormat::NZ
                                       : other;
}
