// Attention by its aclnn functions against sums of the host.
#include <cmath>
#include <limits>

#include "lists/attention.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::attention {
namespace {

constexpr std::int64_t kHeads = 4, kKeyHeads = 2, kWidth = 64, kAll = 2147483647;

/// [B, N, S, D] on the host.
struct Heads {
  std::int64_t batches, heads, rows;
  Numbers values;
  double at(std::int64_t b, std::int64_t n, std::int64_t s, std::int64_t d) const {
    return values[static_cast<std::size_t>(((b * heads + n) * rows + s) * kWidth + d)];
  }
};

Heads heads(std::int64_t batches, std::int64_t count, std::int64_t rows) {
  Heads made{batches, count, rows,
             spread(static_cast<std::size_t>(batches * count * rows * kWidth), -1, 1)};
  for (double& value : made.values) value = as_type(value, ACL_FLOAT16);
  return made;
}

/// `sees` says whether a query row sees a key row.
template <class Sees>
Numbers attention(const Heads& q, const Heads& k, const Heads& v, double scale, Sees sees) {
  Numbers out;
  const std::int64_t group = q.heads / k.heads;
  for (std::int64_t b = 0; b < q.batches; ++b) {
    for (std::int64_t n = 0; n < q.heads; ++n) {
      for (std::int64_t i = 0; i < q.rows; ++i) {
        Numbers weights;
        double sum = 0;
        for (std::int64_t j = 0; j < k.rows; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < kWidth; ++d)
            score += q.at(b, n, i, d) * k.at(b, n / group, j, d);
          weights.push_back(sees(b, i, j) ? std::exp(scale * score) : 0);
          sum += weights.back();
        }
        for (std::int64_t d = 0; d < kWidth; ++d) {
          double value = 0;
          for (std::int64_t j = 0; j < k.rows; ++j) {
            value += weights[static_cast<std::size_t>(j)] / sum * v.at(b, n / group, j, d);
          }
          out.push_back(value);
        }
      }
    }
  }
  return out;
}

class AttentionTest : public BasicTest {
 protected:
  /// The list frees what it has.
  static aclTensorList* list_of(const aclTensor* tensor) { return aclCreateTensorList(&tensor, 1); }
  char bnsd_[5] = "BNSD", bsnd_[5] = "BSND", bsh_[4] = "BSH", tnd_[4] = "TND";
  const double scale_ = 1 / std::sqrt(static_cast<double>(kWidth));
};

TEST_F(AttentionTest, PromptsOfGroupedHeads) {
  const Heads q = heads(2, kHeads, 40), k = heads(2, kKeyHeads, 70), v = heads(2, kKeyHeads, 70);
  const DeviceTensor query({2, kHeads, 40, kWidth}, q.values, ACL_FLOAT16);
  const DeviceTensor key({2, kKeyHeads, 70, kWidth}, k.values, ACL_FLOAT16);
  const DeviceTensor value({2, kKeyHeads, 70, kWidth}, v.values, ACL_FLOAT16);
  const DeviceTensor out({2, kHeads, 40, kWidth}, Numbers(q.values.size()), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(PromptFlashAttentionV3, query, key, value, nullptr, nullptr, nullptr,
                        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, kHeads, scale_, kAll,
                        kAll, bnsd_, kKeyHeads, 0, 0, out),
            ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), attention(q, k, v, scale_, [](auto, auto, auto) { return true; }),
              2e-3);
}

TEST_F(AttentionTest, FusedWithAMaskAndLse) {
  const Heads q = heads(1, kHeads, 33), k = heads(1, kHeads, 33), v = heads(1, kHeads, 33);
  const DeviceTensor query({1, kHeads, 33, kWidth}, q.values, ACL_FLOAT16);
  // The lists own these.
  aclTensorList* const keys =
      list_of(DeviceTensor({1, kHeads, 33, kWidth}, k.values, ACL_FLOAT16).release());
  aclTensorList* const values =
      list_of(DeviceTensor({1, kHeads, 33, kWidth}, v.values, ACL_FLOAT16).release());
  Numbers hidden;
  for (int i = 0; i < 33; ++i) {
    for (int j = 0; j < 33; ++j) hidden.push_back(j > i);
  }
  const DeviceTensor mask({33, 33}, hidden, ACL_BOOL);
  const DeviceTensor out({1, kHeads, 33, kWidth}, Numbers(q.values.size()), ACL_FLOAT16);
  const DeviceTensor lse({1, kHeads, 33, 1}, Numbers(kHeads * 33));
  ASSERT_EQ(
      DAVSIM_CALL(FusedInferAttentionScoreV2, query, keys, values, nullptr, mask, nullptr, nullptr,
                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, kHeads,
                  scale_, kAll, kAll, bnsd_, 0, 1, 0, 0, 0, true, 0, 0, out, lse),
      ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), attention(q, k, v, scale_, [](auto, auto i, auto j) { return j <= i; }),
              2e-3);
  // The first row sees one key: its score is the logarithm.
  double score = 0;
  for (std::int64_t d = 0; d < kWidth; ++d) score += q.at(0, 0, 0, d) * k.at(0, 0, 0, d);
  EXPECT_NEAR(lse.values()[0], scale_ * score, 1e-3);
  EXPECT_EQ(aclDestroyTensorList(keys), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyTensorList(values), ACL_SUCCESS);
}

