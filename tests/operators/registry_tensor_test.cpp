#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <stdexcept>

#include "kernels/registry/tensor.hpp"

namespace davsim::operators {
namespace {

using isa::DType;

TEST(Tensor, CountsElementsAndBytes) {
  memory::GlobalMemory memory(1 << 20);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 0, 3}), 0);
  EXPECT_EQ(Tensor(memory, DType::kF16, {2, 3}, "t").bytes(), 12u);
  EXPECT_EQ(Tensor(memory, DType::kI4, {5}, "t").bytes(), 3u);
  EXPECT_EQ(Tensor(memory, DType::kI64, {0, 7}, "t").bytes(), 0u);
  EXPECT_TRUE(Tensor(memory, DType::kI64, {0, 7}, "t").empty());
  EXPECT_EQ(to_string(Shape{32, 1, 6144}), "[32, 1, 6144]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

TEST(Tensor, RefusesShapesThatOverflow) {
  memory::GlobalMemory memory(1 << 20);
  constexpr std::int64_t kHalf = std::int64_t{1} << 32;
  EXPECT_THROW(element_count({kHalf, kHalf}), std::length_error);
  EXPECT_THROW(element_count({0, kHalf, kHalf}), std::length_error);
  EXPECT_THROW(element_count({-1}), std::invalid_argument);
  EXPECT_THROW(Tensor(memory, DType::kI64, {kHalf, 1 << 30}, "t"), std::length_error);
  EXPECT_THROW(Tensor(memory, DType::kF16, {1 << 20}, "t"), std::bad_alloc);
  EXPECT_THROW(Tensor(memory, DType::kNone, {1}, "t"), std::invalid_argument);
}

TEST(Tensor, CopiesShareBytesClonesDoNot) {
  memory::GlobalMemory memory(1 << 20);
  Tensor tensor(memory, DType::kI32, {4}, "t");
  EXPECT_EQ(tensor.as<std::int32_t>()[3], 0);
  const Tensor copy = tensor;
  const Tensor clone = tensor.clone(memory, "clone");
  tensor.as<std::int32_t>()[0] = 7;
  EXPECT_EQ(copy.as<std::int32_t>()[0], 7);
  EXPECT_EQ(clone.as<std::int32_t>()[0], 0);
}

TEST(Tensor, ViewsShareBytesAndKeepThem) {
  memory::GlobalMemory memory(1 << 20);
  Tensor view;
  {
    const Tensor tensor(memory, DType::kU8, {16}, "t");
    tensor.as<std::uint8_t>()[8] = 3;
    view = tensor.view(DType::kI32, {2}, 8);
    EXPECT_EQ(tensor.view(DType::kI8, {4, 4}).data(), tensor.data());
    EXPECT_EQ(tensor.view(DType::kI64, {0}, 16).bytes(), 0u);
    EXPECT_THROW(tensor.view(DType::kI32, {5}), std::out_of_range);
    EXPECT_THROW(tensor.view(DType::kI32, {4}, 1), std::out_of_range);
    EXPECT_THROW(tensor.view(DType::kU8, {0}, 17), std::out_of_range);
  }
  EXPECT_EQ(memory.allocated_bytes(), 16u);
  EXPECT_EQ(view.as<std::int32_t>()[0], 3);
}

TEST(Tensor, ClonesAreEqualWhereverTheirBytesAreZero) {
  memory::GlobalMemory memory(1 << 20);
  Tensor tensor(memory, DType::kU8, {3 * 4096 + 5}, "t");
  for (const std::int64_t position : {0, 4096, 2 * 4096 - 1, 3 * 4096 + 4}) {
    tensor.as<std::uint8_t>()[position] = 1;
    const Tensor clone = tensor.clone(memory, "clone");
    EXPECT_EQ(std::memcmp(clone.data(), tensor.data(), tensor.bytes()), 0) << position;
    tensor.as<std::uint8_t>()[position] = 0;
  }
}

TEST(Tensor, LastCopyFreesGlobalMemory) {
  memory::GlobalMemory memory(1 << 20);
  {
    const Tensor tensor(memory, DType::kI32, {4}, "t");
    const Tensor copy = tensor;
    EXPECT_EQ(memory.allocated_bytes(), 16u);
  }
  EXPECT_EQ(memory.allocated_bytes(), 0u);
}

}  // namespace
}  // namespace davsim::operators
