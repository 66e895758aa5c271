// Tokens in the order of their experts and back, against plain loops.
#include <algorithm>
#include <numeric>

#include "lists/experts.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::token_orders {
namespace {

class TokenOrdersTest : public BasicTest {};

/// Tokens with choices, and where the choices go.
struct Case {
  std::size_t tokens, choices, length;

  std::size_t all() const { return tokens * choices; }
  static std::int64_t size(std::size_t count) { return static_cast<std::int64_t>(count); }

  Numbers experts() const {
    Numbers made;
    for (std::size_t i = 0; i < all(); ++i) made.push_back(static_cast<double>(i * i % 7));
    return made;
  }
  Numbers places() const {
    const Numbers of = experts();
    std::vector<std::size_t> order(all());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return of[a] < of[b]; });
    Numbers made(all());
    for (std::size_t i = 0; i < all(); ++i) made[order[i]] = static_cast<double>(i);
    return made;
  }
};

const Case kCases[] = {{3, 2, 4}, {100, 6, 70}, {7, 1, 2100}, {5, 3, 1}};

std::size_t place_in(const Numbers& places, std::size_t i) {
  return static_cast<std::size_t>(places[i]);
}

TEST_F(TokenOrdersTest, OrdersTokens) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Case& c : kCases) {
      const std::int64_t n = Case::size(c.tokens), k = Case::size(c.choices),
                         h = Case::size(c.length);
      for (const std::int64_t wanted : {std::int64_t{0}, n * k - 1, std::int64_t{-2}, n * k + 5}) {
        const std::int64_t kept = wanted > 0 ? std::min(wanted, n * k) : n * k + wanted;
        const Numbers x = of_type(spread(c.tokens * c.length, -1, 1), type), places = c.places();
        const DeviceTensor tokens({n, h}, x, type), indices({n, k}, c.experts(), ACL_INT64);
        const DeviceTensor out({kept, h}, Numbers(static_cast<std::size_t>(kept * h)), type);
        const DeviceTensor gone({n * k}, Numbers(c.all()), ACL_INT32);
        ASSERT_EQ(DAVSIM_CALL(MoeTokenPermute, tokens, indices, wanted, false, out, gone),
                  ACL_SUCCESS)
            << last_error();
        EXPECT_EQ(gone.values(), places);
        Numbers expected(static_cast<std::size_t>(kept * h));
        for (std::size_t i = 0; i < c.all(); ++i) {
          const std::size_t row = place_in(places, i);
          if (row >= static_cast<std::size_t>(kept)) continue;
          for (std::size_t e = 0; e < c.length; ++e) {
            expected[row * c.length + e] = x[i / c.choices * c.length + e];
          }
        }
        EXPECT_EQ(out.values(), expected);
      }
    }
  }
}

TEST_F(TokenOrdersTest, SumsChoices) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Case& c : kCases) {
      for (const std::size_t left : {c.all(), c.all() - 1}) {
        const std::int64_t n = Case::size(c.tokens), k = Case::size(c.choices),
                           h = Case::size(c.length);
        const Numbers rows = of_type(spread(left * c.length, -1, 1), type), places = c.places();
        const Numbers shares = of_type(spread(c.all(), 0, 1), type);
        const DeviceTensor in({Case::size(left), h}, rows, type);
        const DeviceTensor gone({n * k}, places, ACL_INT32), weights({n, k}, shares, type);
        const DeviceTensor sums({n, h}, Numbers(c.tokens * c.length), type);
        Numbers plain(c.tokens * c.length), weighted(plain.size());
        for (std::size_t i = 0; i < c.all(); ++i) {
          const std::size_t row = place_in(places, i);
          if (row >= left) continue;
          for (std::size_t e = 0; e < c.length; ++e) {
            plain[i / c.choices * c.length + e] += rows[row * c.length + e];
            weighted[i / c.choices * c.length + e] += shares[i] * rows[row * c.length + e];
          }
        }
        ASSERT_EQ(DAVSIM_CALL(MoeTokenPermuteGrad, in, gone, k, false, sums), ACL_SUCCESS)
            << last_error();
        expect_near(sums.values(), plain, rounding_of(type));
        ASSERT_EQ(DAVSIM_CALL(MoeTokenUnpermute, in, gone, weights, false, nullptr, sums),
                  ACL_SUCCESS)
            << last_error();
        expect_near(sums.values(), weighted, rounding_of(type));
      }
    }
  }
}

