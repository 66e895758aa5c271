// Windows over images.
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_im2col.h"
#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::windows {
namespace {

class WindowsTest : public BasicTest {};

Numbers counted(int count) {
  Numbers values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  return values;
}

TEST_F(WindowsTest, Averages) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const DeviceTensor self({1, 1, 3, 4}, counted(12), type);
    const DeviceTensor out({1, 1, 2, 3}, Numbers(6), type), small({1, 1, 1, 2}, Numbers(2), type);
    const Ints two{2}, one{1, 1}, none{0, 0}, inherit{};
    ASSERT_EQ(DAVSIM_CALL(AvgPool2d, self, two, one, none, false, true, 0, 0, out), ACL_SUCCESS)
        << last_error();
    EXPECT_EQ(out.values(), Numbers({2.5, 3.5, 4.5, 6.5, 7.5, 8.5}));
    ASSERT_EQ(DAVSIM_CALL(AvgPool2d, self, two, inherit, none, false, true, 8, 0, small),
              ACL_SUCCESS);
    EXPECT_EQ(small.values(), Numbers({1.25, 2.25}));
    // Padding counts or does not, and the last place of the second row is partly outside.
    const DeviceTensor padded({1, 1, 2, 3}, Numbers(6), type);
    ASSERT_EQ(DAVSIM_CALL(AvgPool2d, self, two, inherit, one, false, true, 0, 0, padded),
              ACL_SUCCESS);
    EXPECT_EQ(padded.values(), Numbers({0, 0.75, 0.75, 3, 7.5, 4.5}));
    ASSERT_EQ(DAVSIM_CALL(AvgPool2d, self, two, inherit, one, false, false, 0, 0, padded),
              ACL_SUCCESS);
    EXPECT_EQ(padded.values(), Numbers({0, 1.5, 3, 6, 7.5, 9}));
    const DeviceTensor up({1, 1, 2, 2}, Numbers(4), type);
    ASSERT_EQ(DAVSIM_CALL(AvgPool2d, self, two, inherit, none, true, true, 0, 0, up), ACL_SUCCESS);
    EXPECT_EQ(up.values(), Numbers({2.5, 4.5, 8.5, 10.5}));
    EXPECT_EQ(DAVSIM_CALL(AvgPool2d, self, two, one, none, false, true, 0, 0, small), 161002);
    const Ints far{2, 2};
    EXPECT_EQ(DAVSIM_CALL(AvgPool2d, self, two, one, far, false, true, 0, 0, out), 161002);
  }
}

TEST_F(WindowsTest, FindsTheGreatest) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
    const DeviceTensor self({2, 3, 4}, counted(24), type), out({2, 2, 2}, Numbers(8), type);
    const Ints two{2, 2}, around{1, 0, 0, 0}, once{1, 1};
    ASSERT_EQ(DAVSIM_CALL(MaxPool, self, two, two, 0, around, once, 0, out), ACL_SUCCESS)
        << last_error();
    EXPECT_EQ(out.values(), Numbers({1, 3, 9, 11, 13, 15, 21, 23}));
    EXPECT_EQ(DAVSIM_CALL(MaxPool, self, two, two, 0, around, Ints({1, 1, 1, 1}), 0, out),
              ACL_SUCCESS)
        << last_error();
    EXPECT_EQ(DAVSIM_CALL(MaxPool, self, two, two, 0, around, Ints({1, 1, 1}), 0, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(MaxPool, self, two, two, 1, around, once, 0, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(MaxPool, self, two, once, 0, around, once, 0, out), 161002);
  }
}

struct Pool {
  std::int64_t height, width, window, step, padding, dilation;
  bool up, counts_padding;

  std::int64_t places(std::int64_t size) const {
    const std::int64_t left = size + 2 * padding - dilation * (window - 1) - 1;
    const std::int64_t whole = left / step + 1;
    return up && left % step != 0 && whole * step < size + padding ? whole + 1 : whole;
  }
};

