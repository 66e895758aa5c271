#include "kernels/paged_attention/cases.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/common/case_table.hpp"
#include "kernels/paged_attention/recipe.hpp"

namespace davsim::operators::paged_attention {
namespace {

using isa::DType;
using Row = CaseRow<Recipe>;
using E = ErrorClass;
using Lengths = std::vector<std::int64_t>;

constexpr DType kBF16 = DType::kBF16;
/// Of MLA's absorbed form: the width before absorption is 128 + 64.
constexpr double kMlaScale = 0.07216878364870322;

Row run(const char* id, const char* note, Recipe recipe) {
  return {runs(id, note), std::move(recipe), {}};
}

Lengths same(std::size_t batches, std::int64_t context) {
  return Lengths(batches, context);
}
/// `context` for all but each fifth batch, which is stopped.
Lengths with_stops(std::size_t batches, std::int64_t context) {
  Lengths lengths(batches, context);
  for (std::size_t b = 4; b < batches; b += 5) lengths[b] = 0;
  return lengths;
}
/// Lengths from 1 to `most` in an order that is not theirs.
Lengths mixed(std::size_t batches, std::int64_t most) {
  Lengths lengths;
  for (std::size_t b = 0; b < batches; ++b) {
    const auto step = static_cast<std::int64_t>(b * 11 % batches);
    lengths.push_back(1 + (most - 1) * step / static_cast<std::int64_t>(batches - 1));
  }
  return lengths;
}

const Lengths kLongTail = {3000, 300, 14000, 33, 65, 1, 16, 14000, 300};

std::vector<Row> decode() {
  return {
      run("PA-1", "one token, eight heads on one of key and value",
          {.heads = 8, .width = 128, .contexts = {512}, .page_rows = 128, .pages = 4}),
      run("PA-2", "four contexts up to 256 in pages of 64",
          {.heads = 32,
           .kv_heads = 16,
           .width = 128,
           .contexts = {256, 17, 64, 130},
           .page_rows = 64,
           .pages = 4}),
      run("PA-3", "heads of 32 in pages of 256",
          {.heads = 32,
           .kv_heads = 16,
           .width = 32,
           .contexts = {256, 100, 1, 255},
           .page_rows = 256,
           .pages = 4}),
      run("PA-4", "30 contexts of 69, every head its own key and value",
          {.heads = 32,
           .kv_heads = 32,
           .width = 128,
           .contexts = same(30, 69),
           .page_rows = 128,
           .pages = 64}),
      run("PA-5", "heads of 256 in pages of 256, a mask row a batch",
          {.heads = 40,
           .kv_heads = 10,
           .width = 256,
           .contexts = mixed(16, 100),
           .page_rows = 256,
           .pages = 64,
           .type = kBF16,
           .mask = "norm",
           .mask_columns = 100}),
  };
}

/// Latent rows, int8, and pools of many pages.
std::vector<Row> large_decode() {
  return {
      run("PA-6", "latent rows, 32 of 40 batches run",
          {.heads = 8,
           .width = 576,
           .value_width = 512,
           .contexts = with_stops(40, 819),
           .page_rows = 128,
           .pages = 64,
           .merged = true,
           .batch_run = true,
           .scale = kMlaScale}),
      run("PA-7", "latent rows, contexts of 1 to 14000",
          {.heads = 128,
           .width = 576,
           .value_width = 512,
           .contexts = kLongTail,
           .page_rows = 128,
           .pages = 1200,
           .merged = true,
           .scale = kMlaScale}),
      run("PA-8", "all int8, scales of the probabilities computed online",
          {.heads = 32,
           .kv_heads = 2,
           .width = 128,
           .contexts = kLongTail,
           .page_rows = 128,
           .pages = 64,
           .mask = "norm",
           .quant = 3,
           .mask_columns = 14000}),
      run("PA-12", "key 128 wide, value 96",
          {.heads = 32,
           .kv_heads = 16,
           .width = 128,
           .value_width = 96,
           .contexts = {256, 17, 64, 130},
           .page_rows = 64,
           .pages = 4}),
      run("PA-14", "128 contexts of 256 in a large pool",
          {.heads = 32,
           .kv_heads = 8,
           .width = 128,
           .contexts = same(128, 256),
           .page_rows = 128,
           .pages = 10240}),
      run("PA-14L", "the same, contexts of 2048 in a pool of just enough pages",
          {.heads = 32,
           .kv_heads = 8,
           .width = 128,
           .contexts = same(128, 2048),
           .page_rows = 128,
           .pages = 2048}),
  };
}

std::vector<Row> parallel() {
  const Recipe tokens = {.heads = 32,
                         .kv_heads = 32,
                         .width = 128,
                         .contexts = {10, 64, 64, 64},
                         .page_rows = 64,
                         .query_rows = {1, 15, 30, 6},
                         .mask_columns = 64};
  const Recipe latent = {.heads = 128,
                         .width = 576,
                         .value_width = 512,
                         .contexts = same(4, 4096),
                         .page_rows = 128,
                         .merged = true,
                         .query_rows = Lengths(4, 4),
                         .scale = kMlaScale};
  const auto with = [](Recipe recipe, const char* mask, DType type) {
    recipe.mask = mask, recipe.type = type;
    return recipe;
  };
  return {
      run("PA-9", "parallel decoding of 1 to 30 rows, a mask row each",
          with(tokens, "spec", DType::kF16)),
      run("PA-9N", "the same, all rows from one square mask",
          with(tokens, "norm square", DType::kF16)),
      run("PA-10", "latent rows, four query rows a batch, an additive mask",
          with(latent, "spec", DType::kF16)),
      run("PA-10B", "the same in bfloat16: the mask is 0 and 1", with(latent, "spec", kBF16)),
      run("PA-10M", "the same without mask", with(latent, "", DType::kF16)),
  };
}

std::vector<Row> razor() {
  Recipe seven = {.heads = 36,
                  .kv_heads = 4,
                  .width = 128,
                  .contexts = mixed(28, 300),
                  .page_rows = 128,
                  .razor = 1};
  Recipe alibi = seven, dequant = seven, rope = seven;
  alibi.mask = "alibi";
  dequant.quant = 1, dequant.offsets = true;
  rope.razor = 2;
  return {
      run("PA-11", "razor: 7 tokens, a sequence for each of 4 kv heads, ALIBI", alibi),
      run("PA-11D", "the same on int8 caches", dequant),
      run("PA-11R", "the same with an offset for each cache row", rope),
      run("PA-15", "razor and ALIBI, batchRunStatus given",
          {.heads = 8,
           .kv_heads = 8,
           .width = 128,
           .contexts = mixed(8, 256),
           .page_rows = 64,
           .pages = 256,
           .batch_run = true,
           .mask = "alibi",
           .razor = 1,
           .mask_columns = 256}),
  };
}

/// The older series.
std::vector<Row> fractals() {
  const Recipe plain = {.heads = 32,
                        .kv_heads = 32,
                        .width = 128,
                        .contexts = {600, 77},
                        .page_rows = 32,
                        .pages = 64,
                        .fractals = true};
  return {{{"PA-13", "caches in fractals", std::nullopt, "Ascend310P3"}, plain, {}}};
}

// --- refusals ------------------------------------------------------------------------------------

Row refused(const char* id, const char* note, E cls, Recipe recipe, CaseChange change) {
  return {refuses(id, note, cls), std::move(recipe), std::move(change)};
}

CaseChange first_number(const char* name, std::int32_t value) {
  return [name, value](Call& call, SeededData&) {
    call.tensors.at(name).as<std::int32_t>()[0] = value;
  };
}

std::vector<Row> refusals() {
  const DType f16 = DType::kF16, i32 = DType::kI32;
  const Recipe base = {.heads = 4, .kv_heads = 2, .width = 64, .contexts = {20, 33}};
  Recipe merged = {.heads = 16,
                   .width = 576,
                   .value_width = 512,
                   .contexts = {20, 33},
                   .page_rows = 128,
                   .merged = true};
  Recipe parallel = base, logn = base, online = base;
  parallel.query_rows = {2, 3}, parallel.mask = "spec";
  logn.logn = true;
  online.quant = 3;
  return {
      refused("PA-N1", "no head", E::kAttr, base, with_attribute("headNum", 0)),
      refused("PA-N2", "kvHeadNum does not divide headNum", E::kAttr, base,
              with_attribute("kvHeadNum", 3)),
      refused("PA-N3", "a cache of another dtype", E::kDtype, base,
              with_tensor("keyCache", kBF16, {7, 16, 2, 64})),
      refused("PA-N4", "a query of rank 2", E::kRank, base, with_tensor("query", f16, {2, 256})),
      refused("PA-N5", "a key cache of rank 3", E::kRank, base,
              with_tensor("keyCache", f16, {7, 32, 64})),
      refused("PA-N6", "contextLens of rank 2", E::kRank, base,
              with_tensor("contextLens", i32, {2, 1})),
      refused("PA-N7", "pages of 32 rows of key and 16 of value", E::kShape, base,
              with_tensor("keyCache", f16, {7, 32, 2, 64})),
      refused("PA-N8", "query and key of other widths", E::kShape, base,
              with_tensor("query", f16, {2, 4, 80})),
      refused("PA-N9", "value wider than key", E::kShape, merged,
              with_attribute("mlaVHeadSize", 577)),
      refused("PA-N10", "two kv heads with mlaVHeadSize", E::kAttr, merged,
              with_attribute("kvHeadNum", 2)),
      refused("PA-N11", "LOGN on int8 caches", E::kAttr, logn, with_attribute("quantType", 1)),
      refused("PA-N12", "several latent rows with the NORM mask", E::kAttr, merged,
              [](Call& call, SeededData&) {
                call.attributes["calcType"] = 1;
                call.attributes["maskType"] = 1;
              }),
      refused("PA-N13", "several rows without mask", E::kAttr, parallel,
              with_attribute("maskType", 0)),
      refused("PA-N14", "NORM_COMPRESS", E::kAttr, parallel, with_attribute("maskType", 5)),
      refused("PA-N15", "all int8 without outDataType", E::kAttr, online,
              with_attribute("outDataType", "")),
      refused("PA-N16", "offsets with all int8", E::kAttr, online,
              with_attribute("hasQuantOffset", true)),
      refused("PA-N17", "a block number that is nb", E::kIndex, base,
              first_number("blockTables", 7)),
      refused("PA-N18", "a context longer than its pages", E::kIndex, base,
              first_number("contextLens", 1000)),
      refused("PA-N19", "a negative context", E::kIndex, base, first_number("contextLens", -1)),
      refused("PA-N20", "more rows of query than batches have", E::kShape, base,
              with_tensor("query", f16, {3, 4, 64})),
      refused("PA-N21", "logN of another length", E::kShape, logn,
              with_tensor("logN", DType::kF32, {3})),
      refused("PA-N22", "no blockTables", E::kNull, base, without_tensor("blockTables")),
      refused("PA-N23", "a mask without maskType", E::kAttr, base,
              with_tensor("mask", f16, {2, 1, 48})),
  };
}

const CaseTable<Recipe>& table() {
  static const CaseTable<Recipe> cases(
      "paged_attention", 0x50410000u, make_call,
      {decode(), large_decode(), parallel(), razor(), refusals(), fractals()});
  return cases;
}

}  // namespace

std::vector<ExampleCase> cases() {
  return table().examples();
}

Call make_case(std::string_view id, memory::GlobalMemory& memory) {
  return table().make(id, memory);
}

}  // namespace davsim::operators::paged_attention
