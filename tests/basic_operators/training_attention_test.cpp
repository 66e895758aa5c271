// Attention for training, in all layouts and sparse modes, against plain loops of the host.
#include <limits>

#include "aclnnop/aclnn_flash_attention_score.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::training_attention {
namespace {

constexpr aclnnStatus kNull = 161001, kInvalid = 161002;
constexpr std::int64_t kAll = 2147483647;

std::size_t whole(std::int64_t size) {
  return static_cast<std::size_t>(size);
}

struct Sizes {
  std::int64_t batch, heads, heads_of_keys, queries, keys, size, value_size;
};

/// Whether a query sees a key, and what is added to its score.
using Sees = std::function<bool(std::int64_t, std::int64_t)>;
using Added = std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;

struct Result {
  Numbers out, greatest, sums;  ///< [batch, heads, queries, ...]
};

/// Of [batch, heads, length, size].
Result expected(const Sizes& s, const Numbers& q, const Numbers& k, const Numbers& v, double scale,
                const Sees& sees, const Added& added) {
  Result all;
  for (std::int64_t row = 0; row < s.batch * s.heads * s.queries; ++row) {
    const std::int64_t i = row % s.queries, head = row / s.queries % s.heads,
                       batch = row / s.queries / s.heads;
    const std::int64_t first =
        (batch * s.heads_of_keys + head / (s.heads / s.heads_of_keys)) * s.keys;
    Numbers scores;
    double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < s.keys; ++j) {
      double score = added ? added(batch, head, i, j) : 0;
      for (std::int64_t d = 0; d < s.size; ++d) {
        score += q[whole(row * s.size + d)] * k[whole((first + j) * s.size + d)];
      }
      scores.push_back(sees(i, j) ? score * scale : -std::numeric_limits<double>::infinity());
      greatest = std::max(greatest, scores.back());
    }
    Numbers out(whole(s.value_size));
    for (std::int64_t j = 0; j < s.keys; ++j) {
      if (!sees(i, j)) continue;
      const double power = std::exp(scores[whole(j)] - greatest);
      sum += power;
      for (std::int64_t d = 0; d < s.value_size; ++d) {
        out[whole(d)] += power * v[whole((first + j) * s.value_size + d)];
      }
    }
    for (double& element : out) element = sum == 0 ? 0 : element / sum;
    all.out.insert(all.out.end(), out.begin(), out.end());
    all.greatest.insert(all.greatest.end(), 8, greatest);
    all.sums.insert(all.sums.end(), 8, sum);
  }
  return all;
}

bool sees_all(std::int64_t, std::int64_t) {
  return true;
}

/// [batch, heads, length, size] as the layout has it.
Numbers laid_out(const Numbers& from, const std::string& layout, std::int64_t batch,
                 std::int64_t heads, std::int64_t length, std::int64_t size) {
  Numbers to(from.size());
  for (std::int64_t b = 0, at = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t d = 0; d < size; ++d, ++at) {
          std::int64_t place = ((b * length + i) * heads + h) * size + d;
          if (layout == "BNSD") place = at;
          if (layout == "SBH") place = ((i * batch + b) * heads + h) * size + d;
          to[whole(place)] = from[whole(at)];
        }
      }
    }
  }
  return to;
}

test::Sizes shape_of(const std::string& layout, std::int64_t batch, std::int64_t heads,
                     std::int64_t length, std::int64_t size) {
  if (layout == "BNSD") return {batch, heads, length, size};
  if (layout == "BSND") return {batch, length, heads, size};
  if (layout == "BSH") return {batch, length, heads * size};
  return {length, batch, heads * size};
}

class TrainingAttentionTest : public BasicTest {
 protected:
  struct Call {
    std::string layout = "BNSD";
    aclDataType type = ACL_FLOAT16;
    const aclTensor* pse = nullptr;
    const aclTensor* mask = nullptr;
    std::int64_t mode = 0, before = kAll, behind = kAll;
  };

