// Elements of tensors as the host counts and writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace davsim::op_host {

/// Writes `value` to `count` elements of the type at `data`; elements of less than a byte fill
/// whole bytes. False for a type that has no numbers.
bool fill_elements(void* data, std::size_t count, ge::DataType type, double value);

/// Elements of a tensor of this shape. Nothing where a size is negative, as those are that
/// inference leaves open, or where they exceed 64 bits.
std::optional<std::int64_t> elements_of(const gert::Shape& shape);

}  // namespace davsim::op_host