/// By the definition: the elements of each window one by one.
Numbers pooled(const Numbers& x, std::int64_t planes, const Pool& pool, bool greatest) {
  Numbers values;
  const std::int64_t down = pool.places(pool.height), across = pool.places(pool.width);
  for (std::int64_t i = 0; i < planes * down * across; ++i) {
    const std::int64_t top = i / across % down * pool.step - pool.padding;
    const std::int64_t left = i % across * pool.step - pool.padding;
    double most = -INFINITY, sum = 0;
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < pool.window * pool.window; ++j) {
      const std::int64_t row = top + j / pool.window * pool.dilation;
      const std::int64_t column = left + j % pool.window * pool.dilation;
      const bool inside = row >= 0 && row < pool.height && column >= 0 && column < pool.width;
      const bool padded = row < pool.height + pool.padding && column < pool.width + pool.padding;
      if (pool.counts_padding ? padded : inside) ++count;
      if (!inside) continue;
      const std::int64_t at = (i / across / down * pool.height + row) * pool.width + column;
      most = std::max(most, x[static_cast<std::size_t>(at)]);
      sum += x[static_cast<std::size_t>(at)];
    }
    values.push_back(greatest ? most : sum / static_cast<double>(count));
  }
  return values;
}

TEST_F(WindowsTest, PoolsManyPlanesOfManySizes) {
  constexpr std::int64_t kPlanes = 6;
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    for (const Pool& pool :
         {Pool{57, 83, 3, 2, 1, 1, false, true}, Pool{40, 33, 5, 3, 2, 1, true, false},
          Pool{19, 200, 2, 2, 0, 1, true, true}, Pool{7, 7, 7, 1, 0, 1, false, false}}) {
      Numbers x = spread(static_cast<std::size_t>(kPlanes * pool.height * pool.width), -4, 4);
      for (double& value : x) value = as_type(value, type);
      const std::int64_t down = pool.places(pool.height), across = pool.places(pool.width);
      const DeviceTensor self({2, 3, pool.height, pool.width}, x, type);
      const DeviceTensor out({2, 3, down, across},
                             Numbers(static_cast<std::size_t>(kPlanes * down * across)), type);
      const Ints window{pool.window}, step{pool.step}, padding{pool.padding}, once{1};
      ASSERT_EQ(DAVSIM_CALL(AvgPool2d, self, window, step, padding, pool.up, pool.counts_padding, 0,
                            0, out),
                ACL_SUCCESS)
          << last_error();
      const double tolerance = type == ACL_BF16 ? 8e-3 : type == ACL_FLOAT16 ? 1e-3 : 2e-6;
      expect_near(out.values(), pooled(x, kPlanes, pool, false), tolerance);
      ASSERT_EQ(DAVSIM_CALL(MaxPool, self, window, step, 0, padding, once, pool.up ? 1 : 0, out),
                ACL_SUCCESS)
          << last_error();
      EXPECT_EQ(out.values(), pooled(x, kPlanes, pool, true)) << "type " << type;
    }
    const Pool apart{30, 50, 3, 2, 2, 2, false, false};
    const Numbers x = counted(1500);
    const DeviceTensor self({1, 30, 50}, x, ACL_FLOAT), out({1, 15, 25}, Numbers(375), ACL_FLOAT);
    const Ints window{3}, two{2};
    ASSERT_EQ(DAVSIM_CALL(MaxPool, self, window, two, 0, two, two, 0, out), ACL_SUCCESS)
        << last_error();
    EXPECT_EQ(out.values(), pooled(x, 1, apart, true));
  }
}

TEST_F(WindowsTest, LaysBlocksOutAsColumns) {
  const DeviceTensor self({1, 2, 2, 3}, counted(12)), out({1, 8, 4}, Numbers(32));
  const Ints window{2, 2}, once{1, 1}, around{0, 1}, none{0, 0};
  const DeviceTensor padded({1, 8, 4}, Numbers(32));
  ASSERT_EQ(DAVSIM_CALL(Im2col, self, window, once, around, once, padded), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(padded.values(), Numbers({0, 0, 1, 2, 0, 1, 2, 0, 0, 3, 4,  5,  3, 4,  5,  0,
                                      0, 6, 7, 8, 6, 7, 8, 0, 0, 9, 10, 11, 9, 10, 11, 0}));
  EXPECT_EQ(DAVSIM_CALL(Im2col, self, window, once, none, once, out), 161002);
}

TEST_F(WindowsTest, ResizesByTheNearestPoint) {
  const DeviceTensor self({1, 2, 2, 3}, counted(12)), out({1, 2, 3, 6}, Numbers(36));
  const Ints size{3, 6}, one{3};
  ASSERT_EQ(DAVSIM_CALL(UpsampleNearest2d, self, size, out), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (const int plane : {0, 6}) {
    for (const int row : {0, 0, 3}) {
      for (int i = 0; i < 6; ++i) expected.push_back(plane + row + i / 2);
    }
  }
  EXPECT_EQ(out.values(), expected);
  EXPECT_EQ(DAVSIM_CALL(UpsampleNearest2d, self, one, out), 161002);
}

}  // namespace
}  // namespace davsim::test::windows
