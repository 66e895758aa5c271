// Elements of tensors as the host writes them.
#pragma once

#include <cstddef>

#include "graph/types.h"

namespace davsim::op_host {

/// Writes `value` to `count` elements of the type at `data`; elements of less than a byte fill
/// whole bytes. False for a type that has no numbers.
bool fill_elements(void* data, std::size_t count, ge::DataType type, double value);

}  // namespace davsim::op_host
