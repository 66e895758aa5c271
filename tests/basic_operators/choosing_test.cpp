// Single elements that indices and masks choose.
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_one_hot.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::choosing {
namespace {

class ChoosingTest : public BasicTest {};

Sizes sizes_of(const aclTensor* tensor) {
  std::int64_t* sizes = nullptr;
  std::uint64_t count = 0;
  EXPECT_EQ(aclGetViewShape(tensor, &sizes, &count), ACL_SUCCESS);
  Sizes result(sizes, sizes + count);
  delete[] sizes;
  return result;
}

TEST_F(ChoosingTest, GathersElements) {
  for (const aclDataType type : {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_INT64}) {
    const DeviceTensor self({2, 3}, {1, 2, 3, 4, 5, 6}, type);
    const DeviceTensor across({2, 2}, {2, 0, -1, 1}, ACL_INT64), out({2, 2}, Numbers(4), type);
    ASSERT_EQ(DAVSIM_CALL(Gather, self, 1, across, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({3, 1, 6, 5}));
    const DeviceTensor down({1, 3}, {1, 0, 1}, ACL_INT32), row({1, 3}, Numbers(3), type);
    ASSERT_EQ(DAVSIM_CALL(Gather, self, -2, down, row), ACL_SUCCESS) << last_error();
    EXPECT_EQ(row.values(), Numbers({4, 2, 6}));
    EXPECT_EQ(DAVSIM_CALL(Gather, self, 1, across, row), 161002);
    EXPECT_EQ(DAVSIM_CALL(Gather, self, 2, across, out), 161002);
  }
  const DeviceTensor self({2, 3}, Numbers(6)), beyond({1, 1}, {3}, ACL_INT64), out({1, 1}, {0});
  EXPECT_EQ(DAVSIM_CALL(Gather, self, 1, beyond, out), 507018);
  expect_error("aclnnGather: element 0 of index is 3, allowed are -3 to 2");
}

/// More places than a tile has, rows of odd sizes, and indices that all rows share.
TEST_F(ChoosingTest, GathersManyElements) {
  constexpr std::int64_t kRows = 67, kWidth = 333, kPlaces = 1501;
  for (const aclDataType type : {ACL_INT8, ACL_BF16, ACL_FLOAT, ACL_INT64}) {
    for (const aclDataType index_type : {ACL_INT32, ACL_INT64}) {
      Numbers x, index, expected, shared;
      for (int i = 0; i < kRows * kWidth; ++i) x.push_back(i % 127);
      for (int i = 0; i < kRows * kPlaces; ++i) {
        const int place = i * 29 % kWidth;
        index.push_back(i % 5 == 0 ? place - kWidth : place);
        expected.push_back(x[static_cast<std::size_t>(i / kPlaces * kWidth + place)]);
        shared.push_back(
            x[static_cast<std::size_t>(i / kPlaces * kWidth + i % kPlaces * 29 % kWidth)]);
      }
      const DeviceTensor self({kRows, kWidth}, x, type);
      const DeviceTensor out({kRows, kPlaces}, Numbers(expected.size()), type);
      const DeviceTensor own({kRows, kPlaces}, index, index_type);
      ASSERT_EQ(DAVSIM_CALL(Gather, self, 1, own, out), ACL_SUCCESS) << last_error();
      EXPECT_EQ(out.values(), expected) << "type " << type;
      index.resize(kPlaces);
      const DeviceTensor same({kPlaces}, index, index_type);
      ASSERT_EQ(DAVSIM_CALL(GatherV2, self, -1, same, out), ACL_SUCCESS) << last_error();
      EXPECT_EQ(out.values(), shared) << "type " << type;
    }
  }
}

TEST_F(ChoosingTest, ScattersElements) {
  for (const aclDataType type : {ACL_FLOAT16, ACL_FLOAT, ACL_INT32, ACL_INT64}) {
    const Numbers x = {1, 2, 3, 4, 5, 6};
    const DeviceTensor self({2, 3}, x, type), out({2, 3}, Numbers(6), type);
    const DeviceTensor index({2, 2}, {2, 0, 1, 1}, ACL_INT64);
    const DeviceTensor src({2, 3}, {10, 20, 90, 3, 2, 90}, type);
    ASSERT_EQ(DAVSIM_CALL(Scatter, self, 1, index, src, 0, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({20, 2, 10, 4, 2, 6}));
    ASSERT_EQ(DAVSIM_CALL(Scatter, self, 1, index, src, 2, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({20, 2, 30, 4, 30, 6}));
    ASSERT_EQ(DAVSIM_CALL(ScatterAdd, self, 1, index, src, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({21, 2, 13, 4, 10, 6}));
    const Scalar seven(7);
    ASSERT_EQ(DAVSIM_CALL(ScatterValue, self, 1, index, seven, 0, out), ACL_SUCCESS);
    EXPECT_EQ(out.values(), Numbers({7, 2, 7, 4, 7, 6}));
    EXPECT_EQ(self.values(), x);
    ASSERT_EQ(DAVSIM_CALL(InplaceScatterValue, self, 1, index, seven, 1), ACL_SUCCESS);
    EXPECT_EQ(self.values(), Numbers({8, 2, 10, 4, 19, 6}));
    ASSERT_EQ(DAVSIM_CALL(InplaceScatter, self, 1, index, src, 0), ACL_SUCCESS) << last_error();
    EXPECT_EQ(self.values(), Numbers({20, 2, 10, 4, 2, 6}));
    EXPECT_EQ(DAVSIM_CALL(Scatter, self, 1, index, src, 3, out), 161002);
    const DeviceTensor large({3, 2}, Numbers(6), ACL_INT64);
    EXPECT_EQ(DAVSIM_CALL(Scatter, self, 1, large, src, 0, out), 161002);
  }
  const DeviceTensor self({2, 3}, Numbers(6)), beyond({1, 1}, {-1}, ACL_INT64), one({1, 1}, {1});
  EXPECT_EQ(DAVSIM_CALL(InplaceScatter, self, 0, beyond, one, 0), 507018);
  EXPECT_EQ(self.values(), Numbers(6));
}

TEST_F(ChoosingTest, SelectsByMasks) {
  const Numbers x = spread(600, -1, 1);
  const DeviceTensor self({20, 30}, x), out({600}, Numbers(600));
  Numbers chosen, truth;
  for (int i = 0; i < 30; ++i) truth.push_back(i % 3 == 0 ? 1 : 0);
  const DeviceTensor mask({30}, truth, ACL_BOOL);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 30 % 3 == 0) chosen.push_back(as_type(x[i], ACL_FLOAT));
  }
  ASSERT_EQ(DAVSIM_CALL(MaskedSelect, self, mask, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(sizes_of(out), Sizes({200}));
  Numbers found = out.values();
  found.resize(200);
  EXPECT_EQ(found, chosen);
  const DeviceTensor places({600, 2}, Numbers(1200), ACL_INT64), table({2, 2}, {0, 5, 0, -1});
  ASSERT_EQ(DAVSIM_CALL(Nonzero, table, places), ACL_SUCCESS) << last_error();
  EXPECT_EQ(sizes_of(places), Sizes({2, 2}));
  found = places.values();
  found.resize(4);
  EXPECT_EQ(found, Numbers({0, 1, 1, 1}));
  EXPECT_EQ(DAVSIM_CALL(MaskedSelect, self, self, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Nonzero, table, out), 161002);
  const DeviceTensor small({3}, Numbers(3));
  EXPECT_EQ(DAVSIM_CALL(MaskedSelect, self, mask, small), 507018);
  expect_error("aclnnMaskedSelect: out has room for 3");
}

TEST_F(ChoosingTest, MakesRowsOfOneAndZero) {
  const DeviceTensor self({2, 2}, {0, 2, 1, 7}, ACL_INT64);
  const DeviceTensor on({1}, {5}, ACL_INT32), off({1}, {-1}, ACL_INT32);
  const DeviceTensor last({2, 2, 3}, Numbers(12), ACL_INT32),
      middle({2, 3, 2}, Numbers(12), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(OneHot, self, 3, on, off, -1, last), ACL_SUCCESS) << last_error();
  EXPECT_EQ(last.values(), Numbers({5, -1, -1, -1, -1, 5, -1, 5, -1, -1, -1, -1}));
  ASSERT_EQ(DAVSIM_CALL(OneHot, self, 3, on, off, 1, middle), ACL_SUCCESS) << last_error();
  EXPECT_EQ(middle.values(), Numbers({5, -1, -1, -1, -1, 5, -1, -1, 5, -1, -1, -1}));
  EXPECT_EQ(DAVSIM_CALL(OneHot, self, 4, on, off, 1, middle), 161002);
}

}  // namespace
}  // namespace davsim::test::choosing
