// The choice of experts and the sums of what they made, against plain loops of the host.
#include <algorithm>
#include <numeric>

#include "aclnnop/aclnn_moe_finalize_routing.h"
#include "aclnnop/aclnn_moe_finalize_routing_v2.h"
#include "aclnnop/aclnn_moe_gating_top_k_softmax.h"
#include "aclnnop/aclnn_moe_gating_top_k_softmax_v2.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::experts {
namespace {

constexpr aclnnStatus kNull = 161001, kInvalid = 161002;

std::size_t whole(std::int64_t size) {
  return static_cast<std::size_t>(size);
}

Numbers softmax(const Numbers& row) {
  const double greatest = *std::max_element(row.begin(), row.end());
  Numbers shares;
  double sum = 0;
  for (const double x : row) sum += std::exp(x - greatest);
  for (const double x : row) shares.push_back(std::exp(x - greatest) / sum);
  return shares;
}

/// Places of the k greatest, the first of equal ones first.
std::vector<std::size_t> greatest(const Numbers& row, std::int64_t k) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  order.resize(whole(k));
  return order;
}

/// Different numbers in a disorder, which all types have.
Numbers scores(std::int64_t rows, std::int64_t experts) {
  Numbers values;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < experts; ++j) {
      values.push_back(static_cast<double>((j * 37 + i * 11) % experts) / 16 - 2);
    }
  }
  return values;
}

class GatingTest : public BasicTest {
 protected:
  struct Result {
    Numbers y, experts, rows;
  };

  static Result expected(const Numbers& x, std::int64_t rows, std::int64_t experts, std::int64_t k,
                         bool of_chosen) {
    Result all;
    for (std::int64_t i = 0; i < rows; ++i) {
      const Numbers row(x.begin() + i * experts, x.begin() + (i + 1) * experts);
      const std::vector<std::size_t> chosen = greatest(row, k);
      Numbers values;
      for (const std::size_t at : chosen) values.push_back(of_chosen ? row[at] : softmax(row)[at]);
      if (of_chosen && k > 0) values = softmax(values);
      for (std::int64_t j = 0; j < k; ++j) {
        all.y.push_back(values[whole(j)]);
        all.experts.push_back(static_cast<double>(chosen[whole(j)]));
        all.rows.push_back(static_cast<double>(j * rows + i));
      }
    }
    return all;
  }
};

TEST_F(GatingTest, ChoosesOfAllTypes) {
  // All scores of a row differ, because 37 has no factor in common with the numbers of experts.
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [rows, experts, k] :
         {std::tuple{3, 8, 2}, {130, 61, 6}, {1, 127, 127}, {41, 64, 1}}) {
      SCOPED_TRACE(std::to_string(type) + ": " + std::to_string(experts));
      const Numbers x = scores(rows, experts);
      const DeviceTensor in({rows, experts}, x, type);
      const auto count = whole(rows * k);
      const DeviceTensor y({rows, k}, Numbers(count), type),
          chosen({rows, k}, Numbers(count), ACL_INT32),
          places({rows, k}, Numbers(count), ACL_INT32);
      ASSERT_EQ(DAVSIM_CALL(MoeGatingTopKSoftmax, in, nullptr, k, y, chosen, places), ACL_SUCCESS)
          << last_error();
      const Result result = expected(x, rows, experts, k, false);
      expect_near(y.values(), result.y, rounding_of(type));
      expect_near(chosen.values(), result.experts, 0);
      expect_near(places.values(), result.rows, 0);
    }
  }
}

TEST_F(GatingTest, RowsMayBeFinishedAndHaveThreeDimensions) {
  const Numbers x = scores(6, 16);
  const DeviceTensor in({2, 3, 16}, x), finished({2, 3}, {0, 1, 0, 0, 0, 1}, ACL_BOOL);
  const DeviceTensor y({2, 3, 2}, Numbers(12)), chosen({2, 3, 2}, Numbers(12), ACL_INT32),
      places({2, 3, 2}, Numbers(12), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(MoeGatingTopKSoftmax, in, finished, 2, y, chosen, places), ACL_SUCCESS)
      << last_error();
  Result result = expected(x, 6, 16, 2, false);
  for (const std::size_t at : {2, 3, 10, 11}) result.experts[at] = 16;
  expect_near(y.values(), result.y, 1e-6);
  expect_near(chosen.values(), result.experts, 0);
  expect_near(places.values(), result.rows, 0);
}

