// Rows in order, or the first elements of them.
#pragma once

#include <span>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/basic_operators/rows.hpp"

namespace davsim::basic {

/// The first `kept` elements of the sorted rows of `self` along a dimension, and where they were,
/// or one of both. Equal elements keep their order, and NaN is the greatest.
struct SortCall {
  const aclTensor& self;
  std::int64_t dim;
  std::int64_t kept;
  bool descending;
  const aclTensor* values;
  const aclTensor* indices;
};
/// Types and shapes are checked before.
void add_sort(WorkList& work, const SortCall& call);

/// The same by the host, in rows: [rows, length] to [rows, kept] and the int32 places.
void sort_rows(const runtime::BoundTensor& values, const runtime::BoundTensor& places,
               const runtime::BoundTensor& rows, bool descending);

}  // namespace davsim::basic
