// Functions that choose rows by indices and put them there, against loops of the host.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_gather_nd.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_index_select.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::indexing {
namespace {

constexpr int kTaskError = 507018;

class IndexingTest : public BasicTest {};

/// Whole numbers that all types have, and that differ from row to row.
Numbers pattern(std::int64_t count, int factor = 7) {
  Numbers values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * factor % 113));
  return values;
}

/// Indices below `size` in a fixed disorder.
Numbers places(std::int64_t count, std::int64_t size, std::int64_t step = 37) {
  Numbers values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * step % size));
  return values;
}

/// Rows of `run` elements of the tables [lists, rows, run].
Numbers rows_at(const Numbers& table, std::int64_t lists, std::int64_t rows, std::int64_t run,
                const Numbers& index) {
  Numbers values;
  for (std::int64_t list = 0; list < lists; ++list) {
    for (const double place : index) {
      const std::int64_t row = static_cast<std::int64_t>(place) + (place < 0 ? rows : 0);
      for (std::int64_t i = 0; i < run; ++i) {
        values.push_back(table[static_cast<std::size_t>((list * rows + row) * run + i)]);
      }
    }
  }
  return values;
}

struct RowsCase {
  std::int64_t lists, rows, run, count;
};

constexpr RowsCase kRows[] = {{1, 500, 64, 700}, {3, 40, 300, 25}, {1, 9, 40000, 5},
                              {2, 50, 3, 400},   {1, 1, 1, 1},     {5, 7, 129, 1}};

TEST_F(IndexingTest, GathersRowsOfAllWidths) {
  for (const aclDataType type : {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_INT64}) {
    for (const aclDataType index_type : {ACL_INT32, ACL_INT64}) {
      for (const RowsCase& test : kRows) {
        const Numbers x = pattern(test.lists * test.rows * test.run);
        const Numbers index = places(test.count, test.rows);
        const DeviceTensor self({test.lists, test.rows, test.run}, x, type);
        const DeviceTensor places({test.count}, index, index_type);
        const DeviceTensor out(
            {test.lists, test.count, test.run},
            Numbers(static_cast<std::size_t>(test.lists * test.count * test.run)), type);
        ASSERT_EQ(DAVSIM_CALL(IndexSelect, self, 1, places, out), ACL_SUCCESS) << last_error();
        EXPECT_EQ(out.values(), rows_at(x, test.lists, test.rows, test.run, index))
            << "type " << type << ", rows of " << test.run;
      }
    }
  }
}

TEST_F(IndexingTest, GathersForAnyShapeOfIndices) {
  const Numbers x = pattern(4 * 30 * 50);
  Numbers index = places(6, 30);
  const DeviceTensor self({4, 30, 50}, x), ids({2, 3}, index, ACL_INT32);
  const DeviceTensor rows({2, 3, 50}, Numbers(300)), weight({120, 50}, x);
  ASSERT_EQ(DAVSIM_CALL(Embedding, weight, ids, rows), ACL_SUCCESS) << last_error();
  EXPECT_EQ(rows.values(), rows_at(x, 1, 120, 50, index));
  EXPECT_EQ(DAVSIM_CALL(Embedding, self, ids, rows), 161002);
  index[0] = -1;
  const DeviceTensor back({2, 3}, index, ACL_INT64), out({4, 2, 3, 50}, Numbers(1200));
  ASSERT_EQ(DAVSIM_CALL(GatherV2, self, -2, back, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), rows_at(x, 4, 30, 50, index));
  EXPECT_EQ(DAVSIM_CALL(GatherV2, self, 0, back, out), 161002);
  const DeviceTensor real({2, 3}, Numbers(6));
  EXPECT_EQ(DAVSIM_CALL(GatherV2, self, 1, real, out), 161002) << "indices of float";
  EXPECT_EQ(DAVSIM_CALL(GatherV2, self, 1, nullptr, out), 161001);
}

TEST_F(IndexingTest, TellsIndicesOutOfRange) {
  const DeviceTensor self({8, 20}, pattern(160)), out({2, 20}, Numbers(40, 5));
  const DeviceTensor beyond({2}, {3, 8}, ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(IndexSelect, self, 0, beyond, out), kTaskError);
  expect_error("aclnnIndexSelect: element 1 of index is 8, allowed are 0 to 7");
}

