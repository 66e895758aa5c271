// Pools with places or gradients, and adaptive ones, against windows that are visited one by one.
#include <cmath>
#include <functional>

#include "lists/windows.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::pools {
namespace {

/// What a place of the result along one dimension has: from `first` up to `beyond`, as far as that
/// is inside, and how many elements that counts.
struct Window {
  std::int64_t first, beyond, counted;
};
using Windows = std::vector<Window>;

Windows sliding(std::int64_t size, std::int64_t window, std::int64_t step, std::int64_t padding) {
  Windows all;
  for (std::int64_t first = -padding; first + window <= size + padding; first += step) {
    all.push_back({std::max<std::int64_t>(first, 0), std::min(first + window, size), window});
  }
  return all;
}

Windows covering(std::int64_t size, std::int64_t count) {
  Windows all;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto first = static_cast<std::int64_t>(std::floor(double(i * size) / double(count)));
    const auto beyond =
        static_cast<std::int64_t>(std::ceil(double((i + 1) * size) / double(count)));
    all.push_back({first, beyond, beyond - first});
  }
  return all;
}

/// Calls `visit` with the place of the result, each place of the volume in its window and the
/// number of elements that count.
void each_element(const std::vector<Windows>& dims, const Sizes& sizes,
                  const std::function<void(std::size_t, std::size_t, double)>& visit) {
  std::size_t place = 0;
  for (const Window& z : dims[0]) {
    for (const Window& y : dims[1]) {
      for (const Window& x : dims[2]) {
        for (std::int64_t i = z.first; i < z.beyond; ++i) {
          for (std::int64_t j = y.first; j < y.beyond; ++j) {
            for (std::int64_t k = x.first; k < x.beyond; ++k) {
              visit(place, static_cast<std::size_t>((i * sizes[1] + j) * sizes[2] + k),
                    static_cast<double>(z.counted * y.counted * x.counted));
            }
          }
        }
        ++place;
      }
    }
  }
}

class PoolsTest : public BasicTest {
 protected:
  static constexpr std::size_t kPlanes = 3;

  using Call = std::function<aclnnStatus(const aclTensor*, aclTensor*)>;
  using Gradient = std::function<aclnnStatus(const aclTensor*, const aclTensor*, aclTensor*)>;

  /// Means of windows over [3, sizes], of which the first size is left out if it is 1.
  void expect_means(const std::vector<Windows>& dims, const Sizes& sizes, const Call& call,
                    const Gradient& gradient) {
    const auto volume = static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2]);
    const std::size_t places = dims[0].size() * dims[1].size() * dims[2].size();
    Sizes from{kPlanes}, to{kPlanes};
    for (std::size_t d = sizes[0] == 1 ? 1 : 0; d < 3; ++d) {
      from.push_back(sizes[d]);
      to.push_back(std::ssize(dims[d]));
    }
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      const Numbers x = of_type(spread(kPlanes * volume, -2, 2), type);
      const Numbers dy = of_type(spread(kPlanes * places, -1, 1), type);
      Numbers y(dy.size()), dx(x.size());
      each_element(dims, sizes, [&](std::size_t place, std::size_t at, double count) {
        for (std::size_t plane = 0; plane < kPlanes; ++plane) {
          y[plane * places + place] += x[plane * volume + at] / count;
          dx[plane * volume + at] += dy[plane * places + place] / count;
        }
      });
      const DeviceTensor self(from, x, type), out(to, Numbers(y.size()), type);
      const DeviceTensor given(to, dy, type), back(from, Numbers(dx.size()), type);
      if (call) {
        ASSERT_EQ(call(self, out), ACL_SUCCESS) << last_error();
        expect_near(out.values(), y, 2 * rounding_of(type));
        EXPECT_EQ(call(nullptr, out), 161001);
        EXPECT_EQ(call(self, self), 161002);
      }
      ASSERT_EQ(gradient(given, self, back), ACL_SUCCESS) << last_error();
      expect_near(back.values(), dx, 2 * rounding_of(type));
      EXPECT_EQ(gradient(given, nullptr, back), 161001);
      EXPECT_EQ(gradient(given, self, out), 161002);
    }
  }
};

TEST_F(PoolsTest, MeansOfSlidingWindows) {
  const Ints window{3, 2}, step{2, 2}, padding{1, 0};
  expect_means({{{0, 1, 1}}, sliding(7, 3, 2, 1), sliding(8, 2, 2, 0)}, {1, 7, 8}, nullptr,
               [&](auto dy, auto x, auto out) {
                 return DAVSIM_CALL(AvgPool2dBackward, dy, x, window, step, padding, false, true, 0,
                                    std::int8_t{0}, out);
               });
  const Ints cube{2, 3, 2}, steps{1, 2, 2}, pads{0, 1, 1};
  expect_means(
      {sliding(4, 2, 1, 0), sliding(5, 3, 2, 1), sliding(6, 2, 2, 1)}, {4, 5, 6},
      [&](auto x, auto out) {
        return DAVSIM_CALL(AvgPool3d, x, cube, steps, pads, false, true, 0, out);
      },
      [&](auto dy, auto x, auto out) {
        return DAVSIM_CALL(AvgPool3dBackward, dy, x, cube, steps, pads, false, true, 0, out);
      });
}

