// Operators of projects by their names.
#pragma once

#include <string>

#include "register/op_def.h"

namespace davsim::runtime {

/// Loads the library of an operator whose generated functions are in the process. Throws
/// ApiError(561112) if it is not found, ApiError(561003) for an operator that nobody knows.
void load_operator(const std::string& type);

/// Whether functions have a parameter for the attribute; see runtime/opbuild/aclnn_functions.cpp.
bool has_parameter(const ::ops::OpAttrDef& attribute);

}  // namespace davsim::runtime