  void compare(const Sizes& s, Call call, const Sees& sees, const Added& added = nullptr) {
    const double scale = 1 / std::sqrt(static_cast<double>(s.size));
    const Numbers q = of_type(spread(whole(s.batch * s.heads * s.queries * s.size), -2, 2),
                              call.type),
                  k = of_type(spread(whole(s.batch * s.heads_of_keys * s.keys * s.size), -1, 3),
                              call.type),
                  v = of_type(
                      spread(whole(s.batch * s.heads_of_keys * s.keys * s.value_size), -1, 1),
                      call.type);
    const auto tensor = [&](const Numbers& values, std::int64_t heads, std::int64_t length,
                            std::int64_t size) {
      return std::make_unique<DeviceTensor>(
          shape_of(call.layout, s.batch, heads, length, size),
          laid_out(values, call.layout, s.batch, heads, length, size), call.type);
    };
    const auto query = tensor(q, s.heads, s.queries, s.size),
               key = tensor(k, s.heads_of_keys, s.keys, s.size),
               value = tensor(v, s.heads_of_keys, s.keys, s.value_size);
    const std::int64_t rows = s.batch * s.heads * s.queries;
    const auto out = tensor(Numbers(whole(rows * s.value_size)), s.heads, s.queries, s.value_size);
    const DeviceTensor greatest({s.batch, s.heads, s.queries, 8}, Numbers(whole(rows * 8))),
        sums({s.batch, s.heads, s.queries, 8}, Numbers(whole(rows * 8)));
    ASSERT_EQ(DAVSIM_CALL(FlashAttentionScore, *query, *key, *value, call.pse, nullptr, nullptr,
                          call.mask, nullptr, scale, 1.0, call.before, call.behind, s.heads,
                          call.layout.data(), 0, call.mode, greatest, sums, nullptr, *out),
              ACL_SUCCESS)
        << last_error();
    const Result result = expected(s, q, k, v, scale, sees, added);
    const double tolerance = call.type == ACL_FLOAT ? 1e-5 : 2 * rounding_of(call.type);
    expect_near(out->values(),
                laid_out(result.out, call.layout, s.batch, s.heads, s.queries, s.value_size),
                tolerance);
    expect_near(greatest.values(), result.greatest, 1e-5);
    expect_near(sums.values(), result.sums, 1e-4);
  }
};

TEST_F(TrainingAttentionTest, AllLayoutsAndTypes) {
  for (const std::string layout : {"BNSD", "BSND", "BSH", "SBH"}) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      SCOPED_TRACE(layout + " " + std::to_string(type));
      compare({2, 4, 2, 37, 65, 32, 32}, {.layout = layout, .type = type}, sees_all);
      compare({1, 3, 1, 130, 300, 64, 16}, {.layout = layout, .type = type}, sees_all);
    }
  }
}

TEST_F(TrainingAttentionTest, SparseModes) {
  const Sizes sizes{2, 2, 2, 40, 70, 16, 16}, long_queries{1, 2, 1, 70, 40, 16, 16};
  const DeviceTensor square({2048, 2048}, Numbers(2048 * 2048), ACL_BOOL);
  for (const Sizes& s : {sizes, long_queries}) {
    const std::int64_t last = s.keys - s.queries;
    Numbers hidden;
    for (std::int64_t i = 0; i < s.queries * s.keys; ++i) hidden.push_back(i % 3 == 1 ? 1 : 0);
    const DeviceTensor mask({s.queries, s.keys}, hidden, ACL_UINT8);
    const auto seen = [&](std::int64_t i, std::int64_t j) { return (i * s.keys + j) % 3 != 1; };
    compare(s, {.mask = mask, .mode = 1, .before = 0, .behind = 0}, seen);
    compare(s, {.mask = mask}, seen);
    compare(s, {.mask = mask, .before = 20, .behind = 3}, [&](std::int64_t i, std::int64_t j) {
      return seen(i, j) && j - i <= 3 && i - j <= 20;
    });
    compare(s, {.mask = square, .mode = 2}, [](std::int64_t i, std::int64_t j) { return j <= i; });
    compare(s, {.mask = square, .mode = 3},
            [=](std::int64_t i, std::int64_t j) { return j <= i + last; });
    compare(s, {.mask = square, .mode = 4, .before = 9, .behind = 4},
            [=](std::int64_t i, std::int64_t j) { return j - i - last <= 4 && i + last - j <= 9; });
    // Without a mask the modes change nothing.
    compare(s, {.mode = 3}, sees_all);
  }
}

