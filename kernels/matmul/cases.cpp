// The documented examples of the operator: sizes in a table, data seeded by the row.
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/common/case_table.hpp"
#include "kernels/matmul/problem.hpp"

namespace davsim::operators::matmul {
namespace {

using isa::DType;

struct Sizes {
  std::int64_t m, n, k;
  DType input = DType::kF16;
  bool transpose_a = false, transpose_b = false;
  bool a_nz = false, b_nz = false;
  DType bias = DType::kNone;
};

using Row = CaseRow<Sizes>;

/// The shape of the tensor of a factor of `rows` x `cols` elements, before it is transposed.
Shape stored_shape(std::int64_t rows, std::int64_t cols, bool transposed, bool nz, DType type) {
  if (transposed) std::swap(rows, cols);
  if (!nz) return {rows, cols};
  const std::int64_t width = fractal_width(type);
  return {(cols + width - 1) / width, (rows + kFractalRows - 1) / kFractalRows, kFractalRows,
          width};
}

Tensor numbers(SeededData& data, DType type, Shape shape, const char* name) {
  if (type == DType::kI8) return data.integers(type, std::move(shape), name, -128, 127);
  if (type == DType::kI32) return data.integers(type, std::move(shape), name, -100000, 100000);
  return data.reals(type, std::move(shape), name);
}

/// The padding of NZ tensors is random as well, because no result may depend on it.
Call plain_call(SeededData& data, const Sizes& s) {
  Call call;
  call.tensors.emplace(
      "a", numbers(data, s.input, stored_shape(s.m, s.k, s.transpose_a, s.a_nz, s.input), "a"));
  call.tensors.emplace(
      "b", numbers(data, s.input, stored_shape(s.k, s.n, s.transpose_b, s.b_nz, s.input), "b"));
  if (s.bias != DType::kNone) {
    call.tensors.emplace("bias", numbers(data, s.bias, {s.n}, "bias"));
  }
  call.attributes["transpose_a"] = s.transpose_a;
  call.attributes["transpose_b"] = s.transpose_b;
  call.attributes["a_format"] = s.a_nz ? "NZ" : "ND";
  call.attributes["b_format"] = s.b_nz ? "NZ" : "ND";
  call.attributes["m"] = s.m;
  call.attributes["n"] = s.n;
  call.attributes["k"] = s.k;
  return call;
}

void replace(Call& call, SeededData& data, const char* name, DType type, Shape shape) {
  call.tensors.insert_or_assign(name, numbers(data, type, std::move(shape), name));
}

void to_float32(Call& call, SeededData&) {
  call.attributes["output_dtype"] = "float32";
}

std::vector<Row> good_rows() {
  constexpr DType kBf = DType::kBF16, kF = DType::kF32, kI = DType::kI8;
  return {
      {runs("MM-1", "one tile"), {.m = 32, .n = 48, .k = 64}, {}},
      {runs("MM-2", "one number"), {.m = 1, .n = 1, .k = 1}, {}},
      {runs("MM-3", "tails everywhere"), {.m = 17, .n = 33, .k = 65}, {}},
      {runs("MM-4", "tails in a larger product"), {.m = 1000, .n = 999, .k = 777}, {}},
      {runs("MM-5", "a transposed"), {.m = 150, .n = 270, .k = 200, .transpose_a = true}, {}},
      {runs("MM-6", "b transposed"), {.m = 150, .n = 270, .k = 200, .transpose_b = true}, {}},
      {runs("MM-7", "both transposed"),
       {.m = 150, .n = 270, .k = 200, .transpose_a = true, .transpose_b = true},
       {}},
      {runs("MM-8", "a in NZ, padded"), {.m = 150, .n = 270, .k = 200, .a_nz = true}, {}},
      {runs("MM-9", "b in NZ, transposed and padded"),
       {.m = 150, .n = 270, .k = 200, .transpose_b = true, .b_nz = true},
       {}},
      {runs("MM-10", "both in NZ, a transposed"),
       {.m = 160, .n = 256, .k = 192, .transpose_a = true, .a_nz = true, .b_nz = true},
       {}},
      {runs("MM-11", "bfloat16"), {.m = 130, .n = 250, .k = 300, .input = kBf}, {}},
      {runs("MM-12", "bfloat16 to float32 with a bias"),
       {.m = 130, .n = 250, .k = 300, .input = kBf, .bias = kF},
       to_float32},
      {runs("MM-13", "float32 with a bias, a transposed"),
       {.m = 130, .n = 250, .k = 300, .input = kF, .transpose_a = true, .bias = kF},
       {}},
      {runs("MM-14", "int8 with a bias"),
       {.m = 130, .n = 250, .k = 300, .input = kI, .bias = DType::kI32},
       {}},
      {runs("MM-15", "int8, both transposed, b in NZ"),
       {.m = 130,
        .n = 250,
        .k = 300,
        .input = kI,
        .transpose_a = true,
        .transpose_b = true,
        .b_nz = true},
       {}},
      {runs("MM-16", "float16 to float32 with a float16 bias"),
       {.m = 130, .n = 250, .k = 300, .bias = DType::kF16},
       to_float32},
      {runs("MM-17", "a vector times a matrix"), {.m = 1, .n = 4096, .k = 4096}, {}},
      {runs("MM-1024", "1024 cubed"), {.m = 1024, .n = 1024, .k = 1024}, {}},
      {runs("MM-4096", "4096 cubed"), {.m = 4096, .n = 4096, .k = 4096}, {}},
      {runs("MM-8192", "8192 cubed"), {.m = 8192, .n = 8192, .k = 8192}, {}},
  };
}

std::vector<Row> refused_rows() {
  using E = ErrorClass;
  const Sizes small = {.m = 32, .n = 48, .k = 64};
  return {
      {refuses("MM-N1", "b is missing", E::kNull), small,
       [](Call& call, SeededData&) { call.tensors.erase("b"); }},
      {refuses("MM-N2", "a is float16, b bfloat16", E::kDtype), small,
       [](Call& call, SeededData& data) {
         replace(call, data, "b", DType::kBF16, {64, 48});
       }},
      {refuses("MM-N3", "an int32 bias beside float16 factors", E::kDtype), small,
       [](Call& call, SeededData& data) { replace(call, data, "bias", DType::kI32, {48}); }},
      {refuses("MM-N4", "a_format is NCHW", E::kFormat), small,
       [](Call& call, SeededData&) { call.attributes["a_format"] = "NCHW"; }},
      {refuses("MM-N5", "b_format is NZ, b has two dimensions", E::kRank), small,
       [](Call& call, SeededData&) { call.attributes["b_format"] = "NZ"; }},
      {refuses("MM-N6", "K is 64 of a and 80 of b", E::kShape), small,
       [](Call& call, SeededData& data) {
         replace(call, data, "b", DType::kF16, {80, 48});
       }},
      {refuses("MM-N7", "a bias of 47 for N 48", E::kShape), small,
       [](Call& call, SeededData& data) { replace(call, data, "bias", DType::kF32, {47}); }},
      {refuses("MM-N8", "M is 16385", E::kShape), small,
       [](Call& call, SeededData& data) {
         replace(call, data, "a", DType::kF16, {16385, 64});
       }},
      {refuses("MM-N9", "attribute m is 33, a has 32 rows", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["m"] = 33; }},
      {refuses("MM-N10", "float16 factors, int32 wanted", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["output_dtype"] = "int32"; }},
  };
}

const CaseTable<Sizes>& table() {
  static const CaseTable<Sizes> all("matmul", 0x4d4d0000u, plain_call,
                                    {good_rows(), refused_rows()});
  return all;
}

}  // namespace

std::vector<ExampleCase> cases() {
  return table().examples();
}

Call make_case(std::string_view id, memory::GlobalMemory& memory) {
  return table().make(id, memory);
}

}  // namespace davsim::operators::matmul
