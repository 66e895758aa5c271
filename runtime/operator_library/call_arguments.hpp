// A call of an operator as its functions see it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/registry/operator.hpp"
#include "runtime/op_host/node.hpp"

namespace davsim::op_library {

/// The tensors of an input, none if it is missing. Throws operators::Refusal for a list with gaps.
std::vector<operators::Tensor> tensors_of(const operators::Call& call,
                                          const op_host::Parameter& parameter);

/// The first column whose types are those of the call's tensors; none if there is no such column.
std::optional<std::size_t> column_of(const op_host::Definition& definition,
                                     const operators::Call& call);

/// Inputs and attributes of a call on a column. Outputs have their types, and no shapes yet.
/// Throws operators::Refusal for a tensor with more dimensions than operators can have.
op_host::Arguments arguments_of(const op_host::Definition& definition, const operators::Call& call,
                                std::size_t column);

gert::Shape gert_shape(const operators::Shape& shape);
operators::Shape plain_shape(const gert::Shape& shape);

}  // namespace davsim::op_library
