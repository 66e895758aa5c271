// The rules of Matmul, in the order of its page.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/common/require.hpp"
#include "kernels/matmul/problem.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::matmul {
namespace {

using isa::DType;

bool has_bias(const Call& call) {
  return has_tensor(call, "bias");
}

void validate_dtypes(const Call& call) {
  const DType a = tensor_of(call, "a").dtype(), b = tensor_of(call, "b").dtype();
  require(a == b, ErrorClass::kDtype, "a and b have the same dtype",
          "a is " + std::string(isa::dtype_name(a)) + ", b is " + std::string(isa::dtype_name(b)));
  if (!has_bias(call)) return;
  const DType bias = tensor_of(call, "bias").dtype();
  const bool legal = a == DType::kI8    ? bias == DType::kI32
                     : a == DType::kF16 ? bias == DType::kF32 || bias == DType::kF16
                                        : bias == DType::kF32;
  require(legal, ErrorClass::kDtype,
          "bias is int32 for int8 factors, float32 for floating ones, or float16 for float16 ones",
          "a is " + std::string(isa::dtype_name(a)) + ", bias is " +
              std::string(isa::dtype_name(bias)));
}

void validate_formats(const Call& call) {
  for (const char* name : {"a_format", "b_format"}) {
    const std::string format = string_attribute(call, name);
    require(format == "ND" || format == "NZ", ErrorClass::kFormat,
            std::string(name) + " is \"ND\" or \"NZ\"", "found \"" + format + "\"");
  }
}

void validate_ranks(const Call& call) {
  for (const char* name : {"a", "b"}) {
    const bool nz = string_attribute(call, std::string(name) + "_format") == "NZ";
    require_rank(call, name, {nz ? std::size_t{4} : std::size_t{2}});
  }
  if (has_bias(call)) require_rank(call, "bias", {1});
}

/// The rules for the sizes of one factor.
void validate_factor(const Call& call, const char* name) {
  require_not_empty(call, name);
  const Tensor& tensor = tensor_of(call, name);
  const Shape& shape = tensor.shape();
  const std::int64_t width = fractal_width(tensor.dtype());
  if (string_attribute(call, std::string(name) + "_format") == "NZ") {
    require(shape[2] == kFractalRows && shape[3] == width, ErrorClass::kShape,
            "the last two dimensions of " + std::string(name) +
                " in NZ are a fractal, 16 and 32 bytes: [.., .., 16, " + std::to_string(width) +
                "]",
            "found " + to_string(shape));
  }
  // The sizes are limited in fractals first, because their product could overflow.
  for (const std::int64_t size : {shape[0], shape[1]}) {
    require(size <= kMostExtent, ErrorClass::kShape, "M, N and K are at most 16384",
            std::string(name) + " is " + to_string(shape));
  }
  const Factor factor = factor_of(call, name);
  require(std::max(factor.rows, factor.cols) <= kMostExtent, ErrorClass::kShape,
          "M, N and K are at most 16384", std::string(name) + " is " + to_string(shape));
}

std::string to_string(const Range& range) {
  if (range.low == range.high) return std::to_string(range.low);
  return std::to_string(range.low) + " to " + std::to_string(range.high);
}

void validate_shapes(const Call& call) {
  validate_factor(call, "a");
  validate_factor(call, "b");
  const Extents extents = extents_of(call);
  require(!extents.k().empty(), ErrorClass::kShape, "a and b have the same K",
          "K of a is " + to_string(extents.k_of_a) + ", K of b is " + to_string(extents.k_of_b));
  if (!has_bias(call)) return;
  const Shape& bias = tensor_of(call, "bias").shape();
  require(extents.n.holds(bias[0]), ErrorClass::kShape, "the shape of bias is [N]",
          "N of b is " + to_string(extents.n) + ", bias is " + operators::to_string(bias));
}

void validate_sizes(const Call& call) {
  Extents extents = extents_of(call);
  if (has_bias(call)) {
    const std::int64_t n = tensor_of(call, "bias").shape()[0];
    extents.n = extents.n & Range{n, n};
  }
  const std::pair<const char*, Range> sizes[] = {
      {"m", extents.m}, {"n", extents.n}, {"k", extents.k()}};
  for (const auto& [name, range] : sizes) {
    const std::int64_t value = int_attribute(call, name);
    require(value == 0 || range.holds(value), ErrorClass::kAttr,
            std::string(name) + " is 0 or a size that the shapes of the tensors leave possible",
            "found " + std::to_string(value) + ", possible is " + to_string(range));
  }
}

void validate_output(const Call& call) {
  const DType input = tensor_of(call, "a").dtype(), output = output_of(call);
  const bool legal =
      input == DType::kI8 ? output == DType::kI32 : output == input || output == DType::kF32;
  require(legal, ErrorClass::kAttr,
          "output_dtype is \"auto\", that of the factors, \"float32\" for floating ones, or "
          "\"int32\" for int8",
          "found \"" + string_attribute(call, "output_dtype") + "\", a is " +
              std::string(isa::dtype_name(input)));
}

}  // namespace

void validate(const Call& call) {
  validate_dtypes(call);
  validate_formats(call);
  validate_ranks(call);
  validate_shapes(call);
  validate_sizes(call);
  validate_output(call);
}

}  // namespace davsim::operators::matmul
