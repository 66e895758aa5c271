// Types as measurements.csv names them, for the kernels that are operators of this project.
#pragma once

#include <string>

#include "isa/numeric/dtype.hpp"

namespace davsim::silicon {

/// "half", "bfloat16", "float" or "int8"; half for any other.
inline isa::DType type_named(const std::string& name) {
  if (name == "float") return isa::DType::kF32;
  if (name == "bfloat16") return isa::DType::kBF16;
  if (name == "int8") return isa::DType::kI8;
  return isa::DType::kF16;
}

}  // namespace davsim::silicon
