// Lists of tensors in global memory.
#include "ascendc/list_tensor.h"

#include <gtest/gtest.h>

#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

/// Two tensors: [2, 3, 4] and [5].
class ListTensorTest : public testing::Test {
 protected:
  ListTensorTest() {
    list_ = {7 * 8,  // byte offset of the pointers
             3,      // tensor 0: three dimensions
             2,
             3,
             4,
             1 | (1ull << 32),  // tensor 1: one dimension
             5,
             reinterpret_cast<std::uint64_t>(first_),
             reinterpret_cast<std::uint64_t>(second_)};
    core_.global.add(list_.data(), list_.size() * 8);
    core_.global.add(second_, sizeof second_);
  }

  TestCore core_;
  std::int32_t first_[24] = {}, second_[5] = {10, 11, 12, 13, 14};
  std::vector<std::uint64_t> list_;
};

TEST_F(ListTensorTest, FindsPointersAndShapes) {
  ListTensorDesc list(list_.data());
  ASSERT_EQ(list.GetSize(), 2u);
  EXPECT_EQ(list.GetDataPtr<std::int32_t>(0), first_);
  std::uint64_t shape[8] = {};
  TensorDesc<std::int32_t> desc;
  desc.SetShapeAddr(shape);
  list.GetDesc(desc, 0);
  EXPECT_EQ(desc.GetDim(), 3u);
  EXPECT_EQ(desc.GetIndex(), 0u);
  EXPECT_EQ(desc.GetShape(2), 4u);
  list.GetDesc(desc, 1);
  EXPECT_EQ(desc.GetDim(), 1u);
  EXPECT_EQ(desc.GetIndex(), 1u);
  EXPECT_EQ(desc.GetShape(0), 5u);
  EXPECT_EQ(desc.GetDataPtr(), second_);
  EXPECT_EQ(desc.GetDataObj().GetValue(3), 13);
}

TEST_F(ListTensorTest, ChecksWhatItIsTold) {
  ListTensorDesc list;
  list.Init(list_.data(), 9 * 8, 2);
  EXPECT_EQ(list.GetSize(), 2u);
  EXPECT_EQ(fault_of([&] { list.Init(list_.data(), 64); }).message,
            "ListTensorDesc: length is 64, the list has 72");
  EXPECT_EQ(fault_of([&] { list.Init(list_.data(), 72, 3); }).message,
            "ListTensorDesc: shapeSize is 3, the list has 2");
  list.Init(list_.data());
  EXPECT_EQ(fault_of([&] { list.GetDataPtr<float>(2); }).message,
            "ListTensorDesc: GetDataPtr: index is 2, the list has 2 tensors");
  TensorDesc<std::int32_t> desc;
  EXPECT_EQ(fault_of([&] { list.GetDesc(desc, 0); }).message,
            "ListTensorDesc: GetDesc: TensorDesc::SetShapeAddr was not called");
}

}  // namespace
}  // namespace davsim::test