TEST_F(AttentionTest, DecodeOverPages) {
  // Two batches with 20 and 33 rows in pages of 16, page 5 first.
  constexpr std::int64_t kPage = 16, kPages = 8, kRows = 33;
  const Heads q = heads(2, kHeads, 1), k = heads(2, kKeyHeads, kRows),
              v = heads(2, kKeyHeads, kRows);
  const Numbers table = {5, 2, -1, 7, 0, 3};
  const std::int64_t lengths[] = {20, 33};
  Numbers key_pages(kPages * kPage * kKeyHeads * kWidth), value_pages = key_pages;
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t s = 0; s < lengths[b]; ++s) {
      const auto page =
          static_cast<std::int64_t>(table[static_cast<std::size_t>(b * 3 + s / kPage)]);
      for (std::int64_t n = 0; n < kKeyHeads; ++n) {
        for (std::int64_t d = 0; d < kWidth; ++d) {
          const auto at =
              static_cast<std::size_t>(((page * kPage + s % kPage) * kKeyHeads + n) * kWidth + d);
          key_pages[at] = k.at(b, n, s, d);
          value_pages[at] = v.at(b, n, s, d);
        }
      }
    }
  }
  const DeviceTensor query({2, 1, kHeads * kWidth}, q.values, ACL_FLOAT16);
  const Sizes cache = {kPages, kPage, kKeyHeads * kWidth};
  aclTensorList* const keys = list_of(DeviceTensor(cache, key_pages, ACL_FLOAT16).release());
  aclTensorList* const values = list_of(DeviceTensor(cache, value_pages, ACL_FLOAT16).release());
  const DeviceTensor blocks({2, 3}, table, ACL_INT32);
  const DeviceTensor out({2, 1, kHeads * kWidth}, Numbers(q.values.size()), ACL_FLOAT16);
  const Ints rows({20, 33});
  ASSERT_EQ(DAVSIM_CALL(IncreFlashAttentionV4, query, keys, values, nullptr, nullptr, rows, nullptr,
                        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, blocks, nullptr,
                        kHeads, scale_, bsh_, kKeyHeads, kPage, 0, out),
            ACL_SUCCESS)
      << last_error();
  expect_near(out.values(),
              attention(q, k, v, scale_, [&](auto b, auto, auto j) { return j < lengths[b]; }),
              2e-3);
  EXPECT_EQ(aclDestroyTensorList(keys), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyTensorList(values), ACL_SUCCESS);
}

TEST_F(AttentionTest, QueriesWithStridesAreCopied) {
  // [S, N, D] in memory, seen as [1, N, S, D].
  const Heads q = heads(1, kHeads, 24), k = heads(1, kHeads, 24), v = heads(1, kHeads, 24);
  Numbers by_rows;
  for (std::int64_t s = 0; s < 24; ++s) {
    for (std::int64_t n = 0; n < kHeads; ++n) {
      for (std::int64_t d = 0; d < kWidth; ++d) by_rows.push_back(q.at(0, n, s, d));
    }
  }
  const DeviceTensor query({1, kHeads, 24, kWidth},
                           {24 * kHeads * kWidth, kWidth, kHeads * kWidth, 1}, 0, by_rows,
                           ACL_FLOAT16);
  const DeviceTensor key({1, kHeads, 24, kWidth}, k.values, ACL_FLOAT16);
  const DeviceTensor value({1, kHeads, 24, kWidth}, v.values, ACL_FLOAT16);
  const DeviceTensor out({1, kHeads, 24, kWidth}, Numbers(q.values.size()), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(PromptFlashAttention, query, key, value, nullptr, nullptr, nullptr, kHeads,
                        scale_, kAll, kAll, bnsd_, 0, out),
            ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), attention(q, k, v, scale_, [](auto, auto, auto) { return true; }),
              2e-3);
}

