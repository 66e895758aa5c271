// Tensors that are given by type and shape alone, for runs in which only the times matter.
#pragma once

#include <string>

#include "kernels/registry/tensor.hpp"

namespace davsim::cli {

/// "a=float16[1024,512]", or "lengths=int64[4]:128" for one value everywhere.
struct ShapedTensor {
  std::string name;
  isa::DType dtype = isa::DType::kNone;
  operators::Shape shape;
  std::string value;  ///< a number; empty: reals in [-1, 1), int8 in [-128, 127], other types 0
};

/// Throws UsageError.
ShapedTensor shaped_tensor(const std::string& text);
/// Tensors of equal names get equal data. Throws std::bad_alloc when global
/// memory is full.
operators::Tensor make_tensor(const ShapedTensor& spec, memory::GlobalMemory& memory);

}  // namespace davsim::cli
