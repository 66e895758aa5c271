// Rows that go to the slots of caches, against plain loops of the host.
#include "aclnnop/aclnn_scatter_pa_kv_cache.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::caches {
namespace {

constexpr aclnnStatus kNull = 161001, kInvalid = 161002;

std::size_t whole(std::int64_t size) {
  return static_cast<std::size_t>(size);
}

/// Sizes of a cache and of what goes there.
struct Sizes {
  std::int64_t blocks, slots, heads, size;

  std::int64_t width() const { return heads * size; }
  std::int64_t elements() const { return blocks * slots * width(); }
};

/// Slots that differ; every fifth token has none.
Numbers slots_of(const Sizes& sizes, std::int64_t tokens) {
  Numbers slots;
  for (std::int64_t i = 0; i < tokens; ++i) {
    const std::int64_t all = sizes.blocks * sizes.slots;
    slots.push_back(static_cast<double>(i % 5 == 2 ? -1 : all - 1 - i));
  }
  return slots;
}

Numbers small_numbers(std::int64_t count, int first) {
  Numbers values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<double>((i * 7 + first) % 101));
  }
  return values;
}

/// The place in a cache of element `at` of the row in `slot`; `piece` 0: rows lie as they are.
std::size_t place(const Sizes& sizes, std::int64_t slot, std::int64_t at, std::int64_t piece) {
  if (piece == 0) return whole(slot * sizes.width() + at);
  const std::int64_t block = slot / sizes.slots, row = slot % sizes.slots;
  return whole(((block * (sizes.width() / piece) + at / piece) * sizes.slots + row) * piece +
               at % piece);
}

class CachesTest : public BasicTest {
 protected:
  static Numbers expected(Numbers cache, const Sizes& sizes, const Numbers& rows,
                          const Numbers& slots, std::int64_t piece) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      for (std::int64_t at = 0; slots[i] >= 0 && at < sizes.width(); ++at) {
        cache[place(sizes, static_cast<std::int64_t>(slots[i]), at, piece)] =
            rows[i * whole(sizes.width()) + whole(at)];
      }
    }
    return cache;
  }
};

TEST_F(CachesTest, RowsAsTheyAreAndInFractals) {
  for (const aclDataType type : {ACL_FLOAT16, ACL_BF16, ACL_INT8}) {
    for (const aclDataType index : {ACL_INT32, ACL_INT64}) {
      for (const bool fractal : {false, true}) {
        for (const std::int64_t tokens : {1, 4, 333}) {
          SCOPED_TRACE(std::to_string(type) + " " + std::to_string(tokens));
          const Sizes keys{12, 32, 2, 96}, values{12, 32, 2, 64};
          const std::int64_t piece = 32 / static_cast<std::int64_t>(bytes_of(type));
          const auto shape = [&](const Sizes& of) {
            return fractal
                       ? std::vector<std::int64_t>{of.blocks, of.width() / piece, of.slots, piece}
                       : std::vector<std::int64_t>{of.blocks, of.slots, of.heads, of.size};
          };
          const Numbers slots = slots_of(keys, tokens);
          const Numbers key = small_numbers(tokens * keys.width(), 1),
                        value = small_numbers(tokens * values.width(), 5),
                        key_before = small_numbers(keys.elements(), 3),
                        value_before = small_numbers(values.elements(), 4);
          const DeviceTensor k({tokens, keys.heads, keys.size}, key, type),
              v({tokens, values.heads, values.size}, value, type),
              k_cache(shape(keys), key_before, type), v_cache(shape(values), value_before, type),
              mapping({tokens}, slots, index);
          char mode[] = "PA_NZ";
          ASSERT_EQ(DAVSIM_CALL(ScatterPaKvCache, k, k_cache, mapping, v, v_cache, nullptr, nullptr,
                                nullptr, fractal ? mode : nullptr, nullptr, nullptr, nullptr),
                    ACL_SUCCESS)
              << last_error();
          const std::int64_t part = fractal ? piece : 0;
          expect_near(k_cache.values(), expected(key_before, keys, key, slots, part), 0);
          expect_near(v_cache.values(), expected(value_before, values, value, slots, part), 0);
        }
      }
    }
  }
}

TEST_F(CachesTest, KeysAloneOfSmallRows) {
  // Rows of a few bytes, which the host moves.
  const Sizes sizes{40, 16, 1, 3};
  const Numbers slots = slots_of(sizes, 600), key = small_numbers(600 * 3, 1),
                before = small_numbers(sizes.elements(), 2);
  const DeviceTensor k({600, 1, 3}, key, ACL_FLOAT16), cache({40, 16, 1, 3}, before, ACL_FLOAT16),
      mapping({600}, slots, ACL_INT32), none({0}, {}, ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(ScatterPaKvCache, k, cache, mapping, none, none, nullptr, nullptr, nullptr,
                        nullptr, nullptr, nullptr, nullptr),
            ACL_SUCCESS)
      << last_error();
  expect_near(cache.values(), expected(before, sizes, key, slots, 0), 0);
}