TEST_F(AttentionTest, RefusesWhatBreaksARule) {
  const DeviceTensor query({1, kHeads, 8, kWidth}, Numbers(kHeads * 8 * kWidth), ACL_FLOAT16);
  const DeviceTensor wrong({1, kHeads, 8, kWidth}, Numbers(kHeads * 8 * kWidth));
  const DeviceTensor out({1, kHeads, 8, kWidth}, Numbers(kHeads * 8 * kWidth), ACL_FLOAT16);
  const DeviceTensor scale({1}, {1});
  const auto call = [&](const aclTensor* key, const aclTensor* deq, const aclTensor* result,
                        char* layout) {
    return DAVSIM_CALL(PromptFlashAttentionV3, query, key, key, nullptr, nullptr, nullptr, nullptr,
                       deq, nullptr, nullptr, nullptr, nullptr, kHeads, scale_, kAll, kAll, layout,
                       0, 0, 0, result);
  };
  EXPECT_EQ(call(nullptr, nullptr, out, bnsd_), 161001);
  EXPECT_EQ(call(wrong, nullptr, out, bnsd_), 161002);
  EXPECT_NE(last_error().find("E_DTYPE"), std::string::npos) << last_error();
  EXPECT_EQ(call(query, scale, out, bnsd_), 161002);
  EXPECT_EQ(call(query, nullptr, wrong, bnsd_), 161002);
  EXPECT_EQ(call(query, nullptr, nullptr, bnsd_), 161001);
  EXPECT_EQ(call(query, nullptr, out, tnd_), 161002);
}

TEST_F(AttentionTest, KeysOfMlaAreNormalisedAndCached) {
  constexpr std::int64_t kRows = 3, kLatent = 512, kRope = 64;
  Numbers kv = spread(kRows * (kLatent + kRope), -1, 1);
  for (double& value : kv) value = as_type(value, ACL_FLOAT16);
  const DeviceTensor rows({1, 1, kRows, kLatent + kRope}, kv, ACL_FLOAT16);
  const DeviceTensor gamma({kLatent}, Numbers(kLatent, 1), ACL_FLOAT16);
  const DeviceTensor cos({1, 1, kRows, kRope}, Numbers(kRows * kRope, 1), ACL_FLOAT16);
  const DeviceTensor sin({1, 1, kRows, kRope}, Numbers(kRows * kRope, 0), ACL_FLOAT16);
  const Numbers places = {4, 0, 6};
  const DeviceTensor index({1, kRows}, places, ACL_INT64);
  const DeviceTensor k_cache({1, 1, 8, kRope}, Numbers(8 * kRope), ACL_FLOAT16);
  const DeviceTensor ckv_cache({1, 1, 8, kLatent}, Numbers(8 * kLatent), ACL_FLOAT16);
  char mode[5] = "Norm";
  const aclnnStatus status =
      DAVSIM_CALL(KvRmsNormRopeCache, rows, gamma, cos, sin, index, k_cache, ckv_cache, nullptr,
                  nullptr, nullptr, nullptr, 1e-5, mode, false, nullptr, nullptr);
  ASSERT_EQ(status, ACL_SUCCESS) << last_error();
  const Numbers cached = ckv_cache.values();
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto start = static_cast<std::size_t>(row * (kLatent + kRope));
    double squares = 0;
    for (std::size_t i = 0; i < kLatent; ++i) squares += kv[start + i] * kv[start + i];
    const auto place = static_cast<std::size_t>(places[static_cast<std::size_t>(row)]);
    for (std::size_t i = 0; i < kLatent; ++i) {
      EXPECT_NEAR(cached[place * kLatent + i], kv[start + i] / std::sqrt(squares / kLatent + 1e-5),
                  2e-3);
    }
  }
}

TEST_F(AttentionTest, ProgramMayDestroyItsTensorsBeforeTheKernelRuns) {
  const Heads q = heads(1, kHeads, 64), k = heads(1, kHeads, 64), v = heads(1, kHeads, 64);
  const Sizes sizes = {1, kHeads, 64, kWidth}, none = {0};
  const DeviceTensor query(sizes, q.values, ACL_FLOAT16), key(sizes, k.values, ACL_FLOAT16);
  const DeviceTensor value(sizes, v.values, ACL_FLOAT16);
  const DeviceTensor out(sizes, Numbers(q.values.size()), ACL_FLOAT16);
  for (int call = 0; call < 2; ++call) {  // the second one waits for the first one
    std::uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(aclnnPromptFlashAttentionGetWorkspaceSize(query, key, value, nullptr, nullptr,
                                                        nullptr, kHeads, scale_, kAll, kAll, bnsd_,
                                                        kHeads, out, &bytes, &executor),
              ACL_SUCCESS)
        << last_error();
    void* workspace = nullptr;
    if (bytes > 0) {
      ASSERT_EQ(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    }
    ASSERT_EQ(aclnnPromptFlashAttention(workspace, bytes, executor, stream_), ACL_SUCCESS);
  }
  // As memory of the tensors that something else is in by now.
  for (aclTensor* tensor : {query.get(), key.get(), value.get()}) {
    ASSERT_EQ(aclInitTensor(tensor, none.data(), 1, ACL_FLOAT16, nullptr, 0, ACL_FORMAT_ND,
                            none.data(), 1, nullptr),
              ACL_SUCCESS);
  }
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << last_error();
  expect_near(out.values(), attention(q, k, v, scale_, [](auto, auto, auto) { return true; }),
              2e-3);
}

}  // namespace
}  // namespace davsim::test::attention
