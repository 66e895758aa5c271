// Matmul computes what its page says, whatever the shape, the type and the layout.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "isa/numeric/half.hpp"
#include "tests/operators/matmul_call.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using isa::half;

// --- the documented cases
// --------------------------------------------------------------------------

class MatmulCase : public testing::TestWithParam<const char*> {};

TEST_P(MatmulCase, MatchesTheReference) {
  mm_run_and_compare(matmul().make_case(GetParam(), device().memory()));
}
INSTANTIATE_TEST_SUITE_P(Documented, MatmulCase,
                         testing::Values("MM-1", "MM-2", "MM-3", "MM-4", "MM-5", "MM-6", "MM-7",
                                         "MM-8", "MM-9", "MM-10", "MM-11", "MM-12", "MM-13",
                                         "MM-14", "MM-15", "MM-16", "MM-17"));
INSTANTIATE_TEST_SUITE_P(Slow, MatmulCase, testing::Values("MM-1024", "MM-4096"));

TEST(Matmul, DocumentedRefusalsComeWithTheirClass) {
  int refusals = 0;
  for (const operators::ExampleCase& example : matmul().cases()) {
    if (!example.refused) continue;
    ++refusals;
    const operators::Call call = matmul().make_case(example.id, device().memory());
    EXPECT_THROW(operators::run(matmul(), call, device()), operators::Refusal) << example.id;
    EXPECT_EQ(refusal_of(matmul(), call), example.refused) << example.id;
  }
  EXPECT_EQ(refusals, 10);
}

TEST(Matmul, CasesAreTheSameEveryTime) {
  const operators::Call a = matmul().make_case("MM-14", device().memory());
  const operators::Call b = matmul().make_case("MM-14", device().memory());
  for (const auto& [name, tensor] : a.tensors) {
    EXPECT_EQ(std::memcmp(tensor.data(), b.tensors.at(name).data(), tensor.bytes()), 0) << name;
  }
  EXPECT_EQ(a.attributes, b.attributes);
}

// --- shapes, types, layouts
// ------------------------------------------------------------------------

struct Types {
  DType input, bias;
  const char* output;
};
constexpr Types kTypes[] = {
    {DType::kF16, DType::kF32, "float16"},   {DType::kF16, DType::kF16, "float32"},
    {DType::kBF16, DType::kF32, "bfloat16"}, {DType::kBF16, DType::kF32, "float32"},
    {DType::kF32, DType::kF32, "float32"},   {DType::kI8, DType::kI32, "int32"},
};

TEST(Matmul, RandomShapesInEveryTypeAndLayout) {
  operators::SeededData random(device().memory(), 20260301);
  const auto flag = [&] { return random.integer(0, 1) == 1; };
  for (int trial = 0; trial < 120; ++trial) {
    const Types& types = kTypes[trial % std::size(kTypes)];
    MmSizes s;
    s.m = random.integer(1, trial % 5 == 0 ? 300 : 70);
    s.n = random.integer(1, trial % 7 == 0 ? 600 : 70);
    s.k = random.integer(1, trial % 3 == 0 ? 700 : 90);
    s.input = types.input;
    s.output = types.output;
    if (flag()) s.bias = types.bias;
    s.transpose_a = flag();
    s.transpose_b = flag();
    s.a_nz = flag();
    s.b_nz = flag();
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + to_string(s));
    mm_run_and_compare(mm_call(s, device().memory(), 1000 + static_cast<std::uint64_t>(trial)));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Matmul, EverySizeAroundAFractal) {
  for (const std::int64_t size : {1, 15, 16, 17, 31, 32, 33}) {
    for (const DType type : {DType::kF16, DType::kF32, DType::kI8}) {
      for (const bool transposed : {false, true}) {
        const MmSizes s = {.m = size,
                           .n = 48 - size,
                           .k = size + 2,
                           .input = type,
                           .transpose_a = transposed,
                           .transpose_b = !transposed};
        SCOPED_TRACE(to_string(s));
        mm_run_and_compare(mm_call(s, device().memory(), static_cast<std::uint64_t>(size)));
      }
    }
  }
}

TEST(Matmul, LongestK) {
  for (const DType type : {DType::kF16, DType::kI8}) {
    const MmSizes s = {.m = 3, .n = 20, .k = 16384, .input = type};
    SCOPED_TRACE(to_string(s));
    mm_run_and_compare(mm_call(s, device().memory(), 5));
  }
}

