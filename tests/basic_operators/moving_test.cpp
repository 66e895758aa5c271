// Functions that move elements, on elements of all widths, against loops of the host.
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_reflection_pad1d.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_slice_v2.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "aclnnop/aclnn_stack.h"
#include "aclnnop/aclnn_strided_slice_assign_v2.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::moving {
namespace {

class MovingTest : public BasicTest {};

std::int64_t count_of(const Sizes& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

/// Whole numbers that all types have.
Numbers pattern(const Sizes& sizes) {
  Numbers values;
  for (std::int64_t i = 0; i < count_of(sizes); ++i) {
    values.push_back(static_cast<double>(i * 7 % 127));
  }
  return values;
}

/// Each element of a result of these sizes: `of` says where it is from.
template <class Of>
Numbers expected(const Sizes& sizes, const Of& of) {
  Numbers values;
  Sizes at(sizes.size(), 0);
  for (std::int64_t i = 0; i < count_of(sizes); ++i) {
    values.push_back(of(at));
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
  return values;
}

/// An element of a tensor whose elements follow each other.
double element(const Numbers& values, const Sizes& sizes, const Sizes& at) {
  std::int64_t place = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) place = place * sizes[d] + at[d];
  return values[static_cast<std::size_t>(place)];
}

constexpr aclDataType kWidths[] = {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_INT64};

struct PermuteCase {
  Sizes sizes;
  Sizes dims;
};

TEST_F(MovingTest, PermutesOfAllWidths) {
  const PermuteCase cases[] = {
      {{5, 300, 7, 64}, {0, 2, 1, 3}}, {{300, 517}, {1, 0}},     {{3, 70, 90}, {0, 2, 1}},
      {{20, 30, 40}, {2, 0, 1}},       {{1000, 3}, {1, 0}},      {{4, 5, 6, 7}, {3, 2, 1, 0}},
      {{2, 3, 4}, {0, -1, 1}},         {{64, 1, 700}, {2, 1, 0}}};
  for (const aclDataType type : kWidths) {
    for (const PermuteCase& test : cases) {
      const Numbers values = pattern(test.sizes);
      Sizes to;
      Sizes order;
      for (const std::int64_t dim : test.dims) {
        order.push_back(dim < 0 ? dim + static_cast<std::int64_t>(test.sizes.size()) : dim);
        to.push_back(test.sizes[static_cast<std::size_t>(order.back())]);
      }
      const DeviceTensor self(test.sizes, values, type), out(to, Numbers(values.size()), type);
      aclIntArray* const dims = aclCreateIntArray(test.dims.data(), test.dims.size());
      ASSERT_EQ(DAVSIM_CALL(Permute, self, dims, out), ACL_SUCCESS) << last_error();
      aclDestroyIntArray(dims);
      EXPECT_EQ(out.values(), expected(to,
                                       [&](const Sizes& at) {
                                         Sizes from(at.size());
                                         for (std::size_t d = 0; d < at.size(); ++d) {
                                           from[static_cast<std::size_t>(order[d])] = at[d];
                                         }
                                         return element(values, test.sizes, from);
                                       }))
          << "type " << type << ", dims " << test.dims.size() << " of " << test.sizes[0];
    }
  }
}

TEST_F(MovingTest, PermuteNamesWhatIsWrong) {
  const DeviceTensor self({2, 3}, Numbers(6)), out({3, 2}, Numbers(6));
  const Ints twice{0, 0}, one{0}, beyond{0, 2}, right{1, 0}, same{0, 1};
  EXPECT_EQ(DAVSIM_CALL(Permute, self, twice, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Permute, self, one, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Permute, self, beyond, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Permute, self, same, out), 161002);
  expect_error("out has the shape [2,3], not [3,2]");
  EXPECT_EQ(DAVSIM_CALL(Permute, self, right, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(Permute, nullptr, right, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(Permute, self, nullptr, out), 161001);
}

TEST_F(MovingTest, CatsAlongEachDimension) {
  for (const aclDataType type : kWidths) {
    for (const std::int64_t dim : {0, 1, -1}) {
      std::vector<Sizes> parts = {{3, 40, 65}, {3, 40, 65}, {3, 40, 65}};
      const std::size_t at = dim < 0 ? 2 : static_cast<std::size_t>(dim);
      parts[1][at] = 11;
      parts[2][at] = 130;
      Sizes to = parts[0];
      to[at] += 11 + 130;
      std::vector<std::unique_ptr<DeviceTensor>> tensors;
      std::vector<const aclTensor*> list;
      std::vector<Numbers> all_values;
      for (const Sizes& part : parts) {
        Numbers values = pattern(part);
        for (double& value : values) value = std::fmod(value + static_cast<double>(part[at]), 127);
        all_values.push_back(values);
        tensors.push_back(std::make_unique<DeviceTensor>(part, values, type));
        list.push_back(tensors.back()->get());
      }
      const DeviceTensor out(to, Numbers(static_cast<std::size_t>(count_of(to))), type);
      const TensorList all(list.data(), list.size());
      ASSERT_EQ(DAVSIM_CALL(Cat, all, dim, out), ACL_SUCCESS) << last_error();
      EXPECT_EQ(out.values(), expected(to,
                                       [&](Sizes place) {
                                         std::size_t part = 0;
                                         while (place[at] >= parts[part][at])
                                           place[at] -= parts[part++][at];
                                         return element(all_values[part], parts[part], place);
                                       }))
          << "type " << type << ", dim " << dim;
    }
  }
}

/// More tensors than a launch takes, of another type, and an empty one.
TEST_F(MovingTest, CatsManyTensors) {
  std::vector<std::unique_ptr<DeviceTensor>> tensors;
  std::vector<const aclTensor*> list;
  Numbers all;
  for (int i = 0; i < 40; ++i) {
    const Numbers values = spread(static_cast<std::size_t>(50 + i), -9, 9);
    Numbers kept;
    for (const double value : values) kept.push_back(as_type(value, ACL_FLOAT16));
    tensors.push_back(
        std::make_unique<DeviceTensor>(Sizes{50 + i}, kept, i % 2 == 0 ? ACL_FLOAT16 : ACL_FLOAT));
    list.push_back(tensors.back()->get());
    all.insert(all.end(), kept.begin(), kept.end());
  }
  const DeviceTensor empty({0}, {});
  list.insert(list.begin() + 3, empty.get());
  const DeviceTensor out({static_cast<std::int64_t>(all.size())}, Numbers(all.size()));
  ASSERT_EQ(DAVSIM_CALL(Cat, TensorList(list.data(), list.size()), 0, out), ACL_SUCCESS);
  EXPECT_EQ(out.values(), all);
}

TEST_F(MovingTest, CatNamesWhatDoesNotFit) {
  const DeviceTensor a({2, 3}, Numbers(6)), b({2, 4}, Numbers(8)), out({4, 3}, Numbers(12));
  const aclTensor* const two[] = {a.get(), b.get()};
  EXPECT_EQ(DAVSIM_CALL(Cat, TensorList(two, 2), 0, out), 161002);
  expect_error("tensors has the shape [2,3], not [2,4]");
  EXPECT_EQ(DAVSIM_CALL(Cat, TensorList(two, 1), 0, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cat, TensorList(two, 1), 2, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Cat, nullptr, 0, out), 161001);
}

TEST_F(MovingTest, StacksAndSplits) {
  for (const aclDataType type : kWidths) {
    const Sizes part = {50, 33};
    const Numbers x = pattern(part);
    Numbers y = x;
    std::ranges::reverse(y);
    const DeviceTensor first(part, x, type), second(part, y, type);
    for (const std::int64_t dim : {0, 1, 2, -1}) {
      const std::size_t at = dim < 0 ? 2 : static_cast<std::size_t>(dim);
      Sizes to = part;
      to.insert(to.begin() + static_cast<std::ptrdiff_t>(at), 2);
      const DeviceTensor out(to, Numbers(2 * x.size()), type);
      const aclTensor* const both[] = {first.get(), second.get()};
      ASSERT_EQ(DAVSIM_CALL(Stack, TensorList(both, 2), dim, out), ACL_SUCCESS);
      EXPECT_EQ(out.values(),
                expected(to,
                         [&](Sizes place) {
                           const bool is_first = place[at] == 0;
                           place.erase(place.begin() + static_cast<std::ptrdiff_t>(at));
                           return element(is_first ? x : y, part, place);
                         }))
          << "type " << type << ", dim " << dim;
    }
    const DeviceTensor left({50, 20}, Numbers(1000), type), right({50, 13}, Numbers(650), type);
    const aclTensor* const halves[] = {left.get(), right.get()};
    const TensorList list(halves, 2);
    const auto expect_split = [&] {
      EXPECT_EQ(left.values(),
                expected({50, 20}, [&](const Sizes& place) { return element(x, part, place); }));
      EXPECT_EQ(right.values(), expected({50, 13}, [&](Sizes place) {
                  place[1] += 20;
                  return element(x, part, place);
                }));
    };
    ASSERT_EQ(DAVSIM_CALL(SplitTensor, first, 20, 1, list), ACL_SUCCESS) << last_error();
    expect_split();
    const Ints sizes{20, 13}, wrong{20, 12};
    ASSERT_EQ(DAVSIM_CALL(SplitWithSize, first, sizes, -1, list), ACL_SUCCESS) << last_error();
    expect_split();
    EXPECT_EQ(DAVSIM_CALL(SplitWithSize, first, wrong, -1, list), 161002);
    EXPECT_EQ(DAVSIM_CALL(SplitTensor, first, 30, 1, list), 161002);
    EXPECT_EQ(DAVSIM_CALL(SplitTensor, first, 0, 1, list), 161002);
  }
}

struct SliceCase {
  std::int64_t dim, start, end, step, first, size;
};

TEST_F(MovingTest, Slices) {
  const Sizes sizes = {20, 30, 50};
  const Numbers x = pattern(sizes);
  for (const aclDataType type : kWidths) {
    const DeviceTensor self(sizes, x, type);
    for (const SliceCase& test : {SliceCase{0, 3, 17, 1, 3, 14}, SliceCase{1, -25, -1, 3, 5, 8},
                                  SliceCase{2, 1, 100, 2, 1, 25}, SliceCase{-1, 10, 49, 1, 10, 39},
                                  SliceCase{0, 9, 3, 1, 9, 0}}) {
      const std::size_t at = test.dim < 0 ? 2 : static_cast<std::size_t>(test.dim);
      Sizes to = sizes;
      to[at] = test.size;
      const DeviceTensor out(to, Numbers(static_cast<std::size_t>(count_of(to))), type);
      ASSERT_EQ(DAVSIM_CALL(Slice, self, test.dim, test.start, test.end, test.step, out),
                ACL_SUCCESS)
          << last_error();
      EXPECT_EQ(out.values(), expected(to,
                                       [&](Sizes place) {
                                         place[at] = test.first + place[at] * test.step;
                                         return element(x, sizes, place);
                                       }))
          << "type " << type << ", dim " << test.dim;
    }
    const Ints starts{2, 5}, ends{18, 45}, axes{0, -1}, steps{4, 1};
    const DeviceTensor out({4, 30, 40}, Numbers(4800), type);
    ASSERT_EQ(DAVSIM_CALL(SliceV2, self, starts, ends, axes, steps, out), ACL_SUCCESS);
    const Numbers chosen = expected({4, 30, 40}, [&](const Sizes& place) {
      return element(x, sizes, {2 + 4 * place[0], place[1], 5 + place[2]});
    });
    EXPECT_EQ(out.values(), chosen);
    const DeviceTensor var(sizes, Numbers(x.size(), 1), type), value({4, 30, 40}, chosen, type);
    ASSERT_EQ(DAVSIM_CALL(StridedSliceAssignV2, var, value, starts, ends, steps, axes),
              ACL_SUCCESS);
    EXPECT_EQ(var.values(), expected(sizes, [&](const Sizes& place) {
                const bool is_chosen = place[0] >= 2 && place[0] < 18 && (place[0] - 2) % 4 == 0 &&
                                       place[2] >= 5 && place[2] < 45;
                return is_chosen ? element(x, sizes, place) : 1;
              }));
  }
  const DeviceTensor self(sizes, x), out({20, 30, 50}, Numbers(x.size()));
  EXPECT_EQ(DAVSIM_CALL(Slice, self, 0, 0, 20, 0, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Slice, self, 0, 0, 19, 1, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Slice, self, 3, 0, 20, 1, out), 161002);
}

TEST_F(MovingTest, RepeatsAndExpands) {
  const Sizes sizes = {3, 1, 70};
  const Numbers x = pattern(sizes);
  for (const aclDataType type : kWidths) {
    const DeviceTensor self(sizes, x, type);
    const Ints repeats{2, 2, 5, 3};
    const Sizes tiled = {2, 6, 5, 210};
    const DeviceTensor out(tiled, Numbers(static_cast<std::size_t>(count_of(tiled))), type);
    ASSERT_EQ(DAVSIM_CALL(Repeat, self, repeats, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), expected(tiled, [&](const Sizes& at) {
                return element(x, sizes, {at[1] % 3, 0, at[3] % 70});
              }));
    const Ints size{4, -1, 9, -1}, wrong{4, 2, 9, 70};
    const Sizes larger = {4, 3, 9, 70};
    const DeviceTensor wide(larger, Numbers(static_cast<std::size_t>(count_of(larger))), type);
    ASSERT_EQ(DAVSIM_CALL(Expand, self, size, wide), ACL_SUCCESS) << last_error();
    EXPECT_EQ(wide.values(), expected(larger, [&](const Sizes& at) {
                return element(x, sizes, {at[1], 0, at[3]});
              }));
    EXPECT_EQ(DAVSIM_CALL(Expand, self, wrong, wide), 161002);
    for (const std::int64_t times : {2, 40}) {
      const Sizes flat = {210 * times}, inside = {3, times, 70};
      const DeviceTensor each(flat, Numbers(static_cast<std::size_t>(flat[0])), type);
      ASSERT_EQ(DAVSIM_CALL(RepeatInterleaveInt, self, times, 210 * times, each), ACL_SUCCESS);
      EXPECT_EQ(each.values(), expected(flat, [&](const Sizes& at) {
                  return x[static_cast<std::size_t>(at[0] / times)];
                }));
      const DeviceTensor rows(inside, Numbers(static_cast<std::size_t>(flat[0])), type);
      ASSERT_EQ(DAVSIM_CALL(RepeatInterleaveIntWithDim, self, times, 1, times, rows), ACL_SUCCESS);
      EXPECT_EQ(rows.values(), expected(inside, [&](const Sizes& at) {
                  return element(x, sizes, {at[0], 0, at[2]});
                }));
      EXPECT_EQ(DAVSIM_CALL(RepeatInterleaveInt, self, times, 210, each), 161002);
    }
  }
}

TEST_F(MovingTest, RollsAndFlips) {
  const Sizes sizes = {7, 30, 40};
  const Numbers x = pattern(sizes);
  for (const aclDataType type : kWidths) {
    const DeviceTensor self(sizes, x, type), out(sizes, Numbers(x.size()), type);
    const Ints shifts{-2, 45}, dims{0, 2}, none{}, by{1000}, beyond{3};
    ASSERT_EQ(DAVSIM_CALL(Roll, self, shifts, dims, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), expected(sizes, [&](const Sizes& at) {
                return element(x, sizes, {(at[0] + 2) % 7, at[1], (at[2] + 35) % 40});
              }));
    ASSERT_EQ(DAVSIM_CALL(Roll, self, by, none, out), ACL_SUCCESS) << last_error();
    Numbers rotated = x;
    std::ranges::rotate(rotated, rotated.end() - 1000);
    EXPECT_EQ(out.values(), rotated);
    EXPECT_EQ(DAVSIM_CALL(Roll, self, shifts, none, out), 161002);
    ASSERT_EQ(DAVSIM_CALL(Flip, self, dims, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), expected(sizes, [&](const Sizes& at) {
                return element(x, sizes, {6 - at[0], at[1], 39 - at[2]});
              }));
    const Ints first{0, 1};
    ASSERT_EQ(DAVSIM_CALL(Flip, self, first, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), expected(sizes, [&](const Sizes& at) {
                return element(x, sizes, {6 - at[0], 29 - at[1], at[2]});
              }));
    EXPECT_EQ(DAVSIM_CALL(Flip, self, beyond, out), 161002);
  }
}

TEST_F(MovingTest, Pads) {
  const Sizes sizes = {4, 9, 50}, larger = {4, 12, 44};
  const Numbers x = pattern(sizes);
  for (const aclDataType type : kWidths) {
    const DeviceTensor self(sizes, x, type);
    const DeviceTensor out(larger, Numbers(static_cast<std::size_t>(count_of(larger))), type);
    const Ints pad{-10, 4, 1, 2}, odd{1, 2, 3}, many{1, 1, 1, 1, 1, 1, 1, 1};
    const Scalar value(3);
    ASSERT_EQ(DAVSIM_CALL(ConstantPadNd, self, pad, value, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), expected(larger, [&](const Sizes& at) {
                const bool inside = at[1] >= 1 && at[1] < 10 && at[2] < 40;
                return inside ? element(x, sizes, {at[0], at[1] - 1, at[2] + 10}) : 3;
              }));
    EXPECT_EQ(DAVSIM_CALL(ConstantPadNd, self, odd, value, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(ConstantPadNd, self, many, value, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(ConstantPadNd, self, pad, nullptr, out), 161001);
    const Sizes mirrored = {4, 9, 57};
    const DeviceTensor wide(mirrored, Numbers(static_cast<std::size_t>(count_of(mirrored))), type);
    const Ints around{2, 5}, far{50, 0};
    ASSERT_EQ(DAVSIM_CALL(ReflectionPad1d, self, around, wide), ACL_SUCCESS) << last_error();
    EXPECT_EQ(wide.values(), expected(mirrored, [&](const Sizes& at) {
                const std::int64_t place = std::abs(at[2] - 2);
                return element(x, sizes, {at[0], at[1], place < 50 ? place : 98 - place});
              }));
    EXPECT_EQ(DAVSIM_CALL(ReflectionPad1d, self, far, wide), 161002);
  }
}

/// Single elements of the source that are close together, far apart, the same, or backwards, for
/// more than a tile and a core.
TEST_F(MovingTest, RearrangesSingleElements) {
  for (const aclDataType type : kWidths) {
    const Sizes sizes = {700, 90};
    const Numbers x = pattern(sizes);
    const DeviceTensor self(sizes, x, type);
    const DeviceTensor every_third({700, 30}, Numbers(21000), type);
    ASSERT_EQ(DAVSIM_CALL(Slice, self, 1, 1, 90, 3, every_third), ACL_SUCCESS) << last_error();
    EXPECT_EQ(every_third.values(), expected({700, 30},
                                             [&](const Sizes& at) {
                                               return element(x, sizes, {at[0], 1 + 3 * at[1]});
                                             }))
        << "type " << type;
    const DeviceTensor narrow({700, 2}, Numbers(1400), type);
    ASSERT_EQ(DAVSIM_CALL(Slice, self, 1, 88, 90, 1, narrow), ACL_SUCCESS) << last_error();
    EXPECT_EQ(narrow.values(), expected({700, 2},
                                        [&](const Sizes& at) {
                                          return element(x, sizes, {at[0], 88 + at[1]});
                                        }))
        << "type " << type;
    const DeviceTensor column({700, 1}, {90, 1}, 4, x, type), wide({700, 65}, Numbers(45500), type);
    const Ints size{700, 65}, both{0, 1}, last{1};
    ASSERT_EQ(DAVSIM_CALL(Expand, column, size, wide), ACL_SUCCESS) << last_error();
    EXPECT_EQ(wide.values(), expected({700, 65},
                                      [&](const Sizes& at) {
                                        return element(x, sizes, {at[0], 4});
                                      }))
        << "type " << type;
    const DeviceTensor out(sizes, Numbers(x.size()), type);
    ASSERT_EQ(DAVSIM_CALL(Flip, self, both, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), expected(sizes,
                                     [&](const Sizes& at) {
                                       return element(x, sizes, {699 - at[0], 89 - at[1]});
                                     }))
        << "type " << type;
    ASSERT_EQ(DAVSIM_CALL(Flip, self, last, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), expected(sizes,
                                     [&](const Sizes& at) {
                                       return element(x, sizes, {at[0], 89 - at[1]});
                                     }))
        << "type " << type;
  }
}

/// Targets and sources with strides, and other types.
TEST_F(MovingTest, CopiesViewsAndTypes) {
  const Sizes sizes = {30, 100};
  for (const aclDataType type : kWidths) {
    Numbers storage = pattern({120 * 101});
    const DeviceTensor source(sizes, {101, 1}, 5, storage, type);
    const DeviceTensor target(sizes, {1, 33}, 7, Numbers(4000, 1), type);
    ASSERT_EQ(DAVSIM_CALL(InplaceCopy, target, source), ACL_SUCCESS) << last_error();
    EXPECT_EQ(target.values(), source.values());
    const Numbers all = target.storage();
    EXPECT_EQ(all[0], 1);
    EXPECT_EQ(all[7 + 31], 1) << "between the columns";
    const DeviceTensor other(sizes, Numbers(3000), ACL_INT32);
    ASSERT_EQ(DAVSIM_CALL(InplaceCopy, other, source), ACL_SUCCESS) << last_error();
    EXPECT_EQ(other.values(), source.values());
  }
  const DeviceTensor row({100}, spread(100, 0, 9)), target(sizes, Numbers(3000));
  ASSERT_EQ(DAVSIM_CALL(InplaceCopy, target, row), ACL_SUCCESS) << last_error();
  const Numbers x = row.values();
  EXPECT_EQ(target.values(),
            expected(sizes, [&](const Sizes& at) { return x[static_cast<std::size_t>(at[1])]; }));
  const DeviceTensor wrong({99}, Numbers(99));
  EXPECT_EQ(DAVSIM_CALL(InplaceCopy, target, wrong), 161002);
  EXPECT_EQ(DAVSIM_CALL(InplaceCopy, nullptr, row), 161001);
  EXPECT_EQ(DAVSIM_CALL(InplaceCopy, target, nullptr), 161001);
}

/// A view of a block in which it has gaps and any order of dimensions.
struct RandomView {
  Sizes strides;
  std::int64_t offset, storage;

  template <class Draw>
  RandomView(const Sizes& sizes, const Draw& draw) : strides(sizes.size()), offset(draw(5)) {
    Sizes order(sizes.size());
    for (std::size_t d = 0; d < order.size(); ++d) {
      order[d] = static_cast<std::int64_t>(d);
      if (draw(3) == 0) std::swap(order[d], order[static_cast<std::size_t>(draw(d + 1))]);
    }
    std::int64_t step = draw(4) == 0 ? 1 + draw(3) : 1;
    for (std::size_t d = order.size(); d-- > 0;) {
      const auto dim = static_cast<std::size_t>(order[d]);
      strides[dim] = step;
      step *= sizes[dim];
      if (draw(3) == 0) step += draw(40);
    }
    storage = offset + step + 1;
  }
};

/// Whichever kernel or task of the host takes it, and nothing beside the target is written.
TEST_F(MovingTest, CopiesBetweenAnyViews) {
  std::uint64_t state = 99;
  const auto draw = [&](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((state >> 33) % below);
  };
  for (int round = 0; round < 200; ++round) {
    const aclDataType type = kWidths[round % 4];
    Sizes sizes(static_cast<std::size_t>(1 + draw(5)));
    std::int64_t room = 30000;
    for (std::int64_t& size : sizes) {
      size = 1 + draw(draw(2) == 0 ? 5 : std::clamp<std::int64_t>(room, 1, 700));
      room /= size;
    }
    const RandomView from(sizes, draw), to(sizes, draw);
    const DeviceTensor source(sizes, from.strides, from.offset, pattern({from.storage}), type);
    const DeviceTensor target(sizes, to.strides, to.offset,
                              Numbers(static_cast<std::size_t>(to.storage), 127), type);
    ASSERT_EQ(DAVSIM_CALL(InplaceCopy, target, source), ACL_SUCCESS) << last_error();
    ASSERT_EQ(target.values(), source.values()) << "round " << round;
    const Numbers all = target.storage();
    const auto kept = std::ranges::count(all, 127);
    ASSERT_EQ(kept, to.storage - count_of(sizes)) << "round " << round;
  }
}

}  // namespace
}  // namespace davsim::test::moving