TEST_F(PoolsTest, MeansWithADivisor) {
  const DeviceTensor x({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), out({1, 1, 1, 1}, {0}),
      dy({1, 1, 1, 1}, {4});
  const DeviceTensor dx({1, 2, 2, 2}, Numbers(8));
  const Ints two{2}, none{0};
  ASSERT_EQ(DAVSIM_CALL(AvgPool3d, x, two, two, none, false, true, 2, out), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), Numbers({18}));
  ASSERT_EQ(DAVSIM_CALL(AvgPool3dBackward, dy, x, two, two, none, false, true, 2, dx), ACL_SUCCESS);
  EXPECT_EQ(dx.values(), Numbers(8, 2));
}

TEST_F(PoolsTest, MeansOfCoveringWindows) {
  for (const std::int64_t count : {1, 3, 4}) {
    const Ints size{count, 5}, sizes{2, count, 3};
    expect_means(
        {{{0, 1, 1}}, covering(8, count), covering(7, 5)}, {1, 8, 7},
        [&](auto x, auto out) { return DAVSIM_CALL(AdaptiveAvgPool2d, x, size, out); },
        [&](auto dy, auto x, auto out) {
          return DAVSIM_CALL(AdaptiveAvgPool2dBackward, dy, x, out);
        });
    expect_means(
        {covering(5, 2), covering(8, count), covering(7, 3)}, {5, 8, 7},
        [&](auto x, auto out) { return DAVSIM_CALL(AdaptiveAvgPool3d, x, sizes, out); },
        [&](auto dy, auto x, auto out) {
          return DAVSIM_CALL(AdaptiveAvgPool3dBackward, dy, x, out);
        });
  }
  // Windows of one size run on the cores.
  const Ints whole{1, 1};
  expect_means(
      {{{0, 1, 1}}, covering(9, 1), covering(6, 1)}, {1, 9, 6},
      [&](auto x, auto out) { return DAVSIM_CALL(AdaptiveAvgPool2d, x, whole, out); },
      [&](auto dy, auto x, auto out) {
        return DAVSIM_CALL(AdaptiveAvgPool2dBackward, dy, x, out);
      });
}

TEST_F(PoolsTest, PlacesOfTheGreatest) {
  const DeviceTensor x({1, 3, 4}, {1, 5, 2, 2, 9, 0, 2, 7, 3, 3, 8, std::nan("")});
  const DeviceTensor out({1, 2, 2}, Numbers(4)), places({1, 2, 2}, Numbers(4), ACL_INT32);
  const Ints two{2, 2}, one{1}, around{1, 0};
  ASSERT_EQ(DAVSIM_CALL(MaxPool2dWithIndices, x, two, two, around, one, false, out, places),
            ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), {5, 2, 9, std::nan("")}, 0);
  EXPECT_EQ(places.values(), Numbers({1, 2, 4, 11}));
  const DeviceTensor dy({1, 2, 2}, {1, 2, 3, 4}), dx({1, 3, 4}, Numbers(12, 9));
  ASSERT_EQ(
      DAVSIM_CALL(MaxPool2dWithIndicesBackward, dy, x, places, two, two, around, one, false, dx),
      ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(dx.values(), Numbers({0, 1, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4}));
  const DeviceTensor wide({1, 2, 2}, Numbers(4), ACL_INT64),
      halves({1, 2, 2}, Numbers(4), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(AdaptiveMaxPool2d, x, two, out, wide), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {9, 7, 9, std::nan("")}, 0);
  EXPECT_EQ(wide.values(), Numbers({4, 7, 4, 11}));
  ASSERT_EQ(DAVSIM_CALL(AdaptiveMaxPool2dBackward, dy, x, wide, dx), ACL_SUCCESS) << last_error();
  EXPECT_EQ(dx.values(), Numbers({0, 0, 0, 0, 4, 0, 0, 2, 0, 0, 0, 4}));
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool2d, x, two, out, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool2d, x, one, out, wide), 161002);
  EXPECT_EQ(DAVSIM_CALL(MaxPool2dWithIndices, x, two, two, around, one, false, halves, places),
            161002);
  EXPECT_EQ(DAVSIM_CALL(MaxPool2dWithIndices, x, two, two, around, one, false, out, nullptr),
            161001);
  EXPECT_EQ(DAVSIM_CALL(MaxPool2dWithIndices, x, two, two, two, one, false, out, places), 161002);
}

