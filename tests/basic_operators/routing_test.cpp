// Tokens in the order of their experts, against plain loops of the host.
#include <algorithm>
#include <numeric>

#include "aclnnop/aclnn_moe_compute_expert_tokens.h"
#include "aclnnop/aclnn_moe_init_routing.h"
#include "aclnnop/aclnn_moe_init_routing_v2.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::routing {
namespace {

constexpr aclnnStatus kNull = 161001, kInvalid = 161002;

std::size_t whole(std::int64_t size) {
  return static_cast<std::size_t>(size);
}

struct Sizes {
  std::int64_t tokens, choices, length, experts;

  std::int64_t total() const { return tokens * choices; }
};

/// Some experts have many tokens, and the last one has none.
Numbers experts_of(const Sizes& sizes) {
  Numbers experts;
  for (std::int64_t i = 0; i < sizes.total(); ++i) {
    experts.push_back(static_cast<double>(i * i % 11 % (sizes.experts - 1)));
  }
  return experts;
}

std::vector<std::size_t> order_of(const Numbers& experts) {
  std::vector<std::size_t> order(experts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return experts[a] < experts[b]; });
  return order;
}

void append_row(Numbers& to, const Numbers& x, std::size_t row, std::int64_t length) {
  const auto from = x.begin() + static_cast<std::ptrdiff_t>(row) * length;
  to.insert(to.end(), from, from + length);
}

class RoutingTest : public BasicTest {};

TEST_F(RoutingTest, RowsByTheirNumbers) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Sizes& sizes :
         {Sizes{3, 2, 4, 3}, Sizes{130, 6, 100, 9}, Sizes{7, 3, 4099, 5}, Sizes{400, 2, 3, 4}}) {
      for (const std::int64_t active : {sizes.tokens, sizes.tokens / 2, sizes.tokens + 5}) {
        SCOPED_TRACE(std::to_string(type) + ": " + std::to_string(sizes.length));
        const auto [m, k, h, e] = sizes;
        const Numbers x = of_type(spread(whole(m * h), -1, 1), type), experts = experts_of(sizes);
        Numbers numbers;
        for (std::int64_t i = 0; i < m * k; ++i) {
          numbers.push_back(static_cast<double>(i % k * m + i / k));
        }
        const std::int64_t kept = std::min(m, active) * k;
        const DeviceTensor in({m, h}, x, type), rows({m, k}, numbers, ACL_INT32),
            choices({m, k}, experts, ACL_INT32), out({kept, h}, Numbers(whole(kept * h)), type),
            places({m * k}, Numbers(whole(m * k)), ACL_INT32),
            sorted({m * k}, Numbers(whole(m * k)), ACL_INT32);
        ASSERT_EQ(DAVSIM_CALL(MoeInitRouting, in, rows, choices, active, out, places, sorted),
                  ACL_SUCCESS)
            << last_error();
        Numbers expected, expected_places(whole(m * k)), expected_experts;
        const std::vector<std::size_t> order = order_of(experts);
        for (std::size_t i = 0; i < order.size(); ++i) {
          const auto row = static_cast<std::int64_t>(numbers[order[i]]);
          if (i < whole(kept)) append_row(expected, x, whole(row % m), h);
          expected_places[whole(row)] = static_cast<double>(i);
          expected_experts.push_back(experts[order[i]]);
        }
        expect_near(out.values(), expected, 0);
        expect_near(places.values(), expected_places, 0);
        expect_near(sorted.values(), expected_experts, 0);
      }
    }
  }
}

