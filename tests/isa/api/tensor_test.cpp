// Views of memory: addresses, sizes, elements through the scalar unit, shapes, traits.
#include "ascendc/tensor.h"

#include <gtest/gtest.h>

#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

TEST(LocalTensorTest, ViewsShareTheBuffer) {
  TestCore core;
  const LocalTensor<half> tensor(TPosition::VECIN, 64, 32);
  EXPECT_EQ(tensor.GetSize(), 32u);
  EXPECT_EQ(tensor.GetPhyAddr(), 64u);
  const auto tail = tensor[8];
  EXPECT_EQ(tail.GetPhyAddr(), 80u);
  EXPECT_EQ(tail.GetSize(), 24u);
  const auto words = tensor.ReinterpretCast<std::int32_t>();
  EXPECT_EQ(words.GetSize(), 16u);
  EXPECT_EQ(words.GetPhyAddr(4), 80u);
  EXPECT_EQ(words.Operand().type, isa::DType::kI32);
}

TEST(LocalTensorTest, ElementsGoThroughTheScalarUnit) {
  TestCore core;
  LocalTensor<float> tensor(TPosition::VECCALC, 32, 8);
  tensor.SetValue(2, 1.5f);
  EXPECT_EQ(core.buffer<float>(isa::Space::kUb, 32)[2], 1.5f);
  tensor(3) = tensor(2);
  tensor(3) += 1;
  EXPECT_EQ(tensor.GetValue(3), 2.5f);
  EXPECT_EQ(tensor.GetValue(2), 1.5f) << "assigning one element to another copies the value";
}

TEST(LocalTensorTest, AutoMakesACopyOfAnElement) {
  TestCore core;
  LocalTensor<float> tensor(TPosition::VECCALC, 32, 8);
  tensor.SetValue(0, 1.5f);
  auto x = tensor(0);
  tensor(0) = 5;
  EXPECT_EQ(x, 1.5f) << "what the element was";
  x += 1;
  auto y = x;
  x = 7;
  EXPECT_EQ(y, 2.5f);
  EXPECT_EQ(x, 7);
  EXPECT_EQ(tensor.GetValue(0), 5) << "the copies are the kernel's own";
  auto last = tensor(0);
  Duplicate(tensor, 9.0f, 8);
  EXPECT_EQ(last, 5);
  const auto largest = std::max(tensor(0), last);
  EXPECT_EQ(largest, 9);
}

TEST(LocalTensorTest, AStoreLoadsNothing) {
  struct CountingCore : TestCore {
    void scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                     isa::SourceLocation where) override {
      ++scalar_loads;
      TestCore::scalar_load(from, to, bytes, where);
    }
    int scalar_loads = 0;
  } core;
  LocalTensor<std::int32_t> tensor(TPosition::VECCALC, 32, 8);
  tensor.SetValue(1, 3);
  const int loads = core.scalar_loads;
  tensor(0) = 5;
  tensor(2);
  EXPECT_EQ(core.scalar_loads, loads);
  tensor(0) = tensor(1);
  const std::int32_t sum = tensor(0) + tensor(1);
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(core.scalar_loads, loads + 3);
}

TEST(LocalTensorTest, ElementsTakeTheOperatorsOfNumbers) {
  TestCore core;
  LocalTensor<std::int32_t> tensor(TPosition::VECCALC, 32, 8);
  tensor.SetValue(0, 12);
  EXPECT_EQ(tensor(0)++, 12);
  EXPECT_EQ(tensor(0)--, 13);
  EXPECT_EQ(++tensor(0), 13);
  EXPECT_EQ(--tensor(0), 12);
  EXPECT_EQ(tensor(0) /= 3, 4);
  EXPECT_EQ(tensor(0) <<= 2, 16);
  EXPECT_EQ(tensor(0) >>= 1, 8);
  EXPECT_EQ(tensor(0) |= 3, 11);
  EXPECT_EQ(tensor(0) &= 6, 2);
  EXPECT_EQ(tensor(0) ^= 7, 5);
  EXPECT_EQ(tensor(0) %= 3, 2);
  EXPECT_EQ(tensor.GetValue(0), 2);
}