/// Where the greatest element of each window lies, the first of equal ones.
Numbers places_of_greatest(const std::vector<Windows>& dims, const Sizes& sizes, const Numbers& x) {
  Numbers places;
  each_element(dims, sizes, [&](std::size_t place, std::size_t at, double) {
    if (places.size() == place) places.push_back(static_cast<double>(at));
    if (x[at] > x[static_cast<std::size_t>(places[place])]) places[place] = static_cast<double>(at);
  });
  return places;
}

TEST_F(PoolsTest, PlacesOfTheGreatestInVolumes) {
  const Sizes sizes{5, 6, 7};
  const Ints window{3, 2, 3}, step{2, 2, 1}, around{1, 0, 1}, one{1}, count{2, 4, 3};
  const std::vector<Windows> slide = {sliding(5, 3, 2, 1), sliding(6, 2, 2, 0),
                                      sliding(7, 3, 1, 1)};
  const std::vector<Windows> cover = {covering(5, 2), covering(6, 4), covering(7, 3)};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Numbers x = of_type(spread(2 * 210, -2, 2), type);
    const DeviceTensor self({2, 5, 6, 7}, x, type);
    for (const bool slides : {true, false}) {
      const std::vector<Windows>& dims = slides ? slide : cover;
      Numbers y, places, dx(x.size()), dy;
      for (std::size_t plane = 0; plane < 2; ++plane) {
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(plane) * 210;
        const Numbers of(first, first + 210);
        for (const double place : places_of_greatest(dims, sizes, of)) {
          dy.push_back(as_type(0.5 * static_cast<double>(dy.size() % 5), type));
          dx[plane * 210 + static_cast<std::size_t>(place)] += dy.back();
          y.push_back(of[static_cast<std::size_t>(place)]);
          places.push_back(place);
        }
      }
      const Sizes to{2, std::ssize(dims[0]), std::ssize(dims[1]), std::ssize(dims[2])};
      const DeviceTensor out(to, Numbers(y.size()), type);
      const DeviceTensor indices(to, Numbers(y.size()), slides ? ACL_INT32 : ACL_INT64);
      const DeviceTensor given(to, dy, type), back({2, 5, 6, 7}, Numbers(x.size()), type);
      ASSERT_EQ(slides ? DAVSIM_CALL(MaxPool3dWithArgmax, self, window, step, around, one, false,
                                     out, indices)
                       : DAVSIM_CALL(AdaptiveMaxPool3d, self, count, out, indices),
                ACL_SUCCESS)
          << last_error();
      EXPECT_EQ(out.values(), y);
      EXPECT_EQ(indices.values(), places);
      ASSERT_EQ(slides ? DAVSIM_CALL(MaxPool3dWithArgmaxBackward, given, self, indices, window,
                                     step, around, one, false, back)
                       : DAVSIM_CALL(AdaptiveMaxPool3dBackward, given, self, indices, back),
                ACL_SUCCESS)
          << last_error();
      expect_near(back.values(), dx, 2 * rounding_of(type));
    }
  }
}

TEST_F(PoolsTest, RulesOfVolumes) {
  const DeviceTensor x({1, 2, 4, 4}, Numbers(32)), out({1, 1, 2, 2}, Numbers(4));
  const DeviceTensor places({1, 1, 2, 2}, Numbers(4), ACL_INT32), plane({1, 2, 2}, Numbers(4));
  const Ints two{2}, none{0}, one{1}, pair{2, 2}, sizes{1, 2, 2}, zero{0, 2, 2};
  aclTensor* const null = nullptr;
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmax, null, two, two, none, one, false, out, places),
            161001);
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmax, x, two, two, none, one, false, out, null), 161001);
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmax, x, pair, two, none, one, false, out, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmax, x, two, two, two, one, false, out, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmax, x, two, one, none, one, false, out, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmax, x, two, two, none, one, false, out, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmax, plane, two, two, none, one, false, out, places),
            161002);
  EXPECT_EQ(DAVSIM_CALL(MaxPool3dWithArgmaxBackward, x, x, places, two, two, none, one, false, x),
            161002);
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool3d, x, pair, out, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool3d, x, zero, out, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool3d, x, sizes, x, places), 161002);
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool3d, x, sizes, out, places), ACL_SUCCESS) << last_error();
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool3dBackward, out, x, null, x), 161001);
}

TEST_F(PoolsTest, GradientsAtAPlaceThatThereIsNot) {
  const DeviceTensor x({1, 2, 2}, Numbers(4)), dy({1, 1, 1}, {1}), place({1, 1, 1}, {4}, ACL_INT32);
  EXPECT_EQ(DAVSIM_CALL(AdaptiveMaxPool2dBackward, dy, x, place, x), 507018);
  expect_error("element 0 of indices is 4");
}

}  // namespace
}  // namespace davsim::test::pools
