// Losses of classes and their gradients against the mathematics of the host.
#include <cmath>

#include "lists/losses.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::class_losses {
namespace {

constexpr std::int64_t kIgnored = 2;

/// The loss of each row of logarithms, whose labels may be smoothed, and the weights' sum.
struct Reference {
  Numbers weights;
  double smoothing = 0;

  double weight_of(std::int64_t label) const {
    return label == kIgnored ? 0 : weights[static_cast<std::size_t>(label)];
  }
  double loss(const Numbers& row, std::int64_t label) const {
    if (label == kIgnored) return 0;
    double all = 0;
    for (std::size_t i = 0; i < row.size(); ++i) all -= weights[i] * row[i];
    return (1 - smoothing) * -weight_of(label) * row[static_cast<std::size_t>(label)] +
           smoothing * all / static_cast<double>(row.size());
  }
};

Numbers log_softmax(const Numbers& row) {
  double sum = 0;
  for (const double x : row) sum += std::exp(x);
  Numbers made;
  for (const double x : row) made.push_back(x - std::log(sum));
  return made;
}

class ClassLossesTest : public BasicTest {
 protected:
  static constexpr std::int64_t kRows = 45, kClasses = 7;

  static Numbers labels() {
    Numbers all;
    for (std::int64_t i = 0; i < kRows; ++i) all.push_back(static_cast<double>(i * 5 % kClasses));
    return all;
  }
};

TEST_F(ClassLossesTest, OfLogarithms) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Numbers x = of_type(spread(kRows * kClasses, -3, 0), type);
    const Reference reference{of_type({1, 0.5, 2, 1.5, 0.25, 1, 3}, type)};
    const DeviceTensor self({kRows, kClasses}, x, type), target({kRows}, labels(), ACL_INT64);
    const DeviceTensor weight({kClasses}, reference.weights, type);
    const DeviceTensor each({kRows}, Numbers(kRows), type), one({1}, {0}, type),
        total({1}, {0}, type);
    const auto rows = rows_of(x, {kRows, kClasses}, {1});
    Numbers losses;
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto label = static_cast<std::int64_t>(labels()[i]);
      sum += losses.emplace_back(reference.loss(rows[i], label));
      weights += reference.weight_of(label);
    }
    ASSERT_EQ(DAVSIM_CALL(NLLLoss, self, target, weight, 0, kIgnored, each, total), ACL_SUCCESS)
        << last_error();
    expect_near(each.values(), losses, rounding_of(type));
    ASSERT_EQ(DAVSIM_CALL(NLLLoss, self, target, weight, 2, kIgnored, one, total), ACL_SUCCESS);
    expect_near(one.values(), {sum}, rounding_of(type));
    ASSERT_EQ(DAVSIM_CALL(NLLLoss, self, target, weight, 1, kIgnored, one, total), ACL_SUCCESS);
    expect_near(one.values(), {sum / weights}, rounding_of(type));
    expect_near(total.values(), {weights}, rounding_of(type));
  }
}

TEST_F(ClassLossesTest, GradientsOfLogarithms) {
  const DeviceTensor self({3, 4}, spread(12, -3, 0)), target({3}, {1, kIgnored, 3}, ACL_INT32);
  const DeviceTensor weight({4}, {1, 2, 4, 8}), given({3}, {1, 2, 3}), one({}, {5}),
      total({1}, {10});
  const DeviceTensor out({3, 4}, Numbers(12));
  ASSERT_EQ(DAVSIM_CALL(NLLLossBackward, given, self, target, weight, 0, kIgnored, total, out),
            ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), Numbers({0, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, -24}));
  ASSERT_EQ(DAVSIM_CALL(NLLLossBackward, one, self, target, weight, 1, kIgnored, total, out),
            ACL_SUCCESS);
  EXPECT_EQ(out.values(), Numbers({0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -4}));
}

TEST_F(ClassLossesTest, OfImages) {
  // Two images of 3 classes and 1 x 2 places.
  const DeviceTensor self({2, 3, 1, 2}, {-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12});
  const DeviceTensor target({2, 1, 2}, {0, 1, 1, 0}, ACL_INT64), weight({3}, {1, 2, 1});
  const DeviceTensor each({2, 1, 2}, Numbers(4)), one({1}, {0}), total({1}, {0});
  ASSERT_EQ(DAVSIM_CALL(NLLLoss2d, self, target, weight, 0, -100, each, total), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(each.values(), Numbers({1, 8, 18, 8}));
  ASSERT_EQ(DAVSIM_CALL(NLLLoss2d, self, target, weight, 1, -100, one, total), ACL_SUCCESS);
  expect_near(one.values(), {35.0 / 6}, 1e-6);
  const DeviceTensor out({2, 3, 1, 2}, Numbers(12)), six({1}, {6});
  ASSERT_EQ(DAVSIM_CALL(NLLLoss2dBackward, six, self, target, weight, 1, -100, total, out),
            ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), Numbers({-1, 0, 0, -2, 0, 0, 0, -1, -2, 0, 0, 0}));
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, target, weight, 1, -100, one, total), 161002);
}

