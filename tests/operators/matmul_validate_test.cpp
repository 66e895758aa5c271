// One call per rule of matmul that breaks just this rule.
#include <gtest/gtest.h>

#include "tests/operators/matmul_call.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using operators::ErrorClass;

operators::Call legal(const MmSizes& sizes = {.m = 20, .n = 40, .k = 50}) {
  return mm_call(sizes, device().memory(), 3);
}

void replace(operators::Call& call, const char* name, DType dtype, operators::Shape shape) {
  call.tensors.insert_or_assign(
      name, operators::Tensor(device().memory(), dtype, std::move(shape), name));
}

std::optional<ErrorClass> refusal(const operators::Call& call) {
  return refusal_of(matmul(), call);
}

TEST(MatmulCheck, TheCallThatTheOthersBreakIsLegalOnEveryProduct) {
  for (const char* soc : {"Ascend910B1", "Ascend910B4", "Ascend910_9391", "Ascend910_9362"}) {
    EXPECT_EQ(refusal_of(matmul(), legal(), soc), std::nullopt) << soc;
  }
}

TEST(MatmulCheck, FactorsAreRequired) {
  for (const char* name : {"a", "b"}) {
    operators::Call call = legal();
    call.tensors.erase(name);
    EXPECT_EQ(refusal(call), ErrorClass::kNull) << name;
  }
}

TEST(MatmulCheck, Dtypes) {
  for (const DType type : {DType::kI32, DType::kU8, DType::kI64}) {
    operators::Call call = legal();
    replace(call, "a", type, {20, 50});
    replace(call, "b", type, {50, 40});
    EXPECT_EQ(refusal(call), ErrorClass::kDtype) << isa::dtype_name(type);
  }
  operators::Call call = legal();
  replace(call, "b", DType::kF32, {50, 40});
  EXPECT_EQ(refusal(call), ErrorClass::kDtype);
}

TEST(MatmulCheck, DtypeOfTheBias) {
  const auto with_bias = [](DType input, DType bias) {
    return refusal(legal({.m = 20, .n = 40, .k = 50, .input = input, .bias = bias}));
  };
  for (const DType input : {DType::kF16, DType::kBF16, DType::kF32}) {
    EXPECT_EQ(with_bias(input, DType::kF32), std::nullopt);
    EXPECT_EQ(with_bias(input, DType::kI32), ErrorClass::kDtype);
  }
  EXPECT_EQ(with_bias(DType::kF16, DType::kF16), std::nullopt);
  EXPECT_EQ(with_bias(DType::kBF16, DType::kF16), ErrorClass::kDtype);
  EXPECT_EQ(with_bias(DType::kI8, DType::kI32), std::nullopt);
  EXPECT_EQ(with_bias(DType::kI8, DType::kF32), ErrorClass::kDtype);
}

TEST(MatmulCheck, Formats) {
  for (const char* name : {"a_format", "b_format"}) {
    operators::Call call = legal();
    call.attributes[name] = "FRACTAL_NZ";
    EXPECT_EQ(refusal(call), ErrorClass::kFormat) << name;
  }
}

TEST(MatmulCheck, Ranks) {
  for (const char* name : {"a", "b"}) {
    operators::Call call = legal();
    replace(call, name, DType::kF16, {1, 50, 50});
    EXPECT_EQ(refusal(call), ErrorClass::kRank) << name;
    call = legal();
    call.attributes[std::string(name) + "_format"] = "NZ";
    EXPECT_EQ(refusal(call), ErrorClass::kRank) << name;
  }
  operators::Call call = legal();
  replace(call, "bias", DType::kF32, {1, 40});
  EXPECT_EQ(refusal(call), ErrorClass::kRank);
}

TEST(MatmulCheck, Shapes) {
  const auto with = [](const char* name, operators::Shape shape) {
    operators::Call call = legal();
    replace(call, name, name == std::string("bias") ? DType::kF32 : DType::kF16, std::move(shape));
    return refusal(call);
  };
  EXPECT_EQ(with("a", {20, 51}), ErrorClass::kShape);
  EXPECT_EQ(with("a", {0, 50}), ErrorClass::kShape);
  EXPECT_EQ(with("b", {50, 0}), ErrorClass::kShape);
  EXPECT_EQ(with("a", {16384, 50}), std::nullopt);
  EXPECT_EQ(with("a", {16385, 50}), ErrorClass::kShape);
  EXPECT_EQ(with("b", {50, 16385}), ErrorClass::kShape);
  EXPECT_EQ(with("bias", {40}), std::nullopt);
  EXPECT_EQ(with("bias", {39}), ErrorClass::kShape);
  EXPECT_EQ(with("bias", {0}), ErrorClass::kShape);
}

TEST(MatmulCheck, TransposingSwapsTheSides) {
  operators::Call call = legal();
  call.attributes["transpose_a"] = true;
  EXPECT_EQ(refusal(call), ErrorClass::kShape);
  replace(call, "a", DType::kF16, {50, 20});
  EXPECT_EQ(refusal(call), std::nullopt);
}

