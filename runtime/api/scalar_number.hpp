// Values of the interface's data types as numbers.
#pragma once

#include <cstddef>

#include "acl/acl_base.h"

namespace davsim::runtime {

/// The value at `bytes` as a number; of a complex one the real part.
double number_of(aclDataType type, const std::byte* bytes);

}  // namespace davsim::runtime