TEST_F(GatingTest, SoftmaxOfAllOrOfTheChosen) {
  const Numbers x = scores(50, 40);
  const DeviceTensor in({50, 40}, x, ACL_FLOAT16), shares({50, 40}, Numbers(2000, -1)),
      y({50, 4}, Numbers(200), ACL_FLOAT16), chosen({50, 4}, Numbers(200), ACL_INT32);
  for (const std::int64_t of_chosen : {1, 0}) {
    ASSERT_EQ(
        DAVSIM_CALL(MoeGatingTopKSoftmaxV2, in, nullptr, 4, of_chosen, true, y, chosen, shares),
        ACL_SUCCESS)
        << last_error();
    const Result result = expected(x, 50, 40, 4, of_chosen == 1);
    expect_near(y.values(), result.y, rounding_of(ACL_FLOAT16));
    expect_near(chosen.values(), result.experts, 0);
    Numbers all;
    for (std::int64_t i = 0; i < 50; ++i) {
      const Numbers row = softmax(Numbers(x.begin() + i * 40, x.begin() + (i + 1) * 40));
      all.insert(all.end(), row.begin(), row.end());
    }
    if (of_chosen == 1) all = Numbers(2000, -1);  // stays as it was
    expect_near(shares.values(), all, 1e-6);
  }
}

TEST_F(GatingTest, Rules) {
  const DeviceTensor x({4, 8}, scores(4, 8)), y({4, 2}, Numbers(8)),
      chosen({4, 2}, Numbers(8), ACL_INT32), places({4, 2}, Numbers(8), ACL_INT32);
  const auto call = [&](const aclTensor* in, const aclTensor* finished, std::int64_t k,
                        const aclTensor* out, const aclTensor* rows) {
    return DAVSIM_CALL(MoeGatingTopKSoftmax, in, finished, k, out, chosen, rows);
  };
  EXPECT_EQ(call(nullptr, nullptr, 2, y, places), kNull);
  EXPECT_EQ(call(x, nullptr, 2, nullptr, places), kNull);
  EXPECT_EQ(call(x, nullptr, 2, y, nullptr), kNull);
  EXPECT_EQ(call(x, nullptr, 9, y, places), kInvalid);
  expect_error("k is from 0 to 8, not 9");
  EXPECT_EQ(call(x, nullptr, 1, y, places), kInvalid);
  EXPECT_EQ(call(x, places, 2, y, places), kInvalid);
  expect_error("finishedOptional");
  EXPECT_EQ(call(places, nullptr, 2, y, places), kInvalid);
  const DeviceTensor row({8}, scores(1, 8));
  EXPECT_EQ(call(row, nullptr, 2, y, places), kInvalid);
  expect_error("x has 2 or 3 dimensions");
  EXPECT_EQ(DAVSIM_CALL(MoeGatingTopKSoftmaxV2, x, nullptr, 2, 2, false, y, chosen, nullptr),
            kInvalid);
  expect_error("renorm is 0 or 1, not 2");
  EXPECT_EQ(DAVSIM_CALL(MoeGatingTopKSoftmaxV2, x, nullptr, 2, 0, true, y, chosen, nullptr), kNull);
  EXPECT_EQ(DAVSIM_CALL(MoeGatingTopKSoftmaxV2, x, nullptr, 2, 0, true, y, chosen, y), kInvalid);
}

class FinalizeTest : public BasicTest {
 protected:
  struct Sizes {
    std::int64_t tokens, choices, length;
    std::int64_t experts = 4;
    std::int64_t mode = 0;
  };

  static std::int64_t rows_of(const Sizes& sizes) {
    return sizes.mode % 2 == 1 ? sizes.experts * 3 : sizes.tokens * sizes.choices;
  }