TEST_F(TokenOrdersTest, GradientsOfSums) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Case& c : kCases) {
      const std::int64_t n = Case::size(c.tokens), k = Case::size(c.choices),
                         h = Case::size(c.length);
      const Numbers rows = of_type(spread(c.all() * c.length, -1, 1), type), places = c.places();
      const Numbers shares = of_type(spread(c.all(), 0, 1), type);
      const Numbers dy = of_type(spread(c.tokens * c.length, -2, 1), type);
      const DeviceTensor in({n * k, h}, rows, type), gradient({n, h}, dy, type);
      const DeviceTensor gone({n * k}, places, ACL_INT32), weights({n, k}, shares, type);
      const DeviceTensor out({n * k, h}, Numbers(rows.size()), type);
      const DeviceTensor weights_out({n, k}, Numbers(c.all()), type);
      ASSERT_EQ(DAVSIM_CALL(MoeTokenUnpermuteGrad, in, gradient, gone, weights, false, nullptr, out,
                            weights_out),
                ACL_SUCCESS)
          << last_error();
      Numbers expected(rows.size()), of_weights(c.all());
      for (std::size_t i = 0; i < c.all(); ++i) {
        for (std::size_t e = 0; e < c.length; ++e) {
          const double dy_at = dy[i / c.choices * c.length + e];
          const std::size_t at = place_in(places, i) * c.length + e;
          expected[at] = shares[i] * dy_at;
          of_weights[i] += dy_at * rows[at];
        }
      }
      expect_near(out.values(), expected, rounding_of(type));
      expect_near(weights_out.values(), of_weights, 20 * rounding_of(type));
    }
  }
}

TEST_F(TokenOrdersTest, GradientsWithoutWeights) {
  const DeviceTensor in({2, 2}, Numbers(4)), gradient({2, 2}, {1, 2, 3, 4});
  const DeviceTensor gone({2}, {1, 0}, ACL_INT32), out({2, 2}, Numbers(4));
  ASSERT_EQ(
      DAVSIM_CALL(MoeTokenUnpermuteGrad, in, gradient, gone, nullptr, false, nullptr, out, nullptr),
      ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), Numbers({3, 4, 1, 2}));
}

TEST_F(TokenOrdersTest, Refuses) {
  const DeviceTensor x({2, 2}, Numbers(4)), four({4, 2}, Numbers(8)), weights({2, 2}, Numbers(4));
  const DeviceTensor indices({2, 2}, Numbers(4), ACL_INT32), gone({4}, Numbers(4), ACL_INT32);
  const DeviceTensor far({4}, {0, 1, 2, 4}, ACL_INT32), halves({4, 2}, Numbers(8), ACL_FLOAT16);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermute, x, indices, 0, true, four, gone), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermute, x, indices, 0, false, halves, gone), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermute, x, indices, 0, false, x, gone), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermute, x, x, 0, false, four, gone), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermute, x, indices, 0, false, four, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermuteGrad, four, gone, 0, false, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermuteGrad, four, gone, 1, false, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenPermuteGrad, four, far, 2, false, x), 507018);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenUnpermute, four, gone, nullptr, false, nullptr, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenUnpermute, four, gone, weights, false, Ints({2, 2}), x), 161002);
  EXPECT_EQ(DAVSIM_CALL(MoeTokenUnpermute, four, nullptr, weights, false, nullptr, x), 161001);
  EXPECT_EQ(
      DAVSIM_CALL(MoeTokenUnpermuteGrad, four, x, gone, weights, false, nullptr, four, nullptr),
      161001);
}

}  // namespace
}  // namespace davsim::test::token_orders
