// The host building blocks that operators share: checks, seeded data, tables of cases.
#include <gtest/gtest.h>

#include "kernels/common/case_table.hpp"
#include "kernels/common/require.hpp"
#include "kernels/common/seeded_data.hpp"

namespace davsim::operators {
namespace {

/// Class of the refusal that `check` throws; fails the test if it throws none.
template <class Check>
ErrorClass refusal(Check check, std::string* message = nullptr) {
  try {
    check();
  } catch (const Refusal& refusal) {
    if (message != nullptr) *message = refusal.what();
    return refusal.cls;
  }
  ADD_FAILURE() << "nothing was refused";
  return ErrorClass::kNull;
}

class CommonChecks : public testing::Test {
 protected:
  void add(const char* name, Shape shape) {
    call_.tensors.emplace(name, Tensor(memory_, isa::DType::kF16, std::move(shape), name));
  }
  memory::GlobalMemory memory_{std::uint64_t{1} << 20};
  Call call_;
};

TEST_F(CommonChecks, MissingTensor) {
  EXPECT_EQ(refusal([&] { tensor_of(call_, "x"); }), ErrorClass::kNull);
}

TEST_F(CommonChecks, Rank) {
  add("x", {2, 3});
  require_rank(call_, "x", {2});
  require_rank(call_, "x", {1, 2});
  std::string message;
  EXPECT_EQ(refusal([&] { require_rank(call_, "x", {1, 3}); }, &message), ErrorClass::kRank);
  EXPECT_EQ(message, "the rank of x is 1 or 3; its shape is [2, 3]");
}

TEST_F(CommonChecks, Shape) {
  add("x", {2, 3});
  add("empty", {2, 0});
  require_shape(call_, "x", {2, 3}, "[A, B]");
  EXPECT_EQ(refusal([&] { require_shape(call_, "x", {3, 2}, "[B, A]"); }), ErrorClass::kShape);
  require_not_empty(call_, "x");
  EXPECT_EQ(refusal([&] { require_not_empty(call_, "empty"); }), ErrorClass::kShape);
}

TEST(CommonSeededData, IsTheSameOnEveryHost) {
  memory::GlobalMemory memory{std::uint64_t{1} << 20};
  SeededData data(memory, 1);
  // The standard fixes the sequence of mt19937_64: 2469588189546311528 comes first for seed 1.
  EXPECT_DOUBLE_EQ(data.uniform(0, 1), static_cast<double>(2469588189546311528u >> 11) * 0x1p-53);
  for (int i = 0; i < 1000; ++i) {
    const double real = data.uniform(-2, 3);
    EXPECT_GE(real, -2);
    EXPECT_LT(real, 3);
    const std::int64_t whole = data.integer(-2, 3);
    EXPECT_GE(whole, -2);
    EXPECT_LE(whole, 3);
  }
}

TEST(CommonSeededData, FillsEveryType) {
  memory::GlobalMemory memory{std::uint64_t{1} << 20};
  SeededData data(memory, 2);
  for (const isa::DType dtype : {isa::DType::kF16, isa::DType::kBF16, isa::DType::kF32}) {
    const Tensor tensor = data.reals(dtype, {64}, "x", 1, 2);
    for (std::uint64_t i = 0; i < tensor.bytes(); i += isa::dtype_bytes(dtype)) {
      EXPECT_NE(tensor.data()[i + isa::dtype_bytes(dtype) - 1], std::byte{0});
    }
  }
  for (const isa::DType dtype : {isa::DType::kI8, isa::DType::kI32, isa::DType::kI64}) {
    const Tensor tensor = data.integers(dtype, {64}, "x", 5, 5);
    for (std::uint64_t i = 0; i < tensor.bytes(); i += isa::dtype_bytes(dtype)) {
      EXPECT_EQ(tensor.data()[i], std::byte{5});
    }
  }
}

Call numbers(SeededData& data, const std::int64_t& count) {
  Call call;
  call.tensors.emplace("x", data.integers(isa::DType::kI64, {count}, "x", 0, 1000000));
  return call;
}

TEST(CommonCaseTable, EveryRowHasDataOfItsOwnAndItsChange) {
  const auto negative_first = [](Call& call, SeededData&) {
    call.tensors.at("x").as<std::int64_t>()[0] = -1;
  };
  const CaseTable<std::int64_t> table(
      "toy", 7, numbers,
      {{{{"T-1", "plain", std::nullopt, ""}, 4, {}}},
       {{{"T-2", "changed", std::nullopt, ""}, 4, negative_first}}});
  ASSERT_EQ(table.examples().size(), 2u);
  EXPECT_EQ(table.examples()[1].id, "T-2");
  memory::GlobalMemory memory{std::uint64_t{1} << 20};
  const Call one = table.make("T-1", memory), again = table.make("T-1", memory),
             two = table.make("T-2", memory);
  const auto* a = one.tensors.at("x").as<std::int64_t>();
  const auto* b = again.tensors.at("x").as<std::int64_t>();
  const auto* c = two.tensors.at("x").as<std::int64_t>();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(a[i], b[i]);
    EXPECT_NE(a[i], c[i]);
  }
  EXPECT_EQ(c[0], -1);
  EXPECT_THROW(table.make("T-3", memory), std::invalid_argument);
}

}  // namespace
}  // namespace davsim::operators
