// Rules that both halves of the prolog have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/common/require.hpp"
#include "kernels/common/seeded_data.hpp"
#include "kernels/prolog/naming.hpp"
#include "kernels/prolog/sizes.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::prolog {

/// A tensor with a fixed shape, independent of the number of tokens.
struct Fixed {
  const char* name;
  Shape shape;
  const char* symbols;
};

inline void require_ranks(const Call& call, const Naming& name, const std::vector<Fixed>& tensors) {
  for (const Fixed& tensor : tensors) {
    require_rank(call, name(tensor.name), {tensor.shape.size()});
  }
}
inline void require_shapes(const Call& call, const Naming& name,
                           const std::vector<Fixed>& tensors) {
  for (const Fixed& tensor : tensors) {
    require_shape(call, name(tensor.name), tensor.shape, tensor.symbols);
  }
}

/// The number of tokens of a tensor [t, width]. Refuses numbers outside 1 to kMostTokens.
inline std::int64_t valid_tokens(const Call& call, const std::string& name, std::int64_t width) {
  const Shape& shape = tensor_of(call, name).shape();
  require(shape[1] == width, ErrorClass::kShape,
          "the shape of " + name + " is [t, " + std::to_string(width) + "]",
          "found " + to_string(shape));
  require(shape[0] >= 1, ErrorClass::kShape,
          "t, the first dimension of " + name + ", is at least 1", "found " + to_string(shape));
  require(shape[0] <= kMostTokens, ErrorClass::kUnsupported,
          "t is at most " + std::to_string(kMostTokens), "found " + to_string(shape));
  return shape[0];
}

/// The number of pages of a cache [block_num, 128, 1, width].
inline std::int64_t valid_pages(const Call& call, const std::string& name, std::int64_t width) {
  const Shape& shape = tensor_of(call, name).shape();
  require(shape[0] >= 1 && shape[1] == kPage && shape[2] == 1 && shape[3] == width,
          ErrorClass::kShape,
          "the shape of " + name + " is [block_num, 128, 1, " + std::to_string(width) + "]",
          "found " + to_string(shape));
  return shape[0];
}

inline void require_string(const Call& call, const std::string& name, const std::string& value) {
  const std::string found = string_attribute(call, name);
  require(found == value, ErrorClass::kAttr, name + " is \"" + value + "\"",
          "found \"" + found + "\"");
}

inline void require_positive(const Call& call, const std::string& name) {
  const double found = float_attribute(call, name);
  require(found >= 0 && found < 1e30, ErrorClass::kAttr, name + " is a number of at least 0",
          "found " + std::to_string(found));
}

/// Indices are rows of the flattened pages. The kernel skips negative ones.
inline void require_rows_in_cache(const Call& call, const std::string& index, std::int64_t pages) {
  const Tensor& rows = tensor_of(call, index);
  for (std::int64_t i = 0; i < rows.elements(); ++i) {
    const std::int64_t row = rows.as<std::int64_t>()[i];
    require(row < pages * kPage, ErrorClass::kIndex,
            "every entry of " + index + " is below block_num * 128",
            index + "[" + std::to_string(i) + "] is " + std::to_string(row) + ", block_num is " +
                std::to_string(pages));
  }
}

/// The rows of `tokens` tokens in caches of `pages` pages. They are all different and in no order.
/// The first and the last row of a page are among them.
inline Tensor cache_rows(SeededData& data, const std::string& name, std::int64_t tokens,
                         std::int64_t pages) {
  Tensor rows = data.zeros(isa::DType::kI64, {tokens}, name);
  const std::int64_t all = pages * kPage;
  std::vector<std::int64_t> order(static_cast<std::size_t>(all));
  for (std::int64_t i = 0; i < all; ++i) order[static_cast<std::size_t>(i)] = i;
  std::swap(order[0], order[kPage - 1]);
  for (std::int64_t i = 1; i < tokens; ++i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(data.integer(i, all - 1))]);
  }
  for (std::int64_t i = 0; i < tokens; ++i) {
    rows.as<std::int64_t>()[i] = order[static_cast<std::size_t>(i)];
  }
  return rows;
}

}  // namespace davsim::operators::prolog
