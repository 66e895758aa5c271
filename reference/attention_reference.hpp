// What the references of the attention operators share: one row of softmax, the address of a token
// in a paged cache, and the choice of rows of a large result that are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/registry/tensor.hpp"

namespace davsim::reference {

/// One row of attention.
struct AttentionRow {
  std::vector<double> out;  ///< `width` numbers
  double lse = 0;           ///< ln of the sum of exp(score)
};

/// softmax(scores) * values. A score of -inf marks a hidden column, whose value is not read. A row
/// without columns gives 0 and +inf. `values` is [scores.size(), width].
AttentionRow attend(const std::vector<double>& scores, const std::vector<double>& values,
                    std::int64_t width);

/// How int8 probabilities come about: `block` columns at a time, each with the largest score so far
/// as its maximum, p8 = rint(half(p * factor)), saturated.
struct Int8Probabilities {
  std::int64_t block = 128;
  double factor = 0;  ///< 0: 127 / the largest p of the block, undone after its product
};
/// attend() with such probabilities in the product with values. Their sum is that of the unrounded
/// probabilities. The result is not divided by `factor`, unless `factor` is 0.
AttentionRow attend_int8(const std::vector<double>& scores, const std::vector<double>& values,
                         std::int64_t width, const Int8Probabilities& how);

/// Element of a paged cache: [nb, bs, heads*width], [nb, heads, bs, width] or, of rank 5,
/// [nb, heads, width/C0, bs, C0]. `token` counts within the batch whose pages `pages` lists.
std::int64_t paged_element(const operators::Shape& cache, const std::int32_t* pages,
                           std::int64_t heads, std::int64_t head, std::int64_t token,
                           std::int64_t channel);

/// Up to `most` of the numbers below `count`, spread evenly, with the first and the last.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t most);

}  // namespace davsim::reference