TEST_F(ClassLossesTest, CrossEntropy) {
  char mean[] = "mean", none[] = "none";
  const Numbers x = spread(kRows * kClasses, -2, 2);
  const DeviceTensor self({kRows, kClasses}, x), target({kRows}, labels(), ACL_INT64);
  const DeviceTensor one({1}, {0}), each({kRows}, Numbers(kRows)), dy({1}, {0.5});
  const DeviceTensor logarithms({kRows, kClasses}, Numbers(x.size())),
      out({kRows, kClasses}, Numbers(x.size()));
  for (const double smoothing : {0.0, 0.25}) {
    for (const bool weighted : {false, true}) {
      const Reference reference{
          weighted ? Numbers{1, 0.5, 2, 1.5, 0.25, 1, 3} : Numbers(kClasses, 1), smoothing};
      const DeviceTensor weights({kClasses}, reference.weights);
      const aclTensor* const weight = weighted ? weights.get() : nullptr;
      const auto loss_of = [&](const Numbers& values) {
        double sum = 0, divisor = 0;
        const auto rows = rows_of(values, {kRows, kClasses}, {1});
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto label = static_cast<std::int64_t>(labels()[i]);
          sum += reference.loss(log_softmax(rows[i]), label);
          divisor += reference.weight_of(label);
        }
        return sum / divisor;
      };
      ASSERT_EQ(DAVSIM_CALL(CrossEntropyLoss, self, target, weight, mean, kIgnored, smoothing, 0.0,
                            false, one, logarithms, one, each),
                ACL_SUCCESS)
          << last_error();
      expect_near(one.values(), {loss_of(x)}, 2e-6);
      ASSERT_EQ(DAVSIM_CALL(CrossEntropyLossGrad, dy, logarithms, target, weight, nullptr, nullptr,
                            mean, kIgnored, smoothing, 0.0, out),
                ACL_SUCCESS)
          << last_error();
      const Numbers found = out.values();
      for (std::size_t i = 0; i < x.size(); i += 13) {
        Numbers more = x, less = x;
        more[i] += 1e-5;
        less[i] -= 1e-5;
        ASSERT_NEAR(found[i], 0.5 * (loss_of(more) - loss_of(less)) / 2e-5, 1e-6) << i;
      }
    }
  }
  ASSERT_EQ(DAVSIM_CALL(CrossEntropyLoss, self, target, nullptr, none, kIgnored, 0.0, 0.0, false,
                        each, logarithms, one, each),
            ACL_SUCCESS)
      << last_error();
  EXPECT_NEAR(each.values()[0], -log_softmax({x.begin(), x.begin() + kClasses})[0], 1e-6);
}

TEST_F(ClassLossesTest, OfAClassThatThereIsNot) {
  const DeviceTensor self({2, 3}, Numbers(6)), target({2}, {0, 3}, ACL_INT64),
      weight({3}, {1, 1, 1});
  const DeviceTensor each({2}, Numbers(2)), total({1}, {0});
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, target, weight, 0, -100, each, total), 507018);
  expect_error("element 1 of target is 3");
}

TEST_F(ClassLossesTest, RulesOfArguments) {
  char mean[] = "mean", other[] = "most";
  const DeviceTensor self({2, 3}, Numbers(6)), target({2}, Numbers(2), ACL_INT64),
      weight({3}, {1, 1, 1});
  const DeviceTensor each({2}, Numbers(2)), one({1}, {0}), many({4}, Numbers(4));
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, target, nullptr, 0, -100, each, one), 161001);
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, nullptr, weight, 0, -100, each, one), 161001);
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, each, weight, 0, -100, each, one), 161002);
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, target, each, 0, -100, each, one), 161002);
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, target, weight, 3, -100, each, one), 161002);
  EXPECT_EQ(DAVSIM_CALL(NLLLoss, self, target, weight, 1, -100, each, one), 161002);
  EXPECT_EQ(DAVSIM_CALL(NLLLossBackward, many, self, target, weight, 0, -100, one, self), 161002);
  EXPECT_EQ(DAVSIM_CALL(NLLLoss2d, self, target, weight, 0, -100, each, one), 161002);
  EXPECT_EQ(DAVSIM_CALL(CrossEntropyLoss, self, target, nullptr, other, -100, 0.0, 0.0, false, one,
                        self, one, each),
            161002);
  EXPECT_EQ(DAVSIM_CALL(CrossEntropyLoss, self, target, nullptr, mean, -100, 2.0, 0.0, false, one,
                        self, one, each),
            161002);
  EXPECT_EQ(DAVSIM_CALL(CrossEntropyLoss, self, target, nullptr, mean, -100, 0.0, 0.0, false, one,
                        self, nullptr, each),
            161001);
}

}  // namespace
}  // namespace davsim::test::class_losses
