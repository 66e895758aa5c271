// The macros that a kernel's source finds in the compilation of one column of its operator.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "runtime/op_host/definition.hpp"

namespace davsim::opbuild {

/// Names and values by name: DTYPE_X, ORIG_DTYPE_X and FORMAT_X for a parameter x. Throws
/// std::invalid_argument for a type that kernels cannot name.
std::map<std::string, std::string> column_macros(const op_host::Definition& definition,
                                                 std::size_t column);

/// A type as a kernel writes it: "half"; null for a type that kernels do not have.
const char* kernel_type(ge::DataType type);

/// What DT_FLOAT16, FORMAT_ND and the others are in a kernel's conditions: numbers, one line each.
std::string constant_macros();

/// True for a column with a type that davsim's kernels do not have, such as complex numbers.
bool has_foreign_type(const op_host::Definition& definition, std::size_t column);

}  // namespace davsim::opbuild
