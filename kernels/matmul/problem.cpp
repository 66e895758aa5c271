#include "kernels/matmul/problem.hpp"

#include <algorithm>
#include <string>

#include "kernels/registry/attributes.hpp"

namespace davsim::operators::matmul {
namespace {

using isa::DType;

/// The possible sizes of a stored side of `size` elements. A part of its last `unit` may be
/// padding.
Range range_of(std::int64_t size, std::int64_t unit) {
  return {std::max<std::int64_t>(1, size - unit + 1), std::min(size, kMostExtent)};
}

/// The value of the attribute. The largest possible size if the attribute is not given.
std::int64_t chosen(const Call& call, std::string_view attribute, const Range& range) {
  const std::int64_t value = int_attribute(call, attribute);
  return value == 0 ? range.high : value;
}

}  // namespace

Range Range::operator&(const Range& other) const {
  return {std::max(low, other.low), std::min(high, other.high)};
}

std::int64_t fractal_width(DType type) {
  return 32 / static_cast<std::int64_t>(isa::dtype_bytes(type));
}

Factor factor_of(const Call& call, std::string_view name) {
  const std::string text(name);
  const Shape& shape = call.tensors.find(name)->second.shape();
  Factor factor;
  factor.transposed = bool_attribute(call, "transpose_" + text);
  factor.nz = string_attribute(call, text + "_format") == "NZ";
  factor.rows = factor.nz ? shape[1] * shape[2] : shape[0];
  factor.cols = factor.nz ? shape[0] * shape[3] : shape[1];
  return factor;
}

Extents extents_of(const Call& call) {
  const Factor a = factor_of(call, "a"), b = factor_of(call, "b");
  const std::int64_t width = fractal_width(call.tensors.at("a").dtype());
  const auto rows = [](const Factor& f) { return range_of(f.rows, f.nz ? kFractalRows : 1); };
  const auto cols = [&](const Factor& f) { return range_of(f.cols, f.nz ? width : 1); };
  Extents extents;
  extents.m = a.transposed ? cols(a) : rows(a);
  extents.k_of_a = a.transposed ? rows(a) : cols(a);
  extents.k_of_b = b.transposed ? cols(b) : rows(b);
  extents.n = b.transposed ? rows(b) : cols(b);
  return extents;
}

DType output_of(const Call& call) {
  const std::string name = string_attribute(call, "output_dtype");
  const DType input = call.tensors.at("a").dtype();
  if (name == "auto") return input == DType::kI8 ? DType::kI32 : input;
  for (const DType type : {DType::kF16, DType::kBF16, DType::kF32, DType::kI32}) {
    if (name == isa::dtype_name(type)) return type;
  }
  return DType::kNone;
}

Problem problem_of(const Call& call) {
  Extents extents = extents_of(call);
  Problem problem;
  problem.a = factor_of(call, "a");
  problem.b = factor_of(call, "b");
  problem.input = call.tensors.at("a").dtype();
  problem.output = output_of(call);
  const auto bias = call.tensors.find("bias");
  if (bias != call.tensors.end()) {
    problem.bias = bias->second.dtype();
    extents.n = extents.n & range_of(bias->second.shape()[0], 1);
  }
  problem.m = chosen(call, "m", extents.m);
  problem.n = chosen(call, "n", extents.n);
  problem.k = chosen(call, "k", extents.k());
  return problem;
}

}  // namespace davsim::operators::matmul
