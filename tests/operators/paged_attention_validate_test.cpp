// What paged_attention refuses: each rule of its check list beside those that the scenes walk, and
// limits from both sides.
#include <gtest/gtest.h>

#include "tests/operators/paged_attention_call.hpp"

namespace davsim::test {
namespace {

using isa::DType;

/// A legal call, a change to it, and what that is refused with.
struct Violation {
  const char* what;
  Recipe recipe;
  CallChange change;
  const char* verdict;
};

void expect(const std::vector<Violation>& violations) {
  for (const Violation& violation : violations) {
    SCOPED_TRACE(violation.what);
    operators::Call call = pa_call(violation.recipe);
    EXPECT_EQ(pa_verdict(call), "accepted") << "before the change";
    violation.change(call);
    EXPECT_EQ(pa_verdict(call), violation.verdict);
  }
}

/// Sizes are legal, or refused with E_SHAPE.
struct Limit {
  const char* what;
  Recipe recipe;
  bool legal;
};

void expect(const std::vector<Limit>& limits) {
  for (const Limit& limit : limits) {
    SCOPED_TRACE(limit.what);
    EXPECT_EQ(pa_verdict(pa_call(limit.recipe)), limit.legal ? "accepted" : "E_SHAPE");
  }
}

Recipe sized(Recipe recipe, std::int64_t width, std::int64_t value_width, std::int64_t page_rows) {
  recipe.width = width, recipe.value_width = value_width, recipe.page_rows = page_rows;
  return recipe;
}
CallChange number(const char* name, std::int64_t index, std::int32_t value) {
  return [name, index, value](operators::Call& call) {
    call.tensors.at(name).as<std::int32_t>()[index] = value;
  };
}

TEST(PaChecks, Attributes) {
  expect({
      {"headNum", pa_base(), attribute("headNum", 0), "E_ATTR"},
      {"negative kvHeadNum", pa_base(), attribute("kvHeadNum", -1), "E_ATTR"},
      {"kvHeadNum does not divide", pa_base(), attribute("kvHeadNum", 3), "E_ATTR"},
      {"maskType", pa_base(), attribute("maskType", 6), "E_ATTR"},
      {"quantType", pa_base(), attribute("quantType", 4), "E_ATTR"},
      {"compressType", pa_base(), attribute("compressType", 3), "E_ATTR"},
      {"calcType", pa_base(), attribute("calcType", 2), "E_ATTR"},
      {"scaleType", pa_base(), attribute("scaleType", 2), "E_ATTR"},
      {"inputLayout", pa_base(), attribute("inputLayout", -1), "E_ATTR"},
      {"mlaVHeadSize", pa_base(), attribute("mlaVHeadSize", -16), "E_ATTR"},
      {"kvHeadNum with mlaVHeadSize", pa_merged(), attribute("kvHeadNum", 0), "E_ATTR"},
      {"outDataType", pa_full_quant(3), attribute("outDataType", "fp32"), "E_ATTR"},
      {"no outDataType", pa_full_quant(3), attribute("outDataType", ""), "E_ATTR"},
      {"offsets of nothing", pa_base(), attribute("hasQuantOffset", true), "E_ATTR"},
      {"offsets of all int8", pa_full_quant(3), attribute("hasQuantOffset", true), "E_ATTR"},
  });
}

/// Tensors whose condition holds are there, others are not.
TEST(PaChecks, Presence) {
  const Recipe norm = pa_masked(pa_base(), "norm");
  expect({
      {"query", pa_base(), drop("query"), "E_NULL"},
      {"keyCache", pa_base(), drop("keyCache"), "E_NULL"},
      {"valueCache", pa_base(), drop("valueCache"), "E_NULL"},
      {"contextLens", pa_base(), drop("contextLens"), "E_NULL"},
      {"mask", norm, drop("mask"), "E_NULL"},
      {"batchRunStatus", pa_stopped(pa_base()), drop("batchRunStatus"), "E_NULL"},
      {"kDescale", pa_dequant(), drop("kDescale"), "E_NULL"},
      {"vDescale", pa_full_quant(3), drop("vDescale"), "E_NULL"},
      {"kOffset", pa_dequant(), drop("kOffset"), "E_NULL"},
      {"qSeqLens", pa_parallel(), drop("qSeqLens"), "E_NULL"},
      {"razorOffset", pa_razor(2), drop("razorOffset"), "E_NULL"},
      {"pScale", pa_full_quant(2), drop("pScale"), "E_NULL"},
      {"logN", pa_logn(), drop("logN"), "E_NULL"},
      {"a valueCache too many", pa_merged(), put("valueCache", DType::kF16, {4, 128, 1, 512}),
       "E_ATTR"},
      {"a mask too many", pa_base(), put("mask", DType::kF16, {1, 160}), "E_ATTR"},
      {"a batchRunStatus too many", pa_base(), put("batchRunStatus", DType::kI32, {3}), "E_ATTR"},
      {"a descale too many", pa_base(), put("kDescale", DType::kF32, {128}), "E_ATTR"},
      {"an offset too many", pa_dequant(false), put("vOffset", DType::kI32, {128}), "E_ATTR"},
      {"qSeqLens too many", pa_base(), put("qSeqLens", DType::kI32, {3}), "E_ATTR"},
      {"a razorOffset too many", pa_razor(), put("razorOffset", DType::kF32, {8, 16}), "E_ATTR"},
      {"a pScale too many", pa_full_quant(3), put("pScale", DType::kF32, {4}), "E_ATTR"},
      {"a logN too many", pa_base(), put("logN", DType::kF32, {3}), "E_ATTR"},
  });
}

TEST(PaChecks, Dtypes) {
  const Recipe norm = pa_masked(pa_base(), "norm");
  const auto as = [](const char* name, DType type) {
    return [name, type](operators::Call& call) {
      put(name, type, call.tensors.at(name).shape())(call);
    };
  };
  expect({
      {"int8 query of 16-bit caches", pa_base(), as("query", DType::kI8), "E_DTYPE"},
      {"float32 query", pa_base(), as("query", DType::kF32), "E_DTYPE"},
      {"the other 16-bit key", pa_base(), as("keyCache", DType::kBF16), "E_DTYPE"},
      {"the other 16-bit value", pa_base(), as("valueCache", DType::kBF16), "E_DTYPE"},
      {"16-bit key of int8 scenes", pa_dequant(), as("keyCache", DType::kF16), "E_DTYPE"},
      {"the other 16-bit mask", norm, as("mask", DType::kBF16), "E_DTYPE"},
      {"mask of all int8 is of the output", pa_masked(pa_full_quant(3), "norm"),
       as("mask", DType::kBF16), "E_DTYPE"},
      {"descales differ", pa_dequant(), as("vDescale", DType::kI64), "E_DTYPE"},
      {"int64 descales of all int8", pa_full_quant(3),
       both(as("kDescale", DType::kI64), as("vDescale", DType::kI64)), "E_DTYPE"},
      {"logN", pa_logn(), as("logN", DType::kF16), "E_DTYPE"},
      {"contextLens", pa_base(), as("contextLens", DType::kI64), "E_DTYPE"},
  });
}

TEST(PaChecks, RanksAndShapes) {
  const Recipe norm = pa_masked(pa_base(), "norm"), alibi = pa_masked(pa_base(), "alibi");
  expect({
      {"query of rank 4", pa_base(), reshape("query", {3, 1, 4, 64}), "E_RANK"},
      {"keyCache of rank 3", pa_base(), reshape("keyCache", {16, 16, 128}), "E_RANK"},
      {"valueCache of rank 5", pa_base(), reshape("valueCache", {16, 16, 2, 4, 16}), "E_RANK"},
      {"blockTables of rank 1", pa_base(), reshape("blockTables", {33}), "E_RANK"},
      {"contextLens of rank 2", pa_base(), reshape("contextLens", {3, 1}), "E_RANK"},
      {"heads of query", pa_base(), reshape("query", {3, 8, 32}), "E_SHAPE"},
      {"heads of the cache", pa_base(), attribute("kvHeadNum", 4), "E_SHAPE"},
      {"pages of value", pa_base(), reshape("valueCache", {3, 16, 2, 64}), "E_SHAPE"},
      {"rows of a page of value", pa_base(),
       [](operators::Call& call) {
         const operators::Shape& s = call.tensors.at("keyCache").shape();
         reshape("valueCache", {s[0], 32, 2, 64})(call);
       },
       "E_SHAPE"},
      {"batches of blockTables", pa_base(), reshape("blockTables", {4, 11}), "E_SHAPE"},
      {"batches of contextLens", pa_base(), reshape("contextLens", {4}), "E_SHAPE"},
      {"batches of batchRunStatus", pa_stopped(pa_base()), reshape("batchRunStatus", {4}),
       "E_SHAPE"},
      {"batches of qSeqLens", pa_parallel(), reshape("qSeqLens", {4}), "E_SHAPE"},
      {"mlaVHeadSize above D", pa_merged(), attribute("mlaVHeadSize", 592), "E_SHAPE"},
      {"too few tokens", pa_base(), reshape("query", {2, 4, 64}), "E_SHAPE"},
      {"too many tokens", pa_base(), reshape("query", {4, 4, 64}), "E_SHAPE"},
      {"columns of the mask", norm, reshape("mask", {3, 1, 144}), "E_SHAPE"},
      {"batches of the mask", norm, reshape("mask", {2, 1, 160}), "E_SHAPE"},
      {"heads of the mask", alibi, reshape("mask", {3, 5, 1, 160}), "E_SHAPE"},
      {"rows of the mask", pa_parallel(), reshape("mask", {10, 160}), "E_SHAPE"},
      {"rows of the square", pa_masked(pa_parallel(), "norm square"), reshape("mask", {140, 160}),
       "E_SHAPE"},
      {"channels of kDescale", pa_dequant(), reshape("kDescale", {64}), "E_SHAPE"},
      {"channels of vOffset", pa_dequant(), reshape("vOffset", {64}), "E_SHAPE"},
      {"descales of all int8 by channel", pa_full_quant(3), reshape("kDescale", {128}), "E_SHAPE"},
      {"pScale", pa_full_quant(2), reshape("pScale", {2}), "E_SHAPE"},
      {"razorOffset", pa_razor(2), reshape("razorOffset", {2, 16}), "E_SHAPE"},
      {"logN", pa_logn(), reshape("logN", {4}), "E_SHAPE"},
  });
}

TEST(PaChecks, Indices) {
  expect({
      {"a context below 0", pa_base(), number("contextLens", 1, -1), "E_INDEX"},
      {"a context beyond the pages", pa_base(), number("contextLens", 1, 16 * 11 + 1), "E_INDEX"},
      {"a page number that is nb", pa_base(),
       [](operators::Call& call) {
         const auto pages = static_cast<std::int32_t>(call.tensors.at("keyCache").shape()[0]);
         number("blockTables", 11, pages)(call);
       },
       "E_INDEX"},
      {"a used page number below 0", pa_base(), number("blockTables", 20, -1), "E_INDEX"},
      {"qSeqLens below 0", pa_parallel(), number("qSeqLens", 0, -3), "E_INDEX"},
      {"more rows than context in front of them", pa_masked(pa_parallel(), "norm square"),
       number("qSeqLens", 0, 38), "E_INDEX"},
  });
  // Behind the last used page anything may stand.
  operators::Call call = pa_call(pa_base());
  number("blockTables", 3, 12345)(call);
  EXPECT_EQ(pa_verdict(call), "accepted");
}

TEST(PaChecks, PageRowsByWidth) {
  const Recipe wide = sized(pa_base(), 256, 256, 128);
  const auto latent = [](std::int64_t heads, std::int64_t rows) {
    Recipe recipe = pa_merged();
    recipe.heads = heads, recipe.page_rows = rows;
    return recipe;
  };
  expect({
      {"a multiple of 16", sized(pa_base(), 64, 64, 48), true},
      {"no multiple of 16", sized(pa_base(), 64, 64, 40), false},
      {"128 x 128", sized(pa_base(), 128, 128, 128), true},
      {"128 x 144", sized(pa_base(), 128, 128, 144), false},
      {"32 x 512", sized(pa_base(), 32, 32, 512), true},
      {"256 x 64", sized(pa_base(), 256, 256, 64), true},
      {"256 x 80", sized(pa_base(), 256, 256, 80), false},
      {"256 x 128", wide, true},
      {"256 x 256", sized(pa_base(), 256, 256, 256), true},
      {"256 x 144", sized(pa_base(), 256, 256, 144), false},
      {"256 x 128 with LOGN", with(wide, [](Recipe& r) { r.logn = true; }), false},
      {"256 x 128 with int8 caches", with(wide, [](Recipe& r) { r.quant = 1; }), false},
      {"128 with 96, any", sized(pa_base(), 128, 96, 512), true},
      {"above 256, 128", sized(pa_base(), 320, 320, 128), true},
      {"above 256, 144", sized(pa_base(), 320, 320, 144), false},
      {"16 latent heads, 256", latent(16, 256), true},
      {"32 latent heads, 256", latent(32, 256), true},
      {"64 latent heads, 256", latent(64, 256), false},
      {"16 latent heads, 384", latent(16, 384), false},
  });
}

TEST(PaChecks, OtherSizes) {
  const auto rows = [](Recipe recipe, std::int64_t heads, std::int64_t width) {
    recipe.heads = heads, recipe.kv_heads = 1, recipe.width = width;
    return recipe;
  };
  expect({
      {"D 576", sized(pa_base(), 576, 576, 16), true},
      {"D 592", sized(pa_base(), 592, 592, 16), false},
      {"Dv 592", sized(pa_base(), 576, 592, 16), false},
      {"D of no multiple of 16", sized(pa_base(), 72, 72, 16), false},
      {"256 heads with several rows", rows(pa_parallel(), 256, 64), true},
      {"257 heads with several rows", rows(pa_parallel(), 257, 16), false},
      {"D*headNum above 16384", rows(pa_parallel(), 256, 80), false},
      {"bs above 128 with several rows", sized(pa_parallel(), 64, 64, 144), false},
      {"2001 batches with several rows",
       with(pa_parallel(),
            [](Recipe& r) { r.contexts.assign(2001, 1), r.query_rows.assign(2001, 1); }),
       false},
      {"8193 latent batches",
       with(pa_merged(),
            [](Recipe& r) {
              r.contexts.assign(8193, 1), r.heads = 1, r.width = 32, r.value_width = 16;
              r.page_rows = 16;
            }),
       false},
  });
}

}  // namespace
}  // namespace davsim::test