TEST_F(TrainingAttentionTest, ShiftsAndMasksOfHeads) {
  const Sizes s{2, 3, 3, 20, 33, 16, 16};
  const Numbers shift = of_type(spread(3 * 20 * 33, -3, 3), ACL_FLOAT16),
                row = of_type(spread(2 * 3 * 33, -3, 3), ACL_FLOAT16);
  const DeviceTensor of_heads({1, 3, 20, 33}, shift, ACL_FLOAT16),
      of_keys({2, 3, 1, 33}, row, ACL_FLOAT16);
  compare(s, {.pse = of_heads}, sees_all,
          [&](std::int64_t, std::int64_t head, std::int64_t i, std::int64_t j) {
            return shift[whole((head * 20 + i) * 33 + j)];
          });
  compare(s, {.pse = of_keys}, sees_all,
          [&](std::int64_t batch, std::int64_t head, std::int64_t, std::int64_t j) {
            return row[whole((batch * 3 + head) * 33 + j)];
          });
  Numbers hidden;
  for (std::int64_t i = 0; i < 2 * 20 * 33; ++i) hidden.push_back(i % 660 % 7 == 2 ? 1 : 0);
  const DeviceTensor mask({2, 1, 20, 33}, hidden, ACL_BOOL);
  compare(s, {.mask = mask, .mode = 1},
          [](std::int64_t i, std::int64_t j) { return (i * 33 + j) % 7 != 2; });
}

TEST_F(TrainingAttentionTest, SequencesOfDifferentLengths) {
  // Of one head, so that tokens lie as [1, 1, tokens, size].
  const Sizes parts[] = {
      {1, 1, 1, 7, 9, 16, 16}, {1, 1, 1, 12, 5, 16, 16}, {1, 1, 1, 21, 30, 16, 16}};
  const Numbers q = of_type(spread(40 * 16, -2, 2), ACL_FLOAT16),
                k = of_type(spread(44 * 16, -1, 2), ACL_FLOAT16),
                v = of_type(spread(44 * 16, -1, 1), ACL_FLOAT16);
  const DeviceTensor query({40, 1, 16}, q, ACL_FLOAT16), key({44, 1, 16}, k, ACL_FLOAT16),
      value({44, 1, 16}, v, ACL_FLOAT16), out({40, 1, 16}, Numbers(640), ACL_FLOAT16),
      greatest({40, 1, 8}, Numbers(320)), sums({40, 1, 8}, Numbers(320)),
      square({2048, 2048}, Numbers(2048 * 2048), ACL_BOOL);
  char layout[] = "TND";
  ASSERT_EQ(DAVSIM_CALL(FlashAttentionVarLenScore, query, key, value, nullptr, nullptr, nullptr,
                        square, nullptr, Ints({7, 19, 40, 0}), Ints({9, 14, 44, 0}), 0.25, 1.0,
                        kAll, kAll, 1, layout, 0, 3, greatest, sums, nullptr, out),
            ACL_SUCCESS)
      << last_error();
  Result all;
  std::int64_t q_at = 0, k_at = 0;
  for (const Sizes& s : parts) {
    const auto part = [](const Numbers& of, std::int64_t from, std::int64_t count) {
      return Numbers(of.begin() + from * 16, of.begin() + (from + count) * 16);
    };
    const Result one = expected(
        s, part(q, q_at, s.queries), part(k, k_at, s.keys), part(v, k_at, s.keys), 0.25,
        [&](std::int64_t i, std::int64_t j) { return j <= i + s.keys - s.queries; }, nullptr);
    all.out.insert(all.out.end(), one.out.begin(), one.out.end());
    all.greatest.insert(all.greatest.end(), one.greatest.begin(), one.greatest.end());
    all.sums.insert(all.sums.end(), one.sums.begin(), one.sums.end());
    q_at += s.queries, k_at += s.keys;
  }
  expect_near(out.values(), all.out, 2e-3);
  expect_near(greatest.values(), all.greatest, 1e-5);
  expect_near(sums.values(), all.sums, 1e-4);
}

TEST_F(TrainingAttentionTest, OneSequenceOfSeveralHeadsIsABatch) {
  const DeviceTensor query({20, 4, 16}, spread(1280, -2, 2)), key({30, 2, 16}, spread(960, -1, 2)),
      value({30, 2, 16}, spread(960, -1, 1)), out({20, 4, 16}, Numbers(1280)),
      greatest({20, 4, 8}, Numbers(640)), sums({20, 4, 8}, Numbers(640));
  const DeviceTensor batch({1, 20, 4, 16}, spread(1280, -2, 2)),
      keys({1, 30, 2, 16}, spread(960, -1, 2)), values({1, 30, 2, 16}, spread(960, -1, 1)),
      made({1, 20, 4, 16}, Numbers(1280)), most({1, 4, 20, 8}, Numbers(640)),
      all({1, 4, 20, 8}, Numbers(640));
  char tokens[] = "TND", batches[] = "BSND";
  ASSERT_EQ(DAVSIM_CALL(FlashAttentionVarLenScore, query, key, value, nullptr, nullptr, nullptr,
                        nullptr, nullptr, Ints({20}), Ints({30}), 0.25, 1.0, kAll, kAll, 4, tokens,
                        0, 0, greatest, sums, nullptr, out),
            ACL_SUCCESS)
      << last_error();
  ASSERT_EQ(
      DAVSIM_CALL(FlashAttentionScore, batch, keys, values, nullptr, nullptr, nullptr, nullptr,
                  nullptr, 0.25, 1.0, kAll, kAll, 4, batches, 0, 0, most, all, nullptr, made),
      ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), made.values(), 0);
  expect_near(greatest.values(), laid_out(most.values(), "BSND", 1, 4, 20, 8), 0);
  expect_near(sums.values(), laid_out(all.values(), "BSND", 1, 4, 20, 8), 0);
}

