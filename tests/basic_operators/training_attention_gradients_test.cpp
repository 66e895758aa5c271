// Gradients of attention for training against plain loops of the host, with the statistics that the
// attention has given.
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::training_attention_gradients {
namespace {

constexpr aclnnStatus kNull = 161001, kInvalid = 161002;
constexpr std::int64_t kAll = 2147483647;

struct Sizes {
  std::int64_t batch, heads, heads_of_keys, queries, keys, size, value_size;
};

/// A tensor [batch, heads, length, size].
struct Heads {
  std::int64_t batch, heads, length, size;
  Numbers values;
  double& at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t d) {
    return values[static_cast<std::size_t>(((b * heads + h) * length + i) * size + d)];
  }
};

Heads heads_of(std::int64_t batch, std::int64_t heads, std::int64_t length, std::int64_t size) {
  return {batch, heads, length, size,
          Numbers(static_cast<std::size_t>(batch * heads * length * size))};
}

test::Sizes shape_of(const Heads& of, const std::string& layout) {
  if (layout == "BNSD") return {of.batch, of.heads, of.length, of.size};
  if (layout == "BSND") return {of.batch, of.length, of.heads, of.size};
  if (layout == "BSH") return {of.batch, of.length, of.heads * of.size};
  if (layout == "SBH") return {of.length, of.batch, of.heads * of.size};
  return {of.length, of.heads, of.size};
}

Numbers laid_out(Heads of, const std::string& layout) {
  if (layout == "BNSD") return of.values;
  Numbers all;
  const bool length_first = layout == "SBH";
  for (std::int64_t outer = 0; outer < (length_first ? of.length : of.batch); ++outer) {
    for (std::int64_t inner = 0; inner < (length_first ? of.batch : of.length); ++inner) {
      for (std::int64_t h = 0; h < of.heads; ++h) {
        for (std::int64_t d = 0; d < of.size; ++d) {
          all.push_back(of.at(length_first ? inner : outer, h, length_first ? outer : inner, d));
        }
      }
    }
  }
  return all;
}

/// Whether a query sees a key.
using Sees = std::function<bool(std::int64_t, std::int64_t)>;

bool sees_all(std::int64_t, std::int64_t) {
  return true;
}

struct Problem {
  Heads query, key, value, gradient, shift;  ///< `shift` is [batch, heads, queries, keys]
};
struct Gradients {
  Heads query, key, value, shift;
};

Problem problem_of(const Sizes& s, aclDataType type) {
  Problem p{heads_of(s.batch, s.heads, s.queries, s.size),
            heads_of(s.batch, s.heads_of_keys, s.keys, s.size),
            heads_of(s.batch, s.heads_of_keys, s.keys, s.value_size),
            heads_of(s.batch, s.heads, s.queries, s.value_size),
            heads_of(s.batch, s.heads, s.queries, s.keys)};
  for (Heads* const of : {&p.query, &p.key, &p.value, &p.gradient}) {
    of->values = of_type(spread(of->values.size(), -1, 1), type);
  }
  return p;
}

/// With the scores of one row, the shares and their gradients.
Gradients expected(Problem p, double scale, const Sees& sees) {
  const std::int64_t group = p.query.heads / p.key.heads;
  Gradients out{
      heads_of(p.query.batch, p.query.heads, p.query.length, p.query.size),
      heads_of(p.key.batch, p.key.heads, p.key.length, p.key.size),
      heads_of(p.value.batch, p.value.heads, p.value.length, p.value.size),
      heads_of(p.shift.batch, p.shift.heads, p.shift.length, p.shift.size),
  };
  for (std::int64_t row = 0; row < p.query.batch * p.query.heads * p.query.length; ++row) {
    const std::int64_t i = row % p.query.length, h = row / p.query.length % p.query.heads,
                       b = row / p.query.length / p.query.heads, of = h / group;
    Numbers shares, slopes;
    double sum = 0, mean = 0;
    for (std::int64_t j = 0; j < p.key.length; ++j) {
      double score = p.shift.at(b, h, i, j), slope = 0;
      for (std::int64_t d = 0; d < p.query.size; ++d) {
        score += p.query.at(b, h, i, d) * p.key.at(b, of, j, d);
      }
      for (std::int64_t d = 0; d < p.value.size; ++d) {
        slope += p.gradient.at(b, h, i, d) * p.value.at(b, of, j, d);
      }
      shares.push_back(sees(i, j) ? std::exp(score * scale) : 0);
      slopes.push_back(slope);
      sum += shares.back();
    }
    if (sum == 0) continue;
    for (std::size_t j = 0; j < shares.size(); ++j) mean += (shares[j] /= sum) * slopes[j];
    for (std::int64_t j = 0; j < p.key.length; ++j) {
      const double share = shares[static_cast<std::size_t>(j)];
      const double slope = share * (slopes[static_cast<std::size_t>(j)] - mean) * scale;
      out.shift.at(b, h, i, j) = slope;
      for (std::int64_t d = 0; d < p.query.size; ++d) {
        out.query.at(b, h, i, d) += slope * p.key.at(b, of, j, d);
        out.key.at(b, of, j, d) += slope * p.query.at(b, h, i, d);
      }
      for (std::int64_t d = 0; d < p.value.size; ++d) {
        out.value.at(b, of, j, d) += share * p.gradient.at(b, h, i, d);
      }
    }
  }
  return out;
}

double tolerance_of(aclDataType type) {
  return type == ACL_FLOAT ? 1e-5 : 4 * rounding_of(type);
}

class TrainingAttentionGradientsTest : public BasicTest {
 protected:
  struct Call {
    std::string layout = "BNSD";
    aclDataType type = ACL_FLOAT16;
    const aclTensor* mask = nullptr;
    std::int64_t mode = 0;
    bool shifted = false;
  };

  void compare(const Sizes& s, Call call, const Sees& sees) {
    Problem p = problem_of(s, call.type);
    if (call.shifted) p.shift.values = of_type(spread(p.shift.values.size(), -2, 2), call.type);
    const Gradients want = expected(p, 0.25, sees);
    const auto tensor = [&](const Heads& of) {
      return DeviceTensor(shape_of(of, call.layout), laid_out(of, call.layout), call.type);
    };
    const auto room = [&](const Heads& of) {
      return DeviceTensor(shape_of(of, call.layout), Numbers(of.values.size(), 9), call.type);
    };
    const DeviceTensor query = tensor(p.query), key = tensor(p.key), value = tensor(p.value),
                       gradient = tensor(p.gradient), of_query = room(p.query),
                       of_key = room(p.key), of_value = room(p.value), out = room(p.gradient);
    const test::Sizes of_scores{s.batch, s.heads, s.queries, s.keys};
    const DeviceTensor shift(of_scores, p.shift.values, call.type),
        of_shift(of_scores, Numbers(p.shift.values.size(), 9), call.type);
    const Numbers none(static_cast<std::size_t>(s.batch * s.heads * s.queries * 8));
    const DeviceTensor greatest({s.batch, s.heads, s.queries, 8}, none),
        sums({s.batch, s.heads, s.queries, 8}, none);
    const aclTensor* const pse = call.shifted ? static_cast<aclTensor*>(shift) : nullptr;
    ASSERT_EQ(DAVSIM_CALL(FlashAttentionScore, query, key, value, pse, nullptr, nullptr, call.mask,
                          nullptr, 0.25, 1.0, kAll, kAll, s.heads, call.layout.data(), 0, call.mode,
                          greatest, sums, nullptr, out),
              ACL_SUCCESS)
        << last_error();
    ASSERT_EQ(DAVSIM_CALL(FlashAttentionScoreGrad, query, key, value, gradient, pse, nullptr,
                          nullptr, call.mask, greatest, sums, nullptr, out, nullptr, 0.25, 1.0,
                          kAll, kAll, s.heads, call.layout.data(), 0, call.mode, of_query, of_key,
                          of_value, call.shifted ? static_cast<aclTensor*>(of_shift) : nullptr),
              ACL_SUCCESS)
        << last_error();
    const double tolerance = tolerance_of(call.type);
    expect_near(of_query.values(), laid_out(want.query, call.layout), tolerance);
    expect_near(of_key.values(), laid_out(want.key, call.layout), tolerance);
    expect_near(of_value.values(), laid_out(want.value, call.layout), tolerance);
    if (call.shifted) expect_near(of_shift.values(), want.shift.values, tolerance);
  }
};

TEST_F(TrainingAttentionGradientsTest, AllLayoutsAndTypes) {
  for (const std::string layout : {"BNSD", "BSND", "BSH", "SBH"}) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      SCOPED_TRACE(layout + " " + std::to_string(type));
      compare({2, 4, 2, 13, 21, 16, 16}, {.layout = layout, .type = type}, sees_all);
      compare({1, 3, 1, 5, 40, 32, 32}, {.layout = layout, .type = type}, sees_all);
    }
  }
  compare({1, 2, 1, 7, 9, 16, 24}, {}, sees_all);
}