  /// Which row choice j of token i has, as the mode orders them.
  static Numbers places_of(const Sizes& sizes) {
    const std::int64_t rows = rows_of(sizes), pads = sizes.mode % 2;
    Numbers places;
    for (std::int64_t i = 0; i < sizes.tokens * sizes.choices; ++i) {
      places.push_back(static_cast<double>((i * 7 + 3) % (rows + pads) - pads));
    }
    return places;
  }

  static Numbers expected(const Sizes& sizes, const Numbers& table, const Numbers& places,
                          const Numbers& x1, const Numbers& x2, const Numbers& bias,
                          const Numbers& scales, const Numbers& experts) {
    Numbers out;
    for (std::int64_t i = 0; i < sizes.tokens; ++i) {
      for (std::int64_t h = 0; h < sizes.length; ++h) {
        double sum = x1.empty() ? 0 : x1[whole(i * sizes.length + h)];
        if (!x2.empty()) sum += x2[whole(i * sizes.length + h)];
        for (std::int64_t j = 0; j < sizes.choices; ++j) {
          const std::int64_t choice = i * sizes.choices + j;
          const std::int64_t at = sizes.mode < 2 ? j * sizes.tokens + i : choice;
          const auto row = static_cast<std::int64_t>(places[whole(at)]);
          double made = row < 0 ? 0 : table[whole(row * sizes.length + h)];
          if (!bias.empty()) {
            made +=
                bias[whole(static_cast<std::int64_t>(experts[whole(choice)]) * sizes.length + h)];
          }
          sum += made * (scales.empty() ? 1 : scales[whole(choice)]);
        }
        out.push_back(sum);
      }
    }
    return out;
  }

  static Numbers experts_of(const Sizes& sizes) {
    Numbers experts;
    for (std::int64_t i = 0; i < sizes.tokens * sizes.choices; ++i) {
      experts.push_back(static_cast<double>(i * 5 % sizes.experts));
    }
    return experts;
  }
};

/// Few tokens whose rows are parts for all cores, many tokens, rows longer than a tile, odd
/// lengths, and more choices than are loaded at a time.
TEST_F(FinalizeTest, SumsOfAllModesAndTypes) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Sizes& sizes :
         {Sizes{3, 2, 4}, Sizes{2, 8, 8000, 16, 2}, Sizes{700, 2, 100, 8, 1},
          Sizes{101, 6, 333, 8, 3}, Sizes{96, 1, 7001, 4, 2}, Sizes{5, 1000, 40, 300, 0}}) {
      SCOPED_TRACE(std::to_string(type) + ": " + std::to_string(sizes.length));
      const auto [m, k, h, e, mode] = sizes;
      const std::int64_t rows = rows_of(sizes);
      const Numbers table = of_type(spread(whole(rows * h), -1, 1), type),
                    x1 = of_type(spread(whole(m * h), -2, 2), type),
                    x2 = of_type(spread(whole(m * h), -1, 3), type),
                    bias = of_type(spread(whole(e * h), -1, 1), type),
                    scales = of_type(spread(whole(m * k), 0, 1.0 / static_cast<double>(k)), type),
                    places = places_of(sizes), experts = experts_of(sizes);
      const std::vector<std::int64_t> expanded =
          mode % 2 == 1 ? std::vector<std::int64_t>{e, 3, h} : std::vector<std::int64_t>{rows, h};
      const DeviceTensor in(expanded, table, type), first({m, h}, x1, type),
          second({m, h}, x2, type), biases({e, h}, bias, type), weights({m, k}, scales, type),
          at({m * k}, places, ACL_INT32), groups({m, k}, experts, ACL_INT32),
          out({m, h}, Numbers(whole(m * h)), type);
      ASSERT_EQ(DAVSIM_CALL(MoeFinalizeRoutingV2, in, at, first, second, biases, weights, groups,
                            mode, out),
                ACL_SUCCESS)
          << last_error();
      // A thousand choices are summed in float.
      expect_near(out.values(), expected(sizes, table, places, x1, x2, bias, scales, experts),
                  2 * rounding_of(type));
      if (mode != 0) continue;
      ASSERT_EQ(
          DAVSIM_CALL(MoeFinalizeRouting, in, first, nullptr, biases, weights, at, groups, out),
          ACL_SUCCESS)
          << last_error();
      expect_near(out.values(), expected(sizes, table, places, x1, {}, bias, scales, experts),
                  2 * rounding_of(type));
    }
  }
}

