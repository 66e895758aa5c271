// Images that are resized, against weights of single points.
#include <cmath>
#include <functional>

#include "lists/upsampling.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::upsampling {
namespace {

/// The weight of the place `from` of `size` for the place `to` of `made`.
using Weight =
    std::function<double(std::int64_t from, std::int64_t size, std::int64_t to, std::int64_t made)>;

double nearest(std::int64_t from, std::int64_t size, std::int64_t to, std::int64_t made) {
  return from == to * size / made ? 1 : 0;
}
double nearest_to_middle(std::int64_t from, std::int64_t size, std::int64_t to, std::int64_t made) {
  return from == (2 * to + 1) * size / (2 * made) ? 1 : 0;
}
double middle(std::int64_t size, std::int64_t to, std::int64_t made) {
  return (static_cast<double>(to) + 0.5) * static_cast<double>(size) / static_cast<double>(made) -
         0.5;
}
double corner(std::int64_t size, std::int64_t to, std::int64_t made) {
  return made == 1 ? 0 : static_cast<double>(to * (size - 1)) / static_cast<double>(made - 1);
}
double tent(double distance) {
  return std::max(0.0, 1 - std::fabs(distance));
}
double cubic(double distance) {
  const double d = std::fabs(distance), a = -0.75;
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}
/// The kernel around a point, of which the edges have what lies beyond them.
double with_edges(double (*kernel)(double), double at, std::int64_t from, std::int64_t size) {
  double sum = 0;
  for (std::int64_t place = -3; place < size + 3; ++place) {
    const std::int64_t own = place < 0 ? 0 : place >= size ? size - 1 : place;
    if (own == from) sum += kernel(at - static_cast<double>(place));
  }
  return sum;
}
Weight around(double (*kernel)(double), bool corners) {
  return [=](std::int64_t from, std::int64_t size, std::int64_t to, std::int64_t made) {
    const double at = corners ? corner(size, to, made) : middle(size, to, made);
    return with_edges(kernel, at, from, size);
  };
}

class UpsamplingTest : public BasicTest {
 protected:
  using Call = std::function<aclnnStatus(const aclTensor*, const aclIntArray*, aclTensor*)>;
  using Gradient = std::function<aclnnStatus(const aclTensor*, const aclIntArray*,
                                             const aclIntArray*, aclTensor*)>;

  /// Resizes the last `dims` of 2 x 3 images of 4 x 3 x 5.
  void expect(std::size_t dims, const Weight& weight, const Call& call, const Gradient& gradient) {
    const Sizes spatial{4, 3, 5}, resized{3, 7, 8};
    const Sizes from_last(spatial.end() - std::ptrdiff_t(dims), spatial.end());
    const Sizes to_last(resized.end() - std::ptrdiff_t(dims), resized.end());
    Sizes from{2, 3}, to{2, 3};
    from.insert(from.end(), from_last.begin(), from_last.end());
    to.insert(to.end(), to_last.begin(), to_last.end());
    const std::size_t points = count_of(from_last), places = count_of(to_last);
    const auto share = [&](std::size_t point, std::size_t place) {
      double product = 1;
      for (std::size_t d = dims; d-- > 0;) {
        const auto own = static_cast<std::size_t>(from_last[d]);
        const auto made = static_cast<std::size_t>(to_last[d]);
        product *= weight(static_cast<std::int64_t>(point % own), from_last[d],
                          static_cast<std::int64_t>(place % made), to_last[d]);
        point /= own;
        place /= made;
      }
      return product;
    };
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      const Numbers x = of_type(spread(6 * points, -2, 2), type);
      const Numbers dy = of_type(spread(6 * places, -1, 1), type);
      Numbers y(dy.size()), dx(x.size());
      for (std::size_t image = 0; image < 6; ++image) {
        for (std::size_t point = 0; point < points; ++point) {
          for (std::size_t place = 0; place < places; ++place) {
            const double part = share(point, place);
            y[image * places + place] += part * x[image * points + point];
            dx[image * points + point] += part * dy[image * places + place];
          }
        }
      }
      const DeviceTensor self(from, x, type), out(to, Numbers(y.size()), type);
      ASSERT_EQ(call(self, Ints(to_last), out), ACL_SUCCESS) << last_error();
      expect_near(out.values(), y, rounding_of(type));
      const DeviceTensor given(to, dy, type), back(from, Numbers(dx.size()), type);
      ASSERT_EQ(gradient(given, Ints(to_last), Ints(from), back), ACL_SUCCESS) << last_error();
      expect_near(back.values(), dx, rounding_of(type));
      EXPECT_EQ(call(self, Ints{3, 3, 3, 3}, out), 161002);
      EXPECT_EQ(call(nullptr, Ints(to_last), out), 161001);
      EXPECT_EQ(gradient(given, Ints(to_last), Ints(to), back), 161002);
      EXPECT_EQ(gradient(given, Ints(to_last), nullptr, back), 161001);
    }
  }
  static std::size_t count_of(const Sizes& sizes) {
    std::size_t count = 1;
    for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
    return count;
  }
};

