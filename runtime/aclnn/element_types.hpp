// Data types of AscendCL and those of davsim's operators.
#pragma once

#include "acl/acl_base.h"
#include "isa/numeric/dtype.hpp"

namespace davsim::runtime {

/// kNone for a type that operators do not have.
isa::DType element_type(aclDataType type);
/// ACL_DT_UNDEFINED for a type that AscendCL does not have.
aclDataType acl_type(isa::DType dtype);

}  // namespace davsim::runtime