TEST_F(FinalizeTest, WithoutWhatIsOptional) {
  for (const Sizes& sizes : {Sizes{60, 1, 50, 4, 0}, Sizes{60, 1, 50, 4, 3}}) {
    const std::int64_t rows = rows_of(sizes);
    const Numbers table = spread(whole(rows * 50), -1, 1), places = places_of(sizes);
    const DeviceTensor in(
        sizes.mode == 3 ? std::vector<std::int64_t>{4, 3, 50} : std::vector<std::int64_t>{rows, 50},
        table),
        at({60}, places, ACL_INT32), out({60, 50}, Numbers(3000));
    ASSERT_EQ(DAVSIM_CALL(MoeFinalizeRoutingV2, in, at, nullptr, nullptr, nullptr, nullptr, nullptr,
                          sizes.mode, out),
              ACL_SUCCESS)
        << last_error();
    expect_near(out.values(), expected(sizes, table, places, {}, {}, {}, {}, {}), 1e-6);
  }
}

TEST_F(FinalizeTest, Rules) {
  const DeviceTensor in({6, 4}, spread(24, 0, 1)), at({6}, {2, 1, 4, 3, 0, 5}, ACL_INT32),
      x({3, 4}, Numbers(12)), bias({2, 4}, Numbers(8)), scales({3, 2}, Numbers(6)),
      groups({3, 2}, {0, 1, 0, 1, 0, 1}, ACL_INT32), out({3, 4}, Numbers(12));
  const auto call = [&](const aclTensor* table, const aclTensor* places, const aclTensor* x1,
                        const aclTensor* x2, const aclTensor* biases, const aclTensor* weights,
                        const aclTensor* experts, std::int64_t mode) {
    return DAVSIM_CALL(MoeFinalizeRoutingV2, table, places, x1, x2, biases, weights, experts, mode,
                       out);
  };
  EXPECT_EQ(call(nullptr, at, x, x, bias, scales, groups, 0), kNull);
  EXPECT_EQ(call(in, nullptr, x, x, bias, scales, groups, 0), kNull);
  EXPECT_EQ(call(in, at, nullptr, x, bias, scales, groups, 0), kNull);
  expect_error("x2Optional needs");
  EXPECT_EQ(call(in, at, x, x, bias, scales, nullptr, 0), kNull);
  EXPECT_EQ(call(in, at, x, x, bias, scales, groups, 4), kInvalid);
  expect_error("dropPadMode is from 0 to 3, not 4");
  EXPECT_EQ(call(in, at, x, x, bias, scales, groups, 1), kInvalid);
  expect_error("expandedX has 3 dimensions");
  EXPECT_EQ(call(in, at, x, x, bias, nullptr, groups, 0), kInvalid);
  expect_error("without scales a token has one choice, not 2");
  EXPECT_EQ(call(in, groups, x, x, bias, scales, groups, 0), kInvalid);
  EXPECT_EQ(call(in, at, scales, x, bias, scales, groups, 0), kInvalid);
  EXPECT_EQ(call(in, at, x, x, bias, x, groups, 0), kInvalid);
  EXPECT_EQ(DAVSIM_CALL(MoeFinalizeRouting, in, x, x, nullptr, scales, at, groups, out), kNull);
  const DeviceTensor wrong({6}, {2, 1, 6, 3, 0, 5}, ACL_INT32);
  EXPECT_EQ(call(in, wrong, x, x, bias, scales, groups, 2), ACL_ERROR_RT_AICPU_EXCEPTION);
  expect_error("element 2 of expandedRowIdx is 6, allowed are 0 to 5");
}

}  // namespace
}  // namespace davsim::test::experts
