// Parts and arrangements of tensors, of which moves are made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opdev/common_types.h"
#include "runtime/op_api/work_list.hpp"

namespace davsim::basic {

using Numbers = std::vector<std::int64_t>;

/// Elements of a tensor. Numbers in elements; the offset is that from the tensor's first.
struct View {
  const aclTensor* of = nullptr;
  Numbers sizes, strides;
  std::int64_t offset = 0;

  std::size_t rank() const { return sizes.size(); }
  std::int64_t elements() const;
};

View view_of(const aclTensor& tensor);
/// `size` places of a dimension, from `start` on, each `step` behind the one before.
View narrowed(View view, std::size_t dim, std::int64_t start, std::int64_t size,
              std::int64_t step = 1);
/// Places `start` to `end` without the last, each `step` behind the one before; both may be counted
/// from the end and beyond it, as those of slices.
View sliced(View view, std::size_t dim, std::int64_t start, std::int64_t end, std::int64_t step);
/// Dimension i is the former dims[i].
View permuted(const View& view, const std::vector<std::size_t>& dims);
View flipped(View view, std::size_t dim);
/// One more dimension, in which the same elements repeat.
View with_repeats(View view, std::size_t dim, std::int64_t size);
/// A dimension as two, of which the inner one has `inner` places.
View divided(View view, std::size_t dim, std::int64_t inner);
/// Repeated along sizes of 1 and in front, as far as the rules of broadcasting allow.
View expanded(const View& view, const op::Shape& shape);

/// The view as a tensor.
const aclTensor* tensor_of(op_api::WorkList& work, const View& view);

/// All elements as a vector; those of a tensor with strides are copied.
View flat(op_api::WorkList& work, const aclTensor& tensor);

/// A dimension of a tensor that has some; as dimension() of tensors.hpp otherwise.
std::size_t place_of(std::int64_t dim, std::size_t rank, const char* name);
Numbers numbers_of(const op::Shape& shape);
/// Throws ApiError(161001) for a null pointer.
Numbers numbers_of(const aclIntArray* array, const char* name);
/// The product of sizes[from] up to but without sizes[to].
std::int64_t product(const Numbers& sizes, std::size_t from, std::size_t to);
op::Shape shape_of(const Numbers& sizes);

}  // namespace davsim::basic