TEST_F(TrainingAttentionTest, Rules) {
  const DeviceTensor q({1, 2, 4, 16}, Numbers(128), ACL_FLOAT16), stat({1, 2, 4, 8}, Numbers(64)),
      short_stat({1, 2, 4, 1}, Numbers(8)), other({1, 3, 4, 16}, Numbers(192), ACL_FLOAT16);
  const auto call = [&](const aclTensor* query, const aclTensor* key, const aclTensor* padding,
                        double keep, std::int64_t heads, std::string layout, std::int64_t mode,
                        const aclTensor* sums) {
    return DAVSIM_CALL(FlashAttentionScore, query, key, key, nullptr, nullptr, padding, nullptr,
                       nullptr, 1.0, keep, kAll, kAll, heads, layout.data(), 0, mode, stat, sums,
                       nullptr, q);
  };
  EXPECT_EQ(call(nullptr, q, nullptr, 1, 2, "BNSD", 0, stat), kNull);
  EXPECT_EQ(call(q, nullptr, nullptr, 1, 2, "BNSD", 0, stat), kNull);
  EXPECT_EQ(call(q, q, nullptr, 1, 2, "BNSD", 0, nullptr), kNull);
  EXPECT_EQ(call(q, q, q, 1, 2, "BNSD", 0, stat), kInvalid);
  EXPECT_EQ(call(q, q, nullptr, 0.5, 2, "BNSD", 0, stat), kInvalid);
  expect_error("keepProb is 1, without dropout");
  EXPECT_EQ(call(q, q, nullptr, 1, 0, "BNSD", 0, stat), kInvalid);
  EXPECT_EQ(call(q, q, nullptr, 1, 4, "BNSD", 0, stat), kInvalid);
  expect_error("query has the sizes [1,4,4,16]");
  EXPECT_EQ(call(q, q, nullptr, 1, 2, "TND", 0, stat), kInvalid);
  EXPECT_EQ(call(q, q, nullptr, 1, 2, "BSH", 0, stat), kInvalid);
  EXPECT_EQ(call(q, q, nullptr, 1, 2, "BNSD", 5, stat), kInvalid);
  expect_error("sparseMode is from 0 to 4, not 5");
  EXPECT_EQ(call(q, other, nullptr, 1, 2, "BNSD", 0, stat), kInvalid);
  expect_error("headNum is a multiple of the heads of key, not 2 of 3");
  EXPECT_EQ(call(q, q, nullptr, 1, 2, "BNSD", 0, short_stat), kInvalid);
  expect_error("softmaxSumOut has the sizes [1,2,4,8]");
  const DeviceTensor tokens({4, 2, 16}, Numbers(128), ACL_FLOAT16),
      of_tokens({4, 2, 8}, Numbers(64));
  char layout[] = "TND";
  const auto of_lengths = [&](const aclIntArray* ends, const aclTensor* pse) {
    return DAVSIM_CALL(FlashAttentionVarLenScore, tokens, tokens, tokens, pse, nullptr, nullptr,
                       nullptr, nullptr, ends, ends, 1.0, 1.0, kAll, kAll, 2, layout, 0, 0,
                       of_tokens, of_tokens, nullptr, tokens);
  };
  EXPECT_EQ(of_lengths(nullptr, nullptr), kNull);
  EXPECT_EQ(of_lengths(Ints({3, 2}), nullptr), kInvalid);
  expect_error(
      "actualSeqQLenOptional has ends of sequences in their order up to 4, not 2 behind 3");
  EXPECT_EQ(of_lengths(Ints({5}), nullptr), kInvalid);
  EXPECT_EQ(of_lengths(Ints({4}), tokens), kInvalid);
}

}  // namespace
}  // namespace davsim::test::training_attention