/// One with strides, which is copied back at the end.
TEST_F(IndexingTest, LeavesTheTargetAloneThen) {
  const DeviceTensor self({8, 20}, {40, 2}, 0, pattern(320)), source({2, 20}, Numbers(40, 5));
  const DeviceTensor beyond({2}, {3, -1}, ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(InplaceIndexCopy, self, 0, beyond, source), kTaskError);
  expect_error("aclnnInplaceIndexCopy: element 1 of index is -1, allowed are 0 to 7");
  EXPECT_EQ(self.storage(), pattern(320));
}

TEST_F(IndexingTest, TellsCoordinatesOutOfRange) {
  const DeviceTensor self({8, 20}, pattern(160)), out({2}, Numbers(2));
  const DeviceTensor beyond({2, 2}, {3, 19, 2, 20}, ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(GatherNd, self, beyond, false, out), kTaskError);
  expect_error("aclnnGatherNd: element 3 of indices is 20, allowed are 0 to 19");
}

TEST_F(IndexingTest, GathersAndScattersAtCoordinates) {
  for (const aclDataType type : {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_INT64}) {
    const Numbers x = pattern(6 * 7 * 40);
    const Numbers at = {0, 0, 5, 6, 3, 2};
    const DeviceTensor self({6, 7, 40}, x, type), indices({3, 2}, at, ACL_INT32);
    const DeviceTensor out({3, 40}, Numbers(120), type), copy({6, 7, 40}, Numbers(x.size()), type);
    ASSERT_EQ(DAVSIM_CALL(GatherNd, self, indices, true, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), rows_at(x, 1, 42, 40, {0, 41, 23}));
    const Numbers y = pattern(120, 11);
    const DeviceTensor updates({3, 40}, y, type);
    ASSERT_EQ(DAVSIM_CALL(ScatterNd, self, indices, updates, copy), ACL_SUCCESS) << last_error();
    Numbers expected = x;
    const std::int64_t rows[] = {0, 41, 23};
    for (std::int64_t i = 0; i < 3; ++i) {
      std::copy_n(y.begin() + 40 * i, 40, expected.begin() + 40 * rows[i]);
    }
    EXPECT_EQ(copy.values(), expected);
    EXPECT_EQ(self.values(), x);
  }
  const DeviceTensor self({6, 7}, Numbers(42)), wide({3, 3}, Numbers(9), ACL_INT32);
  const DeviceTensor out({3}, Numbers(3));
  EXPECT_EQ(DAVSIM_CALL(GatherNd, self, wide, true, out), 161002);
}

/// An index with a shape of its own next to one that is repeated, negative places, and dimensions
/// in between.
TEST_F(IndexingTest, IndexesSeveralDimensions) {
  const Numbers x = pattern(5 * 6 * 7 * 8);
  const auto element = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return x[static_cast<std::size_t>(((a * 6 + b) * 7 + c) * 8 + d)];
  };
  const DeviceTensor self({5, 6, 7, 8}, x);
  const DeviceTensor rows({3, 1}, {0, 5, 2}, ACL_INT64), columns({4}, {-1, 0, 3, 6}, ACL_INT64);
  const DeviceTensor none({0}, {}, ACL_INT64);
  const aclTensor* const adjacent[] = {none.get(), rows.get(), columns.get()};
  const DeviceTensor out({5, 3, 4, 8}, Numbers(480));
  ASSERT_EQ(DAVSIM_CALL(Index, self, TensorList(adjacent, 3), out), ACL_SUCCESS) << last_error();
  Numbers expected;
  const std::int64_t b[] = {0, 5, 2}, c[] = {6, 0, 3, 6};
  for (int a = 0; a < 5; ++a) {
    for (int i = 0; i < 12; ++i) {
      for (int d = 0; d < 8; ++d) expected.push_back(element(a, b[i / 4], c[i % 4], d));
    }
  }
  EXPECT_EQ(out.values(), expected);
  const DeviceTensor first({3, 1}, {0, -1, 2}, ACL_INT32);
  const aclTensor* const apart[] = {first.get(), none.get(), columns.get()};
  const DeviceTensor front({3, 4, 6, 8}, Numbers(576));
  ASSERT_EQ(DAVSIM_CALL(Index, self, TensorList(apart, 3), front), ACL_SUCCESS) << last_error();
  expected.clear();
  const std::int64_t a[] = {0, 4, 2};
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 48; ++j) expected.push_back(element(a[i / 4], j / 8, c[i % 4], j % 8));
  }
  EXPECT_EQ(front.values(), expected);
  EXPECT_EQ(DAVSIM_CALL(Index, self, TensorList(apart, 3), out), 161002);
  const DeviceTensor beyond({1}, {7}, ACL_INT64);
  const aclTensor* const wrong[] = {none.get(), none.get(), beyond.get()};
  const DeviceTensor some({5, 6, 1, 8}, Numbers(240));
  EXPECT_EQ(DAVSIM_CALL(Index, self, TensorList(wrong, 3), some), kTaskError);
  expect_error("aclnnIndex: element 0 of indices is 7, allowed are -7 to 6");
}

