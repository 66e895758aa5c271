// Random choices: what stays of their elements, and how often each choice comes.
#include <algorithm>
#include <cmath>

#include "lists/random.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::random {
namespace {

constexpr std::int64_t kCount = 20000;
constexpr std::int64_t kBytes = 2512;  // of bits for kCount elements in blocks of 128

class RandomTest : public BasicTest {};

bool bit_of(const Numbers& mask, std::size_t i) {
  return (static_cast<int>(mask[i / 8]) >> i % 8 & 1) != 0;
}

double mean_of(const Numbers& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST_F(RandomTest, DropsElements) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Numbers x = of_type(spread(kCount, -1, 1), type);
    const DeviceTensor in({kCount}, x, type), out({kCount}, Numbers(kCount), type);
    const DeviceTensor mask({kBytes}, Numbers(kBytes, 9), ACL_UINT8);
    ASSERT_EQ(DAVSIM_CALL(Dropout, in, 0.25, true, 7, 0, out, mask), ACL_SUCCESS) << last_error();
    const Numbers bits = mask.values();
    Numbers expected, kept;
    for (std::size_t i = 0; i < x.size(); ++i) {
      kept.push_back(bit_of(bits, i));
      expected.push_back(bit_of(bits, i) ? x[i] / 0.75 : 0);
    }
    EXPECT_NEAR(mean_of(kept), 0.75, 0.02);
    expect_near(out.values(), expected, rounding_of(type));
    // The mask of the generator alone, and its use.
    const DeviceTensor alone({kBytes}, Numbers(kBytes), ACL_UINT8);
    ASSERT_EQ(DAVSIM_CALL(DropoutGenMaskV2, Ints({100, 200}), 0.25, 7, 0, type, alone), ACL_SUCCESS)
        << last_error();
    EXPECT_EQ(alone.values(), bits);
    const DeviceTensor again({kCount}, Numbers(kCount), type);
    ASSERT_EQ(DAVSIM_CALL(DropoutDoMask, in, mask, 0.25, again), ACL_SUCCESS) << last_error();
    EXPECT_EQ(again.values(), out.values());
    ASSERT_EQ(DAVSIM_CALL(DropoutBackward, in, mask, 4 / 3.0, again), ACL_SUCCESS) << last_error();
    expect_near(again.values(), expected, rounding_of(type));
  }
}

TEST_F(RandomTest, DropsAllOrNothing) {
  const Numbers x = spread(130, -1, 1);
  const DeviceTensor in({130}, x), out({130}, Numbers(130)), mask({32}, Numbers(32, 9), ACL_UINT8);
  ASSERT_EQ(DAVSIM_CALL(Dropout, in, 1.0, true, 7, 0, out, mask), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers(130));
  ASSERT_EQ(DAVSIM_CALL(Dropout, in, 0.5, false, 7, 0, out, mask), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), in.values());
  EXPECT_EQ(mask.values(), Numbers(32, 9)) << "is left as it was";
  ASSERT_EQ(DAVSIM_CALL(DropoutGenMask, Ints({130}), 0.0, 7, 0, mask), ACL_SUCCESS);
  EXPECT_EQ(mask.values(), Numbers(32, 255));
  ASSERT_EQ(DAVSIM_CALL(DropoutGenMask, Ints({130}), 1.0, 7, 0, mask), ACL_SUCCESS);
  EXPECT_EQ(mask.values(), Numbers(32));
  ASSERT_EQ(DAVSIM_CALL(DropoutBackward, in, mask, 0.0, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers(130));
  ASSERT_EQ(DAVSIM_CALL(DropoutBackward, in, mask, 1.0, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), in.values());
}

