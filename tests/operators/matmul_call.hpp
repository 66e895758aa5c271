// Builds calls of matmul of any size, type and layout for its tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kernels/common/seeded_data.hpp"
#include "reference/reference.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {

struct MmSizes {
  std::int64_t m = 1, n = 1, k = 1;
  isa::DType input = isa::DType::kF16;
  isa::DType bias = isa::DType::kNone;
  bool transpose_a = false, transpose_b = false;
  bool a_nz = false, b_nz = false;
  std::string output = "auto";
};

inline const operators::Operator& matmul() {
  return operators::find_operator("matmul");
}

inline std::string to_string(const MmSizes& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k) + " " +
         std::string(isa::dtype_name(s.input)) + (s.transpose_a ? " A^T" : " A") +
         (s.a_nz ? " NZ" : "") + (s.transpose_b ? " B^T" : " B") + (s.b_nz ? " NZ" : "") +
         (s.bias != isa::DType::kNone ? " bias " + std::string(isa::dtype_name(s.bias)) : "") +
         " to " + s.output;
}

inline operators::Shape mm_shape(std::int64_t rows, std::int64_t cols, bool transposed, bool nz,
                                 isa::DType type) {
  if (transposed) std::swap(rows, cols);
  if (!nz) return {rows, cols};
  const auto c0 = static_cast<std::int64_t>(32 / isa::dtype_bytes(type));
  return {(cols + c0 - 1) / c0, (rows + 15) / 16, 16, c0};
}

/// A legal call with random data, in the padding of NZ tensors too.
inline operators::Call mm_call(const MmSizes& s, memory::GlobalMemory& memory, std::uint64_t seed) {
  using isa::DType;
  operators::SeededData data(memory, seed);
  const auto numbers = [&](DType type, operators::Shape shape, const char* name) {
    if (type == DType::kI8) return data.integers(type, std::move(shape), name, -128, 127);
    if (type == DType::kI32) return data.integers(type, std::move(shape), name, -5000, 5000);
    return data.reals(type, std::move(shape), name);
  };
  operators::Call call;
  call.tensors.emplace("a",
                       numbers(s.input, mm_shape(s.m, s.k, s.transpose_a, s.a_nz, s.input), "a"));
  call.tensors.emplace("b",
                       numbers(s.input, mm_shape(s.k, s.n, s.transpose_b, s.b_nz, s.input), "b"));
  if (s.bias != DType::kNone) call.tensors.emplace("bias", numbers(s.bias, {s.n}, "bias"));
  call.attributes["transpose_a"] = s.transpose_a;
  call.attributes["transpose_b"] = s.transpose_b;
  if (s.a_nz) call.attributes["a_format"] = "NZ";
  if (s.b_nz) call.attributes["b_format"] = "NZ";
  call.attributes["output_dtype"] = s.output;
  // Only padded tensors leave a size open.
  if (s.a_nz) call.attributes["m"] = s.m;
  if (s.b_nz) call.attributes["n"] = s.n;
  if (s.a_nz && s.b_nz) call.attributes["k"] = s.k;
  return call;
}

inline void expect_reference(const operators::Call& call, const operators::TensorMap& outputs) {
  const operators::Call good = operators::validated(matmul(), call, device().soc());
  const auto comparisons = reference::find_reference("matmul")->compare_results(good, {}, outputs);
  EXPECT_TRUE(reference::passed(comparisons));
  for (const auto& comparison : comparisons) {
    EXPECT_TRUE(comparison.passed) << reference::to_string(comparison);
  }
}

/// Runs the call and compares c with the reference.
inline operators::RunResult mm_run_and_compare(const operators::Call& call) {
  operators::RunResult result = operators::run(matmul(), call, device());
  expect_reference(call, result.outputs);
  return result;
}

}  // namespace davsim::test
