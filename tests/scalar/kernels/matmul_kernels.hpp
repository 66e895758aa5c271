// Products of Matmul objects, compiled as kernels are.
#pragma once

#include <cstdint>

namespace davsim::test {

/// C of 16 x 16 = A x B of half with `steps` base blocks of 16 along k, by templates Norm and MDL.
void product_by_norm(std::uint16_t* a, std::uint16_t* b, float* c, std::uint32_t steps);
void product_by_mdl(std::uint16_t* a, std::uint16_t* b, float* c, std::uint32_t steps);

}  // namespace davsim::test