/// Calls with what stands between the sizes and the result.
#define DAVSIM_RESIZE(Name, ...)                                                         \
  [&](auto x, auto to, auto out) { return DAVSIM_CALL(Name, x, to, __VA_ARGS__, out); }, \
      [&](auto dy, auto to, auto from, auto out) {                                       \
        return DAVSIM_CALL(Name##Backward, dy, to, from, __VA_ARGS__, out);              \
      }

TEST_F(UpsamplingTest, ByTheNearestPoint) {
  expect(
      1, nearest,
      [&](auto x, auto to, auto out) { return DAVSIM_CALL(UpsampleNearest1d, x, to, out); },
      [&](auto dy, auto to, auto from, auto out) {
        return DAVSIM_CALL(UpsampleNearest1dBackward, dy, to, from, 0.0, out);
      });
  expect(
      2, nearest,
      [&](auto x, auto to, auto out) { return DAVSIM_CALL(UpsampleNearest2d, x, to, out); },
      [&](auto dy, auto to, auto from, auto out) {
        return DAVSIM_CALL(UpsampleNearest2dBackward, dy, to, from, 0.0, 0.0, out);
      });
  expect(3, nearest, DAVSIM_RESIZE(UpsampleNearest3d, 0.0, 0.0, 0.0));
  expect(1, nearest_to_middle, DAVSIM_RESIZE(UpsampleNearestExact1d, 0.0));
  expect(2, nearest_to_middle, DAVSIM_RESIZE(UpsampleNearestExact2d, 0.0, 0.0));
  expect(3, nearest_to_middle, DAVSIM_RESIZE(UpsampleNearestExact3d, 0.0, 0.0, 0.0));
}

TEST_F(UpsamplingTest, ToTheSizesOfTheResult) {
  const float numbers[] = {1, 1, 2, 2};
  aclFloatArray* const scales = aclCreateFloatArray(numbers, 4);
  aclFloatArray* const few = aclCreateFloatArray(numbers, 3);
  const std::pair<const char*, Weight> modes[] = {{"nearest", nearest},
                                                  {"bilinear", around(tent, false)}};
  for (const auto& [mode, weight] : modes) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
      const Numbers x = of_type(spread(3 * 5, -2, 2), type);
      Numbers y;
      for (std::int64_t row = 0; row < 7; ++row) {
        for (std::int64_t column = 0; column < 8; ++column) {
          double sum = 0;
          for (std::int64_t i = 0; i < 15; ++i) {
            sum += weight(i / 5, 3, row, 7) * weight(i % 5, 5, column, 8) *
                   x[static_cast<std::size_t>(i)];
          }
          y.push_back(sum);
        }
      }
      const DeviceTensor self({1, 1, 3, 5}, x, type), out({1, 1, 7, 8}, Numbers(56), type);
      ASSERT_EQ(DAVSIM_CALL(Resize, self, scales, mode, out), ACL_SUCCESS) << last_error();
      expect_near(out.values(), y, rounding_of(type));
    }
  }
  const DeviceTensor x({1, 1, 2, 2}, Numbers(4)), out({1, 1, 3, 3}, Numbers(9));
  const DeviceTensor line({3}, Numbers(3));
  EXPECT_EQ(DAVSIM_CALL(Resize, x, few, "nearest", out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Resize, x, scales, "nearest", line), 161002);
  EXPECT_EQ(DAVSIM_CALL(Resize, x, scales, "cubic", out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Resize, x, scales, nullptr, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(Resize, x, nullptr, "nearest", out), 161001);
  EXPECT_EQ(aclDestroyFloatArray(scales), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyFloatArray(few), ACL_SUCCESS);
}

TEST_F(UpsamplingTest, ByLines) {
  for (const bool corners : {false, true}) {
    expect(1, around(tent, corners), DAVSIM_RESIZE(UpsampleLinear1d, corners, 0.0));
    expect(2, around(tent, corners), DAVSIM_RESIZE(UpsampleBilinear2d, corners, 0.0, 0.0));
    expect(3, around(tent, corners), DAVSIM_RESIZE(UpsampleTrilinear3d, corners, 0.0, 0.0, 0.0));
  }
}

TEST_F(UpsamplingTest, ByCubicConvolution) {
  for (const bool corners : {false, true}) {
    expect(2, around(cubic, corners), DAVSIM_RESIZE(UpsampleBicubic2d, corners, 0.0, 0.0));
  }
}

TEST_F(UpsamplingTest, ByScales) {
  const DeviceTensor x({1, 1, 3}, {0, 8, 16}), out({1, 1, 5}, Numbers(5));
  // A place of the result is half a place of the source, though the sizes say 3 / 5.
  ASSERT_EQ(DAVSIM_CALL(UpsampleLinear1d, x, Ints{5}, false, 2.0, out), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), Numbers({0, 2, 6, 10, 14}));
  ASSERT_EQ(DAVSIM_CALL(UpsampleNearestExact1d, x, Ints{5}, 2.0, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({0, 0, 8, 8, 16}));
}

TEST_F(UpsamplingTest, OfBytes) {
  const DeviceTensor x({1, 1, 1, 2}, {7, 255}, ACL_UINT8), out({1, 1, 1, 4}, Numbers(4), ACL_UINT8);
  ASSERT_EQ(DAVSIM_CALL(UpsampleNearest2d, x, Ints({1, 4}), out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({7, 7, 255, 255}));
  EXPECT_EQ(DAVSIM_CALL(UpsampleBilinear2d, x, Ints({1, 4}), false, 0.0, 0.0, out), 161002);
}

}  // namespace
}  // namespace davsim::test::upsampling