TEST_F(TrainingAttentionGradientsTest, HiddenKeysAndShiftedScores) {
  const Sizes s{2, 2, 1, 12, 17, 16, 16};
  Numbers hidden;
  // The first query sees nothing.
  const auto seen = [&](std::int64_t i, std::int64_t j) { return i != 0 && (i + j) % 3 != 1; };
  for (std::int64_t i = 0; i < s.queries; ++i) {
    for (std::int64_t j = 0; j < s.keys; ++j) hidden.push_back(seen(i, j) ? 0 : 1);
  }
  const DeviceTensor mask({s.queries, s.keys}, hidden, ACL_BOOL),
      square({2048, 2048}, Numbers(2048 * 2048), ACL_BOOL);
  for (const bool shifted : {false, true}) {
    compare(s, {.mask = mask, .shifted = shifted}, seen);
    compare(s, {.mask = square, .mode = 2, .shifted = shifted},
            [](std::int64_t i, std::int64_t j) { return j <= i; });
    compare(s, {.type = ACL_FLOAT, .mask = square, .mode = 3, .shifted = shifted},
            [](std::int64_t i, std::int64_t j) { return j <= i + 5; });
  }
}

TEST_F(TrainingAttentionGradientsTest, ARepeatedShiftSumsItsGradient) {
  Problem p = problem_of({2, 2, 2, 6, 9, 16, 16}, ACL_FLOAT);
  const Numbers row = spread(2 * 9, -2, 2);
  for (std::size_t i = 0; i < p.shift.values.size(); ++i) {
    p.shift.values[i] = row[i / 54 % 2 * 9 + i % 9];
  }
  const Gradients want = expected(p, 0.5, sees_all);
  Numbers of_row(18);
  for (std::size_t i = 0; i < p.shift.values.size(); ++i) {
    of_row[i / 54 % 2 * 9 + i % 9] += want.shift.values[i];
  }
  const DeviceTensor query({2, 2, 6, 16}, p.query.values), key({2, 2, 9, 16}, p.key.values),
      value({2, 2, 9, 16}, p.value.values), gradient({2, 2, 6, 16}, p.gradient.values),
      shift({1, 2, 1, 9}, row), out({2, 2, 6, 16}, Numbers(384)),
      greatest({2, 2, 6, 8}, Numbers(192)), sums({2, 2, 6, 8}, Numbers(192)),
      of_query({2, 2, 6, 16}, Numbers(384)), of_key({2, 2, 9, 16}, Numbers(576)),
      of_value({2, 2, 9, 16}, Numbers(576)), of_shift({1, 2, 1, 9}, Numbers(18));
  char layout[] = "BNSD";
  ASSERT_EQ(
      DAVSIM_CALL(FlashAttentionScore, query, key, value, shift, nullptr, nullptr, nullptr, nullptr,
                  0.5, 1.0, kAll, kAll, 2, layout, 0, 0, greatest, sums, nullptr, out),
      ACL_SUCCESS)
      << last_error();
  ASSERT_EQ(DAVSIM_CALL(FlashAttentionScoreGrad, query, key, value, gradient, shift, nullptr,
                        nullptr, nullptr, greatest, sums, nullptr, out, nullptr, 0.5, 1.0, kAll,
                        kAll, 2, layout, 0, 0, of_query, of_key, of_value, of_shift),
            ACL_SUCCESS)
      << last_error();
  expect_near(of_shift.values(), of_row, 1e-5);
  expect_near(of_query.values(), want.query.values, 1e-5);
}

