// What is put around tensors, and its gradients, against places that are counted one by one.
#include <functional>

#include "lists/moving.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::padding {
namespace {

/// Steps to the place that a mirror at the ends, the end itself or the other end has.
std::int64_t mirrored(std::int64_t at, std::int64_t size) {
  while (at < 0 || at >= size) at = at < 0 ? -at : 2 * (size - 1) - at;
  return at;
}
std::int64_t last(std::int64_t at, std::int64_t size) {
  return at < 0 ? 0 : at >= size ? size - 1 : at;
}
std::int64_t around(std::int64_t at, std::int64_t size) {
  return (at % size + size) % size;
}

using Call = std::function<aclnnStatus(const aclTensor*, const aclIntArray*, aclTensor*)>;
using Gradient =
    std::function<aclnnStatus(const aclTensor*, const aclTensor*, const aclIntArray*, aclTensor*)>;

class PaddingTest : public BasicTest {
 protected:
  /// Volumes of 4 x 3 x 5, of which the last `dims` dimensions get 2 places in front and 1 behind,
  /// then 0 and 2, then 1 and 1.
  void expect(std::size_t dims, std::int64_t (*origin)(std::int64_t, std::int64_t), const Call& pad,
              const Gradient& gradient) {
    constexpr std::int64_t kBefore[] = {2, 0, 1}, kBehind[] = {1, 2, 1};
    const Sizes all{4, 3, 5};
    Sizes from{2}, to{2}, pads;
    for (std::size_t d = 3 - dims; d < 3; ++d) {
      const std::size_t i = 2 - d;
      from.push_back(all[d]);
      to.push_back(all[d] + kBefore[i] + kBehind[i]);
    }
    for (std::size_t i = 0; i < dims; ++i) {
      pads.push_back(kBefore[i]);
      pads.push_back(kBehind[i]);
    }
    std::vector<std::size_t> origins;
    std::size_t count = 1, made = 1;
    for (const std::int64_t size : from) count *= static_cast<std::size_t>(size);
    for (const std::int64_t size : to) made *= static_cast<std::size_t>(size);
    for (std::size_t i = 0; i < made; ++i) {
      std::size_t rest = i, at = 0, step = 1;
      for (std::size_t d = to.size(); d-- > 0;) {
        const auto place = static_cast<std::int64_t>(rest) % to[d];
        rest /= static_cast<std::size_t>(to[d]);
        const std::int64_t before = d == 0 ? 0 : kBefore[to.size() - 1 - d];
        at += static_cast<std::size_t>(d == 0 ? place : origin(place - before, from[d])) * step;
        step *= static_cast<std::size_t>(from[d]);
      }
      origins.push_back(at);
    }
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_INT64}) {
      const Numbers x = of_type(spread(count, -99, 99), type);
      const DeviceTensor self(from, x, type), out(to, Numbers(made), type);
      ASSERT_EQ(pad(self, Ints(pads), out), ACL_SUCCESS) << last_error();
      Numbers expected;
      for (const std::size_t at : origins) expected.push_back(x[at]);
      EXPECT_EQ(out.values(), expected) << "type " << type;
    }
    const Numbers dy = spread(made, -1, 1);
    const DeviceTensor given(to, dy), self(from, Numbers(count)), out(from, Numbers(count));
    ASSERT_EQ(gradient(given, self, Ints(pads), out), ACL_SUCCESS) << last_error();
    Numbers sums(count);
    for (std::size_t i = 0; i < made; ++i) sums[origins[i]] += dy[i];
    expect_near(out.values(), sums, 1e-6);
    EXPECT_EQ(gradient(self, self, Ints(pads), out), 161002);
    EXPECT_EQ(gradient(nullptr, self, Ints(pads), out), 161001);
    EXPECT_EQ(pad(self, Ints{1}, out), 161002);
    EXPECT_EQ(pad(self, nullptr, out), 161001);
    pads[0] = -1;
    EXPECT_EQ(pad(self, Ints(pads), out), 161002);
  }
};

#define DAVSIM_PAD(Name)                                                        \
  [&](auto x, auto pads, auto out) { return DAVSIM_CALL(Name, x, pads, out); }, \
      [&](auto dy, auto x, auto pads, auto out) {                               \
        return DAVSIM_CALL(Name##Backward, dy, x, pads, out);                   \
      }

TEST_F(PaddingTest, MirrorImages) {
  expect(1, mirrored, DAVSIM_PAD(ReflectionPad1d));
  expect(2, mirrored, DAVSIM_PAD(ReflectionPad2d));
  expect(3, mirrored, DAVSIM_PAD(ReflectionPad3d));
  const DeviceTensor x({1, 3}, Numbers(3)), out({1, 6}, Numbers(6));
  EXPECT_EQ(DAVSIM_CALL(ReflectionPad1d, x, Ints({3, 0}), out), 161002);
}

TEST_F(PaddingTest, Edges) {
  expect(1, last, DAVSIM_PAD(ReplicationPad1d));
  expect(2, last, DAVSIM_PAD(ReplicationPad2d));
  expect(3, last, DAVSIM_PAD(ReplicationPad3d));
}

TEST_F(PaddingTest, OtherEnds) {
  expect(2, around, DAVSIM_PAD(CircularPad2d));
  expect(3, around, DAVSIM_PAD(CircularPad3d));
}

}  // namespace
}  // namespace davsim::test::padding