TEST_F(RoutingTest, AllRowsOrTheFirstOnes) {
  for (const Sizes& sizes : {Sizes{3, 2, 4, 3}, Sizes{130, 6, 100, 9}, Sizes{40, 1, 700, 5}}) {
    for (const std::int64_t active : {std::int64_t{0}, sizes.total() / 2, sizes.total() + 1}) {
      for (const std::int64_t flag : {0, 1, 2}) {
        const auto [m, k, h, e] = sizes;
        const Numbers x = of_type(spread(whole(m * h), -1, 1), ACL_FLOAT16);
        const Numbers experts = experts_of(sizes);
        const std::int64_t kept = active == 0 ? m * k : std::min(active, m * k);
        const DeviceTensor in({m, h}, x, ACL_FLOAT16),
            choices(k == 1 ? std::vector<std::int64_t>{m} : std::vector<std::int64_t>{m, k},
                    experts, k == 1 ? ACL_INT64 : ACL_INT32),
            out({kept, h}, Numbers(whole(kept * h)), ACL_FLOAT16),
            places({m * k}, Numbers(whole(m * k)), ACL_INT32),
            counts({e}, Numbers(whole(e), -7), ACL_INT32);
        ASSERT_EQ(DAVSIM_CALL(MoeInitRoutingV2, in, choices, active, 0, e, 0, flag, false, out,
                              places, counts, nullptr),
                  ACL_SUCCESS)
            << last_error();
        Numbers expected, expected_places(whole(m * k)), expected_counts(whole(e), -7);
        if (flag != 0) std::fill(expected_counts.begin(), expected_counts.end(), 0);
        const std::vector<std::size_t> order = order_of(experts);
        for (std::size_t i = 0; i < order.size(); ++i) {
          if (i < whole(kept)) append_row(expected, x, order[i] / whole(k), h);
          expected_places[order[i]] = static_cast<double>(i);
          if (flag != 0) ++expected_counts[static_cast<std::size_t>(experts[i])];
        }
        if (flag == 1) {
          std::partial_sum(expected_counts.begin(), expected_counts.end(), expected_counts.begin());
        }
        expect_near(out.values(), expected, 0);
        expect_near(places.values(), expected_places, 0);
        expect_near(counts.values(), expected_counts, 0);
      }
    }
  }
}

TEST_F(RoutingTest, AsManyRowsForEachExpert) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Sizes& sizes : {Sizes{3, 2, 4, 3}, Sizes{130, 6, 101, 9}, Sizes{300, 2, 3, 5}}) {
      const auto [m, k, h, e] = sizes;
      const std::int64_t capacity = m / 2;
      const Numbers x = of_type(spread(whole(m * h), 1, 2), type), experts = experts_of(sizes);
      const DeviceTensor in({m, h}, x, type), choices({m, k}, experts, ACL_INT32),
          out({e, capacity, h}, Numbers(whole(e * capacity * h), 5), type),
          places({m * k}, Numbers(whole(m * k)), ACL_INT32),
          counts({e}, Numbers(whole(e)), ACL_INT32);
      ASSERT_EQ(DAVSIM_CALL(MoeInitRoutingV2, in, choices, 0, capacity, e, 1, 0, true, out, places,
                            nullptr, counts),
                ACL_SUCCESS)
          << last_error();
      Numbers expected(whole(e * capacity * h)), expected_places, tokens(whole(e));
      for (std::size_t i = 0; i < experts.size(); ++i) {
        const auto expert = static_cast<std::int64_t>(experts[i]);
        const auto place = static_cast<std::int64_t>(tokens[whole(expert)]++);
        const std::int64_t row = place < capacity ? expert * capacity + place : -1;
        expected_places.push_back(static_cast<double>(row));
        for (std::int64_t j = 0; row >= 0 && j < h; ++j) {
          expected[whole(row * h + j)] = x[i / whole(k) * whole(h) + whole(j)];
        }
      }
      expect_near(out.values(), expected, 0);
      expect_near(places.values(), expected_places, 0);
      expect_near(counts.values(), tokens, 0);
    }
  }
}

TEST_F(RoutingTest, NoTokens) {
  const DeviceTensor in({0, 8}, {}), choices({0, 2}, {}, ACL_INT32), out({0, 8}, {}),
      places({0}, {}, ACL_INT32), counts({3}, {7, 7, 7}, ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(MoeInitRoutingV2, in, choices, 0, 0, 3, 0, 2, false, out, places, counts,
                        nullptr),
            ACL_SUCCESS)
      << last_error();
  expect_near(counts.values(), {0, 0, 0}, 0);
  const DeviceTensor sorted({0}, {}, ACL_INT32), numbers({0, 2}, {}, ACL_INT32);
  EXPECT_EQ(DAVSIM_CALL(MoeInitRouting, in, numbers, choices, 4, out, places, sorted), ACL_SUCCESS);
}