TEST(Matmul, LongestMAndN) {
  mm_run_and_compare(mm_call({.m = 16384, .n = 5, .k = 20}, device().memory(), 6));
  mm_run_and_compare(mm_call({.m = 5, .n = 16384, .k = 20}, device().memory(), 7));
  mm_run_and_compare(mm_call({.m = 5,
                              .n = 16384,
                              .k = 20,
                              .transpose_a = true,
                              .transpose_b = true,
                              .a_nz = true,
                              .b_nz = true},
                             device().memory(), 8));
}

// --- numbers
// ---------------------------------------------------------------------------------------

/// What pads NZ tensors must not matter, not even if it is NaN.
TEST(Matmul, PaddingIsNotLookedAt) {
  for (const bool transposed : {false, true}) {
    const MmSizes s = {.m = 19,
                       .n = 21,
                       .k = 35,
                       .transpose_a = transposed,
                       .transpose_b = transposed,
                       .a_nz = true,
                       .b_nz = true};
    operators::Call call = mm_call(s, device().memory(), 9);
    const auto spoil = [](const operators::Tensor& tensor, std::int64_t rows, std::int64_t cols) {
      const operators::Shape& shape = tensor.shape();
      for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        const std::int64_t col = i / (shape[1] * 256) * 16 + i % 16;
        const std::int64_t row = i / 16 % (shape[1] * 16);
        if (row >= rows || col >= cols) {
          tensor.as<half>()[i] = half(std::numeric_limits<float>::quiet_NaN());
        }
      }
    };
    spoil(call.tensors.at("a"), transposed ? s.k : s.m, transposed ? s.m : s.k);
    spoil(call.tensors.at("b"), transposed ? s.n : s.k, transposed ? s.k : s.n);
    mm_run_and_compare(call);
  }
}

TEST(Matmul, OverflowBecomesInfinityOnlyWhereItHappens) {
  operators::Call call = mm_call({.m = 2, .n = 3, .k = 64}, device().memory(), 10);
  half* a = call.tensors.at("a").as<half>();
  half* b = call.tensors.at("b").as<half>();
  for (int k = 0; k < 64; ++k) {
    a[k] = half(100.0f);  // row 0
    b[k * 3] = half(100.0f);
    b[k * 3 + 1] = half(-100.0f);
  }
  const operators::RunResult result = mm_run_and_compare(call);
  const half* c = result.outputs.at("c").as<half>();
  EXPECT_EQ(static_cast<float>(c[0]), INFINITY);
  EXPECT_EQ(static_cast<float>(c[1]), -INFINITY);
  EXPECT_TRUE(std::isfinite(static_cast<float>(c[3])));
}

/// 1 + 2^-11 * 2^-1, a thousand times: the sum needs float32, then comes one rounding.
TEST(Matmul, SumsAreKeptInFloat32) {
  operators::Call call = mm_call({.m = 1, .n = 1, .k = 1025}, device().memory(), 11);
  half* a = call.tensors.at("a").as<half>();
  half* b = call.tensors.at("b").as<half>();
  a[0] = b[0] = half(1.0f);
  for (int k = 1; k <= 1024; ++k) a[k] = half(std::ldexp(1.0f, -11)), b[k] = half(0.5f);
  const auto result = operators::run(matmul(), call, device());
  EXPECT_EQ(static_cast<float>(result.outputs.at("c").as<half>()[0]), 1.25f);
}

TEST(Matmul, Int8SumsAreExact) {
  MmSizes s = {.m = 2, .n = 2, .k = 16384, .input = DType::kI8, .bias = DType::kI32};
  operators::Call call = mm_call(s, device().memory(), 12);
  std::memset(call.tensors.at("a").data(), 0x80, call.tensors.at("a").bytes());
  std::memset(call.tensors.at("b").data(), 0x80, call.tensors.at("b").bytes());
  call.tensors.at("bias").as<std::int32_t>()[0] = 7;
  const auto result = operators::run(matmul(), call, device());
  EXPECT_EQ(result.outputs.at("c").as<std::int32_t>()[0], 128 * 128 * 16384 + 7);
}

// --- the shapes that calls leave open
// -------------------------------------------------------------------

TEST(Matmul, SizesOfNzTensorsComeFromTheOthers) {
  MmSizes s = {.m = 20, .n = 30, .k = 40, .a_nz = true};
  operators::Call call = mm_call(s, device().memory(), 13);
  call.attributes.erase("m");
  EXPECT_EQ(operators::run(matmul(), call, device()).outputs.at("c").shape(),
            (operators::Shape{32, 30}));
  s.b_nz = true;
  s.bias = DType::kF32;
  call = mm_call(s, device().memory(), 14);
  call.attributes.erase("n");
  EXPECT_EQ(operators::run(matmul(), call, device()).outputs.at("c").shape(),
            (operators::Shape{20, 30}));
}

}  // namespace
}  // namespace davsim::test