TEST_F(TrainingAttentionGradientsTest, SequencesOfDifferentLengths) {
  // Of one head: tokens [tokens, 1, 16]. The second sequence has queries and no keys.
  const Sizes parts[] = {
      {1, 1, 1, 7, 9, 16, 16}, {1, 1, 1, 2, 0, 16, 16}, {1, 1, 1, 11, 20, 16, 16}};
  Numbers q, k, v, dy, of_q, of_k, of_v;
  const auto append = [](Numbers& to, const Heads& of) {
    to.insert(to.end(), of.values.begin(), of.values.end());
  };
  for (const Sizes& s : parts) {
    const Problem p = problem_of(s, ACL_FLOAT16);
    const Gradients want = expected(
        p, 0.25, [&](std::int64_t i, std::int64_t j) { return j <= i + s.keys - s.queries; });
    append(q, p.query), append(k, p.key), append(v, p.value), append(dy, p.gradient);
    append(of_q, want.query), append(of_k, want.key), append(of_v, want.value);
  }
  const DeviceTensor query({20, 1, 16}, q, ACL_FLOAT16), key({29, 1, 16}, k, ACL_FLOAT16),
      value({29, 1, 16}, v, ACL_FLOAT16), gradient({20, 1, 16}, dy, ACL_FLOAT16),
      out({20, 1, 16}, Numbers(320), ACL_FLOAT16), greatest({20, 1, 8}, Numbers(160)),
      sums({20, 1, 8}, Numbers(160)), of_query({20, 1, 16}, Numbers(320, 9), ACL_FLOAT16),
      of_key({29, 1, 16}, Numbers(464, 9), ACL_FLOAT16),
      of_value({29, 1, 16}, Numbers(464, 9), ACL_FLOAT16),
      square({2048, 2048}, Numbers(2048 * 2048), ACL_BOOL);
  char layout[] = "TND";
  ASSERT_EQ(DAVSIM_CALL(FlashAttentionVarLenScore, query, key, value, nullptr, nullptr, nullptr,
                        square, nullptr, Ints({7, 9, 20}), Ints({9, 9, 29}), 0.25, 1.0, kAll, kAll,
                        1, layout, 0, 3, greatest, sums, nullptr, out),
            ACL_SUCCESS)
      << last_error();
  ASSERT_EQ(DAVSIM_CALL(FlashAttentionUnpaddingScoreGrad, query, key, value, gradient, nullptr,
                        nullptr, nullptr, square, greatest, sums, nullptr, out, nullptr,
                        Ints({7, 9, 20}), Ints({9, 9, 29}), 0.25, 1.0, kAll, kAll, 1, layout, 0, 3,
                        of_query, of_key, of_value, nullptr),
            ACL_SUCCESS)
      << last_error();
  const double tolerance = tolerance_of(ACL_FLOAT16);
  expect_near(of_query.values(), of_q, tolerance);
  expect_near(of_key.values(), of_k, tolerance);
  expect_near(of_value.values(), of_v, tolerance);
}

