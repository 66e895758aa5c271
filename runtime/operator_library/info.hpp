// What an operator's definition is in the terms of davsim's own operators.
#pragma once

#include <optional>
#include <string>

#include "kernels/registry/operator.hpp"
#include "runtime/op_host/definition.hpp"

namespace davsim::op_library {

/// Types of both worlds; none where the other has no such type.
std::optional<isa::DType> dtype_of(ge::DataType type);
ge::DataType data_type_of(isa::DType dtype);

/// The description of an operator: what it takes on all SoCs that it is configured for.
/// Throws std::invalid_argument for a definition that contradicts itself.
operators::OperatorInfo info_of(const std::string& type);

}  // namespace davsim::op_library