TEST_F(RandomTest, RefusesMasks) {
  const DeviceTensor in({130}, Numbers(130)), out({130}, Numbers(130));
  const DeviceTensor mask({32}, Numbers(32), ACL_UINT8), small({17}, Numbers(17), ACL_UINT8);
  const DeviceTensor wide({32}, Numbers(32), ACL_INT32), other({13, 10}, Numbers(130));
  EXPECT_EQ(DAVSIM_CALL(Dropout, in, 0.5, true, 7, 0, out, small), 161002);
  EXPECT_EQ(DAVSIM_CALL(Dropout, in, 0.5, true, 7, 0, out, wide), 161002);
  EXPECT_EQ(DAVSIM_CALL(Dropout, in, 1.5, true, 7, 0, out, mask), 161002);
  EXPECT_EQ(DAVSIM_CALL(Dropout, in, std::nan(""), true, 7, 0, out, mask), 161002);
  EXPECT_EQ(DAVSIM_CALL(Dropout, in, 0.5, true, 7, 0, other, mask), 161002);
  EXPECT_EQ(DAVSIM_CALL(Dropout, in, 0.5, true, 7, 0, out, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(DropoutBackward, in, mask, 0.5, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(DropoutDoMask, in, nullptr, 0.5, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(DropoutGenMask, nullptr, 0.5, 7, 0, mask), 161001);
  EXPECT_EQ(DAVSIM_CALL(DropoutGenMask, Ints({-1}), 0.5, 7, 0, mask), 161002);
  const DeviceTensor nothing({0}, {}), no_mask({0}, {}, ACL_UINT8);
  EXPECT_EQ(DAVSIM_CALL(Dropout, nothing, 0.5, true, 7, 0, nothing, no_mask), ACL_SUCCESS);
}

TEST_F(RandomTest, TossesCoins) {
  for (const aclDataType type : {ACL_FLOAT, ACL_BF16, ACL_DOUBLE, ACL_INT64, ACL_UINT8, ACL_BOOL}) {
    const DeviceTensor self({kCount}, Numbers(kCount), type), out({kCount}, Numbers(kCount), type);
    ASSERT_EQ(DAVSIM_CALL(Bernoulli, self, Scalar(0.3), 7, 0, out), ACL_SUCCESS) << last_error();
    EXPECT_NEAR(mean_of(out.values()), 0.3, 0.02);
    for (const double value : out.values()) ASSERT_TRUE(value == 0 || value == 1);
    ASSERT_EQ(DAVSIM_CALL(InplaceBernoulli, self, Scalar(0.3), 7, 0), ACL_SUCCESS);
    EXPECT_EQ(self.values(), out.values());
  }
  const DeviceTensor probabilities({2, 1}, {0, 0.75}), self({2, 5000}, Numbers(10000));
  const DeviceTensor out({2, 5000}, Numbers(10000));
  ASSERT_EQ(DAVSIM_CALL(BernoulliTensor, self, probabilities, 7, 0, out), ACL_SUCCESS)
      << last_error();
  const Numbers values = out.values();
  EXPECT_EQ(Numbers(values.begin(), values.begin() + 5000), Numbers(5000));
  EXPECT_NEAR(mean_of(Numbers(values.begin() + 5000, values.end())), 0.75, 0.03);
  ASSERT_EQ(DAVSIM_CALL(InplaceBernoulliTensor, self, probabilities, 7, 0), ACL_SUCCESS);
  EXPECT_EQ(self.values(), values);
  EXPECT_EQ(DAVSIM_CALL(Bernoulli, self, Scalar(1.5), 7, 0, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Bernoulli, self, nullptr, 7, 0, out), 161001);
  EXPECT_EQ(DAVSIM_CALL(InplaceBernoulliTensor, self, nullptr, 7, 0), 161001);
  EXPECT_EQ(DAVSIM_CALL(BernoulliTensor, probabilities, probabilities, 7, 0, out), 161002);
}

TEST_F(RandomTest, OrdersNumbersAtRandom) {
  for (const aclDataType type : {ACL_INT64, ACL_INT32, ACL_UINT8, ACL_FLOAT, ACL_BF16}) {
    const DeviceTensor out({256}, Numbers(256), type), other({256}, Numbers(256), type);
    ASSERT_EQ(DAVSIM_CALL(Randperm, 256, 7, 0, out), ACL_SUCCESS) << last_error();
    ASSERT_EQ(DAVSIM_CALL(Randperm, 256, 7, 4, other), ACL_SUCCESS) << last_error();
    Numbers found = out.values();
    EXPECT_NE(found, other.values());
    EXPECT_FALSE(std::is_sorted(found.begin(), found.end()));
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<double>(i));
  }
  const DeviceTensor bytes({257}, Numbers(257), ACL_UINT8), nothing({0}, {}, ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(Randperm, 257, 7, 0, bytes), 161002);
  EXPECT_EQ(DAVSIM_CALL(Randperm, -1, 7, 0, nothing), 161002);
  EXPECT_EQ(DAVSIM_CALL(Randperm, 1, 7, 0, nothing), 161002);
  EXPECT_EQ(DAVSIM_CALL(Randperm, 0, 7, 0, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(Randperm, 0, 7, 0, nothing), ACL_SUCCESS);
}

TEST_F(RandomTest, DrawsByWeights) {
  const DeviceTensor weights({2, 3}, {1, 0, 3, 2, 2, 0});
  const DeviceTensor out({2, 10000}, Numbers(20000), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Multinomial, weights, 10000, true, 7, 0, out), ACL_SUCCESS) << last_error();
  Numbers counts(6);
  const Numbers drawn = out.values();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    ++counts[i / 10000 * 3 + static_cast<std::size_t>(drawn[i])];
  }
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(counts[5], 0);
  EXPECT_NEAR(counts[2], 7500, 200);
  EXPECT_NEAR(counts[3], 5000, 200);
}

TEST_F(RandomTest, DrawsWithoutRepetition) {
  // Of many rows alike, the greater weight comes first as often as its share.
  constexpr std::int64_t kRows = 4000;
  Numbers all;
  for (std::int64_t row = 0; row < kRows; ++row) all.insert(all.end(), {1, 0, 3});
  const DeviceTensor weights({kRows, 3}, all), out({kRows, 2}, Numbers(2 * kRows), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Multinomial, weights, 2, false, 7, 0, out), ACL_SUCCESS) << last_error();
  const Numbers drawn = out.values();
  double greater = 0;
  for (std::size_t i = 0; i < drawn.size(); i += 2) {
    ASSERT_EQ(drawn[i] + drawn[i + 1], 2) << "0 and 2 in any order";
    greater += drawn[i] == 2 ? 1 : 0;
  }
  EXPECT_NEAR(greater / kRows, 0.75, 0.03);
  const DeviceTensor vector({3}, {1, 2, 3}), four({4}, Numbers(4), ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(Multinomial, vector, 4, true, 7, 0, four), ACL_SUCCESS) << last_error();
  EXPECT_EQ(DAVSIM_CALL(Multinomial, vector, 4, false, 7, 0, four), 161002);
  EXPECT_EQ(DAVSIM_CALL(Multinomial, vector, -1, true, 7, 0, four), 161002);
  EXPECT_EQ(DAVSIM_CALL(Multinomial, vector, 3, true, 7, 0, four), 161002);
  EXPECT_EQ(DAVSIM_CALL(Multinomial, four, 4, true, 7, 0, four), 161002);
  EXPECT_EQ(DAVSIM_CALL(Multinomial, nullptr, 4, true, 7, 0, four), 161001);
}

}  // namespace
}  // namespace davsim::test::random