TEST(LocalTensorTest, ItsAddressIsPublic) {
  TestCore core;
  LocalTensor<half> tensor(TPosition::VECCALC, 64, 32);
  EXPECT_EQ(tensor.address_.bufferAddr, 64u);
  tensor.address_.dataLen = 32;
  EXPECT_EQ(tensor.GetSize(), 16u);
}

TEST(GlobalTensorTest, IndexesElements) {
  TestCore core;
  std::vector<std::int32_t> data(16, 0);
  core.global.add(data.data(), data.size() * sizeof(std::int32_t));
  GlobalTensor<std::int32_t> tensor;
  tensor.SetGlobalBuffer(data.data(), data.size());
  tensor[4].SetValue(1, 42);
  EXPECT_EQ(data[5], 42);
  EXPECT_EQ(tensor[4].GetSize(), 12u);
  EXPECT_EQ(tensor(5), 42);
  EXPECT_EQ(tensor.GetPhyAddr(2), data.data() + 2);
}

TEST(GlobalTensorTest, ItsAddressIsPublic) {
  half numbers[16];
  GlobalTensor<half> tensor;
  tensor.address_ = numbers;
  tensor.SetAddr(3);
  EXPECT_EQ(tensor.address_, numbers + 3);
  int4b_t pairs[8];
  GlobalTensor<int4b_t> halves;
  halves.address_ = pairs;
  halves.SetAddr(4);
  EXPECT_EQ(halves.address_, pairs + 2) << "two of them share a byte";
}

TEST(TensorTraitTest, TravelsWithTheTensor) {
  const auto trait =
      MakeTensorTrait<half, TPosition::GM>(MakeLayout(MakeShape(4, 16), MakeStride(16, 1)));
  GlobalTensor<std::remove_const_t<decltype(trait)>> global;
  global.SetTensorTrait(trait);
  const auto part = global[16];
  EXPECT_EQ(Std::get<0>(part.GetTensorTrait().GetLayout().GetShape()), 4);
  EXPECT_EQ(part.GetTensorTrait().GetLayout()(MakeCoord(2, 3)), 35u);
  LocalTensor<std::remove_const_t<decltype(trait)>> local(TPosition::VECIN, 0, 64);
  local.GetTensorTrait() = trait;
  EXPECT_EQ(Std::get<1>(local[8].GetTensorTrait().GetLayout().GetShape()), 16);
}

TEST(ShapeInfoTest, TravelsWithTheTensor) {
  TestCore core;
  LocalTensor<float> tensor(TPosition::VECCALC, 0, 16);
  const std::uint32_t shape[] = {2, 3, 4}, original[] = {6, 4};
  tensor.SetShapeInfo(ShapeInfo(3, shape, 2, original, DataFormat::NZ));
  const ShapeInfo info = tensor[8].GetShapeInfo();
  EXPECT_EQ(info.shapeDim, 3);
  EXPECT_EQ(info.shape[2], 4u);
  EXPECT_EQ(info.originalShapeDim, 2);
  EXPECT_EQ(info.originalShape[0], 6u);
  EXPECT_EQ(info.dataFormat, DataFormat::NZ);
  EXPECT_EQ(GetShapeSize(info), 24u);
  const ShapeInfo plain(2, original);
  EXPECT_EQ(plain.originalShape[1], 4u);
  EXPECT_EQ(plain.dataFormat, DataFormat::ND);
}

TEST(ShapeInfoTest, RefusesMoreThanEightDimensions) {
  const std::uint32_t shape[9] = {};
  const isa::Fault fault = fault_of([&] { ShapeInfo(9, shape); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kParameter);
  EXPECT_EQ(fault.message, "ShapeInfo: the number of dimensions is 9, allowed are 0 to 8");
}

}  // namespace
}  // namespace davsim::test
