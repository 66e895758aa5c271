// Softmax of rows.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/rows.hpp"

namespace davsim::basic {

/// out = softmax of the rows of `self`, or its logarithm. Types and shapes are checked before.
void add_softmax(WorkList& work, const aclTensor& self, const RowView& view, bool logarithm,
                 const aclTensor& out);

/// Bytes of UB for each element: two buffers of each tensor, and tiles of float.
std::uint64_t softmax_bytes_in_ub(std::initializer_list<DataType> tensors, std::uint64_t tiles);

}  // namespace davsim::basic