TEST_F(IndexingTest, PutsAndAddsAtIndices) {
  for (const aclDataType type : {ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_INT32, ACL_INT64}) {
    for (const std::int64_t length : {3, 80}) {
      const Numbers x = pattern(50 * length);
      const DeviceTensor put({50, length}, x, type), added({50, length}, x, type);
      const DeviceTensor index({3}, {4, -1, 17}, ACL_INT64), twice({3}, {4, 49, 4}, ACL_INT64);
      const DeviceTensor values({1, length}, Numbers(static_cast<std::size_t>(length), 2), type);
      const aclTensor* const one[] = {index.get()};
      const aclTensor* const same[] = {twice.get()};
      ASSERT_EQ(DAVSIM_CALL(IndexPutImpl, put, TensorList(one, 1), values, false, false),
                ACL_SUCCESS)
          << last_error();
      ASSERT_EQ(DAVSIM_CALL(IndexPutImpl, added, TensorList(same, 1), values, true, false),
                ACL_SUCCESS)
          << last_error();
      Numbers after_put = x, after_add = x;
      for (std::int64_t i = 0; i < length; ++i) {
        for (const std::int64_t row : {4, 49, 17}) {
          after_put[static_cast<std::size_t>(row * length + i)] = 2;
        }
        for (const std::int64_t row : {4, 49, 4}) {
          after_add[static_cast<std::size_t>(row * length + i)] += 2;
        }
      }
      EXPECT_EQ(put.values(), after_put) << "type " << type << ", length " << length;
      EXPECT_EQ(added.values(), after_add) << "type " << type << ", length " << length;
    }
  }
}

/// Dimensions with others between them, of a target with strides.
TEST_F(IndexingTest, PutsIntoViews) {
  const DeviceTensor self({4, 5, 6}, {60, 12, 2}, 1, Numbers(241, 9));
  const DeviceTensor rows({2}, {3, 1}, ACL_INT32), columns({2}, {0, 5}, ACL_INT32);
  const DeviceTensor none({0}, {}, ACL_INT64), values({2, 5}, pattern(10));
  const aclTensor* const apart[] = {rows.get(), none.get(), columns.get()};
  ASSERT_EQ(DAVSIM_CALL(IndexPutImpl, self, TensorList(apart, 3), values, false, false),
            ACL_SUCCESS)
      << last_error();
  Numbers expected(120, 9);
  for (std::size_t i = 0; i < 5; ++i) {
    expected[3 * 30 + i * 6] = values.values()[i];
    expected[1 * 30 + i * 6 + 5] = values.values()[5 + i];
  }
  EXPECT_EQ(self.values(), expected);
  const Numbers storage = self.storage();
  EXPECT_EQ(storage[0], 9) << "beside the view";
  const DeviceTensor wrong({3, 5}, Numbers(15));
  EXPECT_EQ(DAVSIM_CALL(IndexPutImpl, self, TensorList(apart, 3), wrong, false, false), 161002);
}

