// Steps of optimizers against the mathematics of the host.
#include <cmath>

#include "lists/optimizers.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::optimizers {
namespace {

constexpr double kRate = 0.01, kFirst = 0.9, kSecond = 0.99, kDecay = 0.1, kEps = 1e-6;
constexpr int kStep = 7;
constexpr std::size_t kCount = 333;

/// Weights, means of gradients and of their squares, and the greatest of these.
struct State {
  Numbers weights, mean, square, greatest;
};

class OptimizersTest : public BasicTest {
 protected:
  static State state(aclDataType type) {
    return {of_type(spread(kCount, -2, 2), type), of_type(spread(kCount, -1, 1), type),
            of_type(spread(kCount, 0, 1), type), of_type(spread(kCount, 0.2, 0.8), type)};
  }
  static Numbers gradients(aclDataType type) {
    Numbers values = of_type(spread(kCount, -3, 3), type);
    std::reverse(values.begin(), values.end());
    return values;
  }
};

State adam_w(State of, const Numbers& gradients, bool keeps_greatest, bool maximizes) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const double g = maximizes ? -gradients[i] : gradients[i];
    of.mean[i] = kFirst * of.mean[i] + (1 - kFirst) * g;
    of.square[i] = kSecond * of.square[i] + (1 - kSecond) * g * g;
    if (keeps_greatest) of.greatest[i] = std::max(of.greatest[i], of.square[i]);
    const double used = keeps_greatest ? of.greatest[i] : of.square[i];
    const double root = std::sqrt(used / (1 - std::pow(kSecond, kStep))) + kEps;
    const double towards = of.mean[i] / (1 - std::pow(kFirst, kStep)) / root;
    of.weights[i] -= kRate * (towards + kDecay * of.weights[i]);
  }
  return of;
}

TEST_F(OptimizersTest, AdamWByANumberOfSteps) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const bool greatest : {false, true}) {
      const State before = state(type);
      const State after = adam_w(before, gradients(type), greatest, !greatest);
      const DeviceTensor w({9, 37}, before.weights, type), m({9, 37}, before.mean, type);
      const DeviceTensor v({9, 37}, before.square, type), most({9, 37}, before.greatest, type);
      const DeviceTensor g({9, 37}, gradients(type), type);
      const DeviceTensor step({1}, {kStep}, greatest ? ACL_INT64 : ACL_FLOAT);
      ASSERT_EQ(DAVSIM_CALL(ApplyAdamWV2, w, m, v, greatest ? most.get() : nullptr, g, step,
                            float{kRate}, float{kFirst}, float{kSecond}, float{kDecay}, float{kEps},
                            greatest, !greatest),
                ACL_SUCCESS)
          << last_error();
      expect_near(w.values(), after.weights, rounding_of(type));
      expect_near(m.values(), after.mean, rounding_of(type));
      expect_near(v.values(), after.square, rounding_of(type));
      expect_near(most.values(), after.greatest, rounding_of(type));
    }
  }
}

TEST_F(OptimizersTest, AdamWByPowers) {
  const State before = state(ACL_FLOAT);
  const auto number = [](double value) {
    return std::make_unique<DeviceTensor>(Sizes{1}, Numbers{value});
  };
  const auto powers = number(std::pow(kFirst, kStep - 1)),
             squares = number(std::pow(kSecond, kStep - 1));
  const auto rate = number(kRate), decay = number(kDecay), eps = number(kEps);
  const auto first = number(kFirst), second = number(kSecond);
  for (const bool greatest : {false, true}) {
    const State after = adam_w(before, gradients(ACL_FLOAT), greatest, greatest);
    const DeviceTensor w({kCount}, before.weights), m({kCount}, before.mean);
    const DeviceTensor v({kCount}, before.square), most({kCount}, before.greatest);
    const DeviceTensor g({kCount}, gradients(ACL_FLOAT));
    ASSERT_EQ(DAVSIM_CALL(ApplyAdamW, w, m, v, *powers, *squares, *rate, *decay, *first, *second,
                          *eps, g, most, greatest, greatest),
              ACL_SUCCESS)
        << last_error();
    expect_near(w.values(), after.weights, 5e-6);
    expect_near(m.values(), after.mean, 2e-6);
    expect_near(v.values(), after.square, 2e-6);
    EXPECT_EQ(most.values(), of_type(before.greatest, ACL_FLOAT));
  }
}

TEST_F(OptimizersTest, AdamWithAMovingMean) {
  for (const int mode : {0, 1}) {
    const bool corrects = mode == 1;
    const State before = state(ACL_FLOAT);
    State after = before;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double w = before.weights[i];
      const double g = gradients(ACL_FLOAT)[i] + (mode == 0 ? kDecay * w : 0);
      after.mean[i] = kFirst * after.mean[i] + (1 - kFirst) * g;
      after.square[i] = kSecond * after.square[i] + (1 - kSecond) * g * g;
      const double mean = after.mean[i] / (corrects ? 1 - std::pow(kFirst, kStep) : 1);
      const double square = after.square[i] / (corrects ? 1 - std::pow(kSecond, kStep) : 1);
      after.weights[i] -=
          kRate * (mean / (std::sqrt(square) + kEps) + (mode == 1 ? kDecay * w : 0));
      after.greatest[i] = 0.75 * before.greatest[i] + 0.25 * after.weights[i];
    }
    const DeviceTensor w({kCount}, before.weights), m({kCount}, before.mean);
    const DeviceTensor v({kCount}, before.square), s({kCount}, before.greatest);
    const DeviceTensor g({kCount}, gradients(ACL_FLOAT)), step({1}, {kStep}, ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(ApplyFusedEmaAdam, g, w, m, v, s, step, kRate, 0.75, kFirst, kSecond,
                          kEps, mode, corrects, kDecay),
              ACL_SUCCESS)
        << last_error();
    expect_near(w.values(), after.weights, 5e-6);
    expect_near(m.values(), after.mean, 2e-6);
    expect_near(v.values(), after.square, 2e-6);
    expect_near(s.values(), after.greatest, 5e-6);
  }
}

TEST_F(OptimizersTest, RulesOfArguments) {
  const DeviceTensor x({4}, Numbers(4)), y({3}, Numbers(3)), half({4}, Numbers(4), ACL_FLOAT16);
  const DeviceTensor step({1}, {1}, ACL_INT64), steps({2}, {1, 1}, ACL_INT64), nothing({0}, {});
  const auto call = [&](const DeviceTensor& mean, const aclTensor* number, bool greatest) {
    return DAVSIM_CALL(ApplyAdamWV2, x, mean, x, nullptr, x, number, 0.1F, 0.9F, 0.99F, 0.0F, 0.1F,
                       greatest, false);
  };
  EXPECT_EQ(call(y, step, false), 161002);
  EXPECT_EQ(call(half, step, false), 161002);
  EXPECT_EQ(call(x, steps, false), 161002);
  EXPECT_EQ(call(x, nullptr, false), 161001);
  EXPECT_EQ(call(x, step, true), 161001);
  EXPECT_EQ(
      DAVSIM_CALL(ApplyFusedEmaAdam, x, x, x, x, x, step, 0.1, 0.9, 0.9, 0.99, 0.1, 2, true, 0.0),
      161002);
  EXPECT_EQ(DAVSIM_CALL(ApplyFusedEmaAdam, nothing, nothing, nothing, nothing, nothing, step, 0.1,
                        0.9, 0.9, 0.99, 0.1, 1, true, 0.0),
            ACL_SUCCESS);
}

}  // namespace
}  // namespace davsim::test::optimizers
