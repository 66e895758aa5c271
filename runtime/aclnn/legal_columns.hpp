// Which combination of types and formats of an operator a call is.
#pragma once

#include "runtime/aclnn/bound_call.hpp"

namespace davsim::runtime {

/// Sets the call's column, and gives scalars the column's types. Throws ApiError(161002) naming the
/// columns there are.
void choose_column(BoundCall& call);

}  // namespace davsim::runtime