TEST_F(CachesTest, TokensThatLieApart) {
  const Sizes sizes{4, 16, 2, 16};
  const Numbers slots = slots_of(sizes, 9), storage = small_numbers(2 + 9 * 100, 1);
  const auto rows = [&](std::int64_t stride, std::int64_t offset) {
    Numbers all;
    for (std::int64_t i = 0; i < 9 * 32; ++i) {
      all.push_back(storage[whole(offset + i / 32 * stride + i % 32)]);
    }
    return all;
  };
  const std::vector<std::int64_t> dense{32, 16, 1};
  const DeviceTensor k({9, 2, 16}, dense, 0, storage, ACL_FLOAT16),
      v({9, 2, 16}, dense, 0, storage, ACL_FLOAT16),
      k_cache({4, 16, 2, 16}, Numbers(2048), ACL_FLOAT16),
      v_cache({4, 16, 2, 16}, Numbers(2048), ACL_FLOAT16), mapping({9}, slots, ACL_INT32);
  char mode[] = "Nct";
  ASSERT_EQ(DAVSIM_CALL(ScatterPaKvCache, k, k_cache, mapping, v, v_cache, nullptr, nullptr,
                        nullptr, nullptr, mode, Ints({100, 64}), Ints({2, 33})),
            ACL_SUCCESS)
      << last_error();
  expect_near(k_cache.values(), expected(Numbers(2048), sizes, rows(100, 2), slots, 0), 0);
  expect_near(v_cache.values(), expected(Numbers(2048), sizes, rows(64, 33), slots, 0), 0);
}

TEST_F(CachesTest, Rules) {
  const DeviceTensor k({2, 1, 16}, Numbers(32), ACL_FLOAT16),
      cache({2, 16, 1, 16}, Numbers(512), ACL_FLOAT16), mapping({2}, {0, 1}, ACL_INT32),
      wide({2, 16, 1, 16}, Numbers(512));
  char norm[] = "Norm", alibi[] = "Alibi", other[] = "Other", apart[] = "Nct", nz[] = "PA_NZ";
  const auto call = [&](const aclTensor* key, aclTensor* target, const aclTensor* slots,
                        const aclTensor* lengths, char* layout, char* mode) {
    return DAVSIM_CALL(ScatterPaKvCache, key, target, slots, key, target, lengths, nullptr, nullptr,
                       layout, mode, nullptr, nullptr);
  };
  EXPECT_EQ(call(nullptr, cache, mapping, nullptr, norm, nullptr), kNull);
  EXPECT_EQ(call(k, nullptr, mapping, nullptr, norm, nullptr), kNull);
  EXPECT_EQ(call(k, cache, nullptr, nullptr, norm, nullptr), kNull);
  EXPECT_EQ(call(k, cache, mapping, mapping, norm, nullptr), kInvalid);
  expect_error("compressLensOptional is not supported");
  EXPECT_EQ(call(k, cache, mapping, nullptr, other, nullptr), kInvalid);
  EXPECT_EQ(call(k, cache, mapping, nullptr, norm, alibi), kInvalid);
  expect_error("scatterModeOptional is None, or Nct with Norm, not Alibi");
  EXPECT_EQ(call(k, cache, mapping, nullptr, norm, apart), kNull);
  EXPECT_EQ(call(k, wide, mapping, nullptr, norm, nullptr), kInvalid);
  EXPECT_EQ(call(k, cache, mapping, nullptr, nz, nullptr), kInvalid);
  const DeviceTensor narrow({2, 16, 1, 8}, Numbers(256), ACL_FLOAT16), one({1}, {0}, ACL_INT32),
      beyond({2}, {0, 32}, ACL_INT32);
  EXPECT_EQ(call(k, narrow, mapping, nullptr, nz, nullptr), kInvalid);
  EXPECT_EQ(call(k, narrow, mapping, nullptr, norm, nullptr), kInvalid);
  EXPECT_EQ(call(k, cache, one, nullptr, norm, nullptr), kInvalid);
  EXPECT_EQ(call(k, cache, beyond, nullptr, norm, nullptr), ACL_ERROR_RT_AICPU_EXCEPTION);
  expect_error("element 1 of slotMapping is 32");
}

}  // namespace
}  // namespace davsim::test::caches