TEST_F(IndexingTest, CopiesAddsAndFillsAlongADimension) {
  for (const aclDataType type : {ACL_FLOAT16, ACL_FLOAT, ACL_INT32}) {
    const Numbers x = pattern(3 * 10 * 33), y = pattern(3 * 4 * 33, 5);
    const DeviceTensor self({3, 10, 33}, x, type), source({3, 4, 33}, y, type);
    const DeviceTensor out({3, 10, 33}, Numbers(x.size()), type);
    const DeviceTensor index({4}, {7, 0, 9, 2}, ACL_INT64);
    Numbers copied = x, added = x, filled = x;
    const std::int64_t rows[] = {7, 0, 9, 2};
    for (std::int64_t i = 0; i < 3 * 4 * 33; ++i) {
      const auto at = static_cast<std::size_t>((i / 132 * 10 + rows[i / 33 % 4]) * 33 + i % 33);
      copied[at] = y[static_cast<std::size_t>(i)];
      added[at] += 3 * y[static_cast<std::size_t>(i)];
      filled[at] = 1;
    }
    ASSERT_EQ(DAVSIM_CALL(IndexCopy, self, 1, index, source, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), copied);
    const Scalar three(3, ACL_INT64), one(1);
    ASSERT_EQ(DAVSIM_CALL(IndexAdd, self, -2, index, source, three, out), ACL_SUCCESS);
    EXPECT_EQ(out.values(), added) << "type " << type;
    const Ints fills{7, 0, -1, 2, 7}, beyond{10};
    ASSERT_EQ(DAVSIM_CALL(IndexFillTensor, self, 1, fills, one, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), filled);
    EXPECT_EQ(self.values(), x);
    EXPECT_EQ(DAVSIM_CALL(InplaceIndexFillTensor, self, 1, beyond, one), 161002);
    ASSERT_EQ(DAVSIM_CALL(InplaceIndexFillTensor, self, 1, fills, one), ACL_SUCCESS);
    EXPECT_EQ(self.values(), filled);
    EXPECT_EQ(DAVSIM_CALL(IndexCopy, self, 0, index, source, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(IndexCopy, self, 1, index, source, nullptr), 161001);
  }
}

TEST_F(IndexingTest, UpdatesCaches) {
  for (const aclDataType type : {ACL_INT8, ACL_FLOAT16, ACL_BF16}) {
    const Numbers x = pattern(3 * 2 * 20 * 64), y = pattern(3 * 2 * 4 * 64, 5);
    const DeviceTensor data({3, 2, 20, 64}, x, type), updates({3, 2, 4, 64}, y, type);
    const DeviceTensor indices({3}, {16, 0, 5}, ACL_INT32);
    ASSERT_EQ(DAVSIM_CALL(InplaceScatterUpdate, data, indices, updates, -2), ACL_SUCCESS)
        << last_error();
    Numbers expected = x;
    const std::int64_t first[] = {16, 0, 5};
    for (std::int64_t i = 0; i < 3 * 2 * 4; ++i) {
      const std::int64_t row = i / 4 * 20 + first[i / 8] + i % 4;
      std::copy_n(y.begin() + 64 * i, 64, expected.begin() + 64 * row);
    }
    EXPECT_EQ(data.values(), expected);
  }
  const DeviceTensor data({3, 2, 20, 8}, Numbers(960)), updates({2, 2, 1, 8}, Numbers(32, 1));
  const DeviceTensor pairs({2, 2}, {2, 19, 0, 3}, ACL_INT64),
      beyond({2, 2}, {2, 20, 0, 3}, ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(InplaceScatterUpdate, data, pairs, updates, 2), ACL_SUCCESS);
  Numbers expected(960);
  for (const std::int64_t row : {2 * 40 + 19, 2 * 40 + 39, 3, 23}) {
    std::fill_n(expected.begin() + 8 * row, 8, 1);
  }
  EXPECT_EQ(data.values(), expected);
  EXPECT_EQ(DAVSIM_CALL(InplaceScatterUpdate, data, pairs, updates, 0), 161002);
  EXPECT_EQ(DAVSIM_CALL(InplaceScatterUpdate, data, beyond, updates, 2), kTaskError);
  expect_error("update 0 of indices is place 20 of batch 2");
}

TEST_F(IndexingTest, RepeatsByCounts) {
  const Numbers x = pattern(4 * 60);
  const DeviceTensor self({4, 60}, x), counts({4}, {2, 0, 3, 1}, ACL_INT64);
  const DeviceTensor one({1}, {2}, ACL_INT32), out({6, 60}, Numbers(360)),
      twice({480}, Numbers(480));
  ASSERT_EQ(DAVSIM_CALL(RepeatInterleaveWithDim, self, counts, 0, 6, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), rows_at(x, 1, 4, 60, {0, 0, 2, 2, 2, 3}));
  ASSERT_EQ(DAVSIM_CALL(RepeatInterleave, self, one, 480, twice), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (const double value : x) expected.insert(expected.end(), 2, value);
  EXPECT_EQ(twice.values(), expected);
  const DeviceTensor places({6}, Numbers(6), ACL_INT64), few({5}, Numbers(5), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(RepeatInterleaveTensor, counts, 6, places), ACL_SUCCESS) << last_error();
  EXPECT_EQ(places.values(), Numbers({0, 0, 2, 2, 2, 3}));
  EXPECT_EQ(DAVSIM_CALL(RepeatInterleaveWithDim, self, counts, 1, 6, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(RepeatInterleaveTensor, counts, 5, few), kTaskError);
  expect_error("aclnnRepeatInterleaveTensor: outputSize is 5");
}

}  // namespace
}  // namespace davsim::test::indexing
