// What kernels include for the high-level matrix product, and many for the rest of the kernel API
// that comes along. The product itself is refused where it is used.
#pragma once

#include "kernel_operator.h"

namespace AscendC {

enum class CubeFormat : std::uint8_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR };

/// Description of an operand of Matmul; can be named, not used.
template <TPosition position, CubeFormat format, typename T, auto... options>
struct MatmulType {
  using T_ = T;
};

template <typename A, typename B = A, typename C = B, typename Bias = C, const auto&... config>
class MatmulImpl {
  static_assert(davsim::api::kSupported<A, B, C, Bias>,
                "davsim does not support Matmul yet: high-level API, examples/matmul_tiles has "
                "the product from LoadData, Mmad and Fixpipe");
};
template <typename A, typename B = A, typename C = B, typename Bias = C, const auto&... config>
using Matmul = MatmulImpl<A, B, C, Bias, config...>;

}  // namespace AscendC

namespace matmul {
using AscendC::Matmul;
using AscendC::MatmulImpl;
using AscendC::MatmulType;
}  // namespace matmul