TEST_F(RoutingTest, TokensUpToEachExpert) {
  const DeviceTensor sorted({7}, {0, 0, 2, 2, 2, 5, 9}, ACL_INT32), out({7}, Numbers(7), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(MoeComputeExpertTokens, sorted, 7, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {2, 2, 5, 5, 5, 6, 6}, 0);
  EXPECT_EQ(DAVSIM_CALL(MoeComputeExpertTokens, sorted, 0, out), kInvalid);
  expect_error("numExperts is at least 1, not 0");
  EXPECT_EQ(DAVSIM_CALL(MoeComputeExpertTokens, sorted, 6, out), kInvalid);
  EXPECT_EQ(DAVSIM_CALL(MoeComputeExpertTokens, nullptr, 7, out), kNull);
}

TEST_F(RoutingTest, Rules) {
  const DeviceTensor x({3, 4}, Numbers(12)), rows({3, 2}, {0, 3, 1, 4, 2, 5}, ACL_INT32),
      experts({3, 2}, {0, 1, 0, 1, 0, 1}, ACL_INT32), out({6, 4}, Numbers(24)),
      places({6}, Numbers(6), ACL_INT32), counts({2}, Numbers(2), ACL_INT32),
      padded({2, 3, 4}, Numbers(24));
  EXPECT_EQ(DAVSIM_CALL(MoeInitRouting, nullptr, rows, experts, 3, out, places, places), kNull);
  EXPECT_EQ(DAVSIM_CALL(MoeInitRouting, x, nullptr, experts, 3, out, places, places), kNull);
  EXPECT_EQ(DAVSIM_CALL(MoeInitRouting, x, rows, experts, -1, out, places, places), kInvalid);
  expect_error("activeNum is at least 0, not -1");
  EXPECT_EQ(DAVSIM_CALL(MoeInitRouting, x, rows, experts, 2, out, places, places), kInvalid);
  expect_error("expandedXOut has the shape [4,4]");

  const auto call = [&](std::int64_t active, std::int64_t capacity, std::int64_t count,
                        std::int64_t mode, std::int64_t flag, const aclTensor* made) {
    return DAVSIM_CALL(MoeInitRoutingV2, x, experts, active, capacity, count, mode, flag, true,
                       made, places, counts, counts);
  };
  EXPECT_EQ(call(-1, 0, 2, 0, 0, out), kInvalid);
  EXPECT_EQ(call(0, 0, 2, 2, 0, out), kInvalid);
  expect_error("dropPadModeOptional is 0 or 1, not 2");
  EXPECT_EQ(call(0, 0, 2, 0, 3, out), kInvalid);
  EXPECT_EQ(call(0, 0, 0, 0, 1, out), kInvalid);
  expect_error("expertNumOptional is at least 1, not 0");
  EXPECT_EQ(call(0, 0, 2, 1, 0, padded), kInvalid);
  EXPECT_EQ(call(0, 4, 2, 1, 0, padded), kInvalid);
  expect_error("expertCapacityOptional is at most 3, not 4");
  EXPECT_EQ(call(0, 3, 2, 1, 0, out), kInvalid);
  EXPECT_EQ(call(0, 3, 2, 1, 0, padded), ACL_SUCCESS) << last_error();
  EXPECT_EQ(call(0, 0, 1, 0, 1, out), kInvalid);
  EXPECT_EQ(DAVSIM_CALL(MoeInitRoutingV2, x, experts, 0, 0, 2, 0, 1, false, out, places, nullptr,
                        nullptr),
            kNull);
}

TEST_F(RoutingTest, NumbersOfRowsAreChecked) {
  const DeviceTensor x({3, 4}, Numbers(12)), experts({3, 2}, Numbers(6), ACL_INT32),
      wrong({3, 2}, {0, 3, 1, 6, 2, 5}, ACL_INT32), out({6, 4}, Numbers(24)),
      places({6}, Numbers(6), ACL_INT32);
  EXPECT_EQ(DAVSIM_CALL(MoeInitRouting, x, wrong, experts, 3, out, places, places),
            ACL_ERROR_RT_AICPU_EXCEPTION);
  expect_error("element 3 of rowIdx is 6, allowed are 0 to 5");
}

TEST_F(RoutingTest, NumbersOfExpertsAreChecked) {
  const DeviceTensor x({3, 4}, Numbers(12)), experts({3, 2}, {0, 1, 0, 1, 0, 1}, ACL_INT32),
      out({6, 4}, Numbers(24)), places({6}, Numbers(6), ACL_INT32), one({1}, Numbers(1), ACL_INT32);
  EXPECT_EQ(
      DAVSIM_CALL(MoeInitRoutingV2, x, experts, 0, 0, 1, 0, 1, false, out, places, one, nullptr),
      ACL_ERROR_RT_AICPU_EXCEPTION);
  expect_error("element 1 of expertIdx is 1, allowed are 0 to 0");
}

}  // namespace
}  // namespace davsim::test::routing