TEST_F(TrainingAttentionGradientsTest, WithoutQueriesAllGradientsAreZero) {
  const DeviceTensor query({1, 2, 0, 16}, {}), x({1, 2, 3, 16}, spread(96, -1, 1)),
      stat({1, 2, 0, 8}, {}), shift({1, 2, 1, 3}, Numbers(6)),
      of_key({1, 2, 3, 16}, Numbers(96, 9)), of_value({1, 2, 3, 16}, Numbers(96, 9)),
      of_shift({1, 2, 1, 3}, Numbers(6, 9));
  char layout[] = "BNSD";
  ASSERT_EQ(DAVSIM_CALL(FlashAttentionScoreGrad, query, x, x, query, shift, nullptr, nullptr,
                        nullptr, stat, stat, nullptr, query, nullptr, 1.0, 1.0, kAll, kAll, 2,
                        layout, 0, 0, query, of_key, of_value, of_shift),
            ACL_SUCCESS)
      << last_error();
  expect_near(of_key.values(), Numbers(96), 0);
  expect_near(of_value.values(), Numbers(96), 0);
  expect_near(of_shift.values(), Numbers(6), 0);
}

TEST_F(TrainingAttentionGradientsTest, Rules) {
  const DeviceTensor x({1, 2, 4, 16}, Numbers(128), ACL_FLOAT16), wide({1, 2, 4, 16}, Numbers(128)),
      small({1, 2, 3, 16}, Numbers(96), ACL_FLOAT16), stat({1, 2, 4, 8}, Numbers(64)),
      short_stat({1, 2, 4, 1}, Numbers(8));
  char layout[] = "BNSD", tokens[] = "TND";
  struct Call {
    const aclTensor *dy, *greatest, *out;
    double keep = 1;
    std::int64_t mode = 0;
  };
  const auto call = [&](const Call& of) {
    return DAVSIM_CALL(FlashAttentionScoreGrad, x, x, x, of.dy, nullptr, nullptr, nullptr, nullptr,
                       of.greatest, stat, nullptr, x, nullptr, 1.0, of.keep, kAll, kAll, 2, layout,
                       0, of.mode, of.out, x, x, nullptr);
  };
  EXPECT_EQ(call({nullptr, stat, x}), kNull);
  EXPECT_EQ(call({x, nullptr, x}), kNull);
  EXPECT_EQ(call({x, stat, nullptr}), kNull);
  EXPECT_EQ(call({small, stat, x}), kInvalid);
  expect_error("dy has the sizes [1,2,4,16]");
  EXPECT_EQ(call({wide, stat, x}), kInvalid);
  EXPECT_EQ(call({x, short_stat, x}), kInvalid);
  expect_error("softmaxMaxOptional has the sizes [1,2,4,8]");
  EXPECT_EQ(call({x, stat, small}), kInvalid);
  EXPECT_EQ(call({x, stat, wide}), kInvalid);
  EXPECT_EQ(call({x, stat, x, 0.5}), kInvalid);
  expect_error("keepProb is 1, without dropout");
  EXPECT_EQ(call({x, stat, x, 1, 5}), kInvalid);
  const DeviceTensor y({4, 2, 16}, Numbers(128), ACL_FLOAT16), of_y({4, 2, 8}, Numbers(64));
  const auto of_lengths = [&](const aclIntArray* ends, const aclTensor* pse, const aclTensor* out) {
    return DAVSIM_CALL(FlashAttentionUnpaddingScoreGrad, y, y, y, y, pse, nullptr, nullptr, nullptr,
                       of_y, of_y, nullptr, y, nullptr, ends, ends, 1.0, 1.0, kAll, kAll, 2, tokens,
                       0, 0, out, y, y, nullptr);
  };
  EXPECT_EQ(of_lengths(nullptr, nullptr, y), kNull);
  EXPECT_EQ(of_lengths(Ints({5}), nullptr, y), kInvalid);
  EXPECT_EQ(of_lengths(Ints({4}), y, y), kInvalid);
  expect_error("pseShiftOptional is not supported");
  EXPECT_EQ(of_lengths(Ints({4}), nullptr, x), kInvalid);
}

}  // namespace
}  // namespace davsim::test::training_attention_gradients
