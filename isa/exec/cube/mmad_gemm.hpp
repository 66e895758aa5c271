// The matrix product under Mmad.
#pragma once

#include <cstddef>

namespace davsim::isa {

/// c[m][16] = a[m][k] x b[k][16], added to what c holds if `accumulate`. Everything is dense and
/// row-major; products of one element of c are summed in ascending k.
void multiply_panel(float* c, const float* a, const float* b, std::size_t m, std::size_t k,
                    bool accumulate);

/// The same with plain loops, for hosts without a library kernel.
void multiply_panel_plain(float* c, const float* a, const float* b, std::size_t m, std::size_t k,
                          bool accumulate);

}  // namespace davsim::isa