TEST(MatmulCheck, FractalsOfNz) {
  const auto with_a = [](DType type, operators::Shape shape) {
    operators::Call call = legal({.m = 20, .n = 40, .k = 50, .input = type, .a_nz = true});
    replace(call, "a", type, std::move(shape));
    return refusal(call);
  };
  EXPECT_EQ(with_a(DType::kF16, {4, 2, 16, 16}), std::nullopt);
  EXPECT_EQ(with_a(DType::kF16, {4, 2, 16, 32}), ErrorClass::kShape);
  EXPECT_EQ(with_a(DType::kF16, {4, 2, 8, 16}), ErrorClass::kShape);
  EXPECT_EQ(with_a(DType::kF16, {3, 2, 16, 16}), ErrorClass::kShape);  // K is at most 48
  EXPECT_EQ(with_a(DType::kF16, {5, 2, 16, 16}), ErrorClass::kShape);  // K is at least 65
  EXPECT_EQ(with_a(DType::kF16, {4, 1025, 16, 16}), ErrorClass::kShape);
  EXPECT_EQ(with_a(DType::kI8, {2, 2, 16, 32}), std::nullopt);
  EXPECT_EQ(with_a(DType::kF32, {7, 2, 16, 8}), std::nullopt);
}

TEST(MatmulCheck, SizesMustBePossible) {
  const auto with = [](const MmSizes& sizes, const char* name, std::int64_t value) {
    operators::Call call = legal(sizes);
    call.attributes[name] = value;
    return refusal(call);
  };
  const MmSizes nd = {.m = 20, .n = 40, .k = 50};
  EXPECT_EQ(with(nd, "m", 20), std::nullopt);
  EXPECT_EQ(with(nd, "m", 21), ErrorClass::kAttr);
  EXPECT_EQ(with(nd, "n", 39), ErrorClass::kAttr);
  EXPECT_EQ(with(nd, "k", 49), ErrorClass::kAttr);
  EXPECT_EQ(with(nd, "k", -1), ErrorClass::kAttr);
  const MmSizes nz = {.m = 20, .n = 40, .k = 50, .a_nz = true, .b_nz = true};
  for (const std::int64_t m : {17, 32}) EXPECT_EQ(with(nz, "m", m), std::nullopt) << m;
  for (const std::int64_t m : {16, 33}) EXPECT_EQ(with(nz, "m", m), ErrorClass::kAttr) << m;
  for (const std::int64_t n : {33, 48}) EXPECT_EQ(with(nz, "n", n), std::nullopt) << n;
  for (const std::int64_t n : {32, 49}) EXPECT_EQ(with(nz, "n", n), ErrorClass::kAttr) << n;
  for (const std::int64_t k : {49, 64}) EXPECT_EQ(with(nz, "k", k), std::nullopt) << k;
  for (const std::int64_t k : {48, 65}) EXPECT_EQ(with(nz, "k", k), ErrorClass::kAttr) << k;
}

TEST(MatmulCheck, OutputTypes) {
  const auto with = [](DType input, const char* output) {
    operators::Call call = legal({.m = 20, .n = 40, .k = 50, .input = input});
    call.attributes["output_dtype"] = output;
    return refusal(call);
  };
  EXPECT_EQ(with(DType::kF16, "float16"), std::nullopt);
  EXPECT_EQ(with(DType::kF16, "float32"), std::nullopt);
  EXPECT_EQ(with(DType::kF16, "bfloat16"), ErrorClass::kAttr);
  EXPECT_EQ(with(DType::kBF16, "bfloat16"), std::nullopt);
  EXPECT_EQ(with(DType::kBF16, "float32"), std::nullopt);
  EXPECT_EQ(with(DType::kBF16, "float16"), ErrorClass::kAttr);
  EXPECT_EQ(with(DType::kF32, "float32"), std::nullopt);
  EXPECT_EQ(with(DType::kF32, "float16"), ErrorClass::kAttr);
  EXPECT_EQ(with(DType::kI8, "int32"), std::nullopt);
  EXPECT_EQ(with(DType::kI8, "float16"), ErrorClass::kAttr);
  EXPECT_EQ(with(DType::kF16, "half"), ErrorClass::kAttr);
}

TEST(MatmulCheck, UnknownNamesAndIllTypedAttributes) {
  operators::Call call = legal();
  call.attributes["transposed"] = true;
  EXPECT_EQ(refusal(call), ErrorClass::kAttr);
  call = legal();
  call.attributes["transpose_a"] = 1;
  EXPECT_EQ(refusal(call), ErrorClass::kAttr);
  call = legal();
  replace(call, "c", DType::kF16, {20, 40});
  EXPECT_EQ(refusal(call), ErrorClass::kAttr);
}

/// The earlier rule in the documented order speaks.
TEST(MatmulCheck, Order) {
  operators::Call call = legal();
  call.attributes["output_dtype"] = "int32";
  replace(call, "a", DType::kF16, {20, 51});
  EXPECT_EQ(refusal(call), ErrorClass::kShape);
  replace(call, "a", DType::kF16, {20, 51, 1});
  EXPECT_EQ(refusal(call), ErrorClass::kRank);
  call.attributes["b_format"] = "";
  EXPECT_EQ(refusal(call), ErrorClass::kFormat);
  replace(call, "b", DType::kI8, {20});
  EXPECT_EQ(refusal(call), ErrorClass::kDtype);
}

}  // namespace
}  // namespace davsim::test
