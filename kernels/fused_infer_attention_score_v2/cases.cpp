#include "kernels/fused_infer_attention_score_v2/cases.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/case_table.hpp"
#include "kernels/fused_infer_attention_score_v2/recipe.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;
using Row = CaseRow<Recipe>;
using E = ErrorClass;

/// Of MLA's absorbed form: the width before absorption is 128 + 64.
const double kMlaScale = 1 / std::sqrt(192.0);

std::vector<std::int64_t> sums(std::int64_t batches, std::int64_t rows) {
  std::vector<std::int64_t> list;
  for (std::int64_t b = 1; b <= batches; ++b) list.push_back(b * rows);
  return list;
}

/// Lengths from `low` to `high`, in an order that is not theirs.
std::vector<std::int64_t> mixed(std::int64_t batches, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> list;
  for (std::int64_t b = 0; b < batches; ++b) {
    const std::int64_t step = b * 7 % batches;
    list.push_back(low + (high - low) * step / std::max<std::int64_t>(1, batches - 1));
  }
  return list;
}

// --- recipes of the runs
// -------------------------------------------------------------------------------------------------

Recipe causal(Recipe recipe) {
  recipe.sparse_mode = 3, recipe.mask = "square";
  return recipe;
}

/// One batch of BNSD heads 128 wide, each with key and value of its own.
Recipe prefill(std::int64_t heads, std::int64_t query_rows, std::int64_t kv_rows,
               DType type = DType::kF16) {
  return {.query_rows = query_rows,
          .kv_rows = kv_rows,
          .heads = heads,
          .kv_heads = heads,
          .width = 128,
          .query = type};
}

/// 64 heads 128 wide, eight of them to a key head, bfloat16.
Recipe grouped_decode(std::int64_t batch, std::int64_t kv_rows) {
  return {.batch = batch,
          .query_rows = 1,
          .kv_rows = kv_rows,
          .heads = 64,
          .kv_heads = 8,
          .width = 128,
          .query = DType::kBF16};
}
Recipe paged_decode(std::vector<std::int64_t> kv_lengths) {
  Recipe recipe = grouped_decode(32, 8192);
  recipe.layout = "BSH", recipe.cache = "BnBsH", recipe.page_rows = 128;
  recipe.kv_lengths = std::move(kv_lengths);
  return recipe;
}

/// Batches behind one another, of `query_rows` each.
Recipe behind_one_another(std::int64_t batches, std::int64_t query_rows, std::int64_t heads) {
  return {.layout = "TND",
          .query_rows = batches * query_rows,
          .heads = heads,
          .width = 128,
          .query = DType::kBF16,
          .query_lengths = sums(batches, query_rows)};
}

/// MLA in its absorbed form: one row a batch, 128 heads, caches in fractals.
Recipe latent_decode(std::int64_t batches, std::int64_t kv_rows,
                     std::vector<std::int64_t> kv_lengths, std::int64_t pages = 0) {
  Recipe recipe = behind_one_another(batches, 1, 128);
  recipe.kv_rows = kv_rows, recipe.kv_heads = 1, recipe.width = 512, recipe.rope = true;
  recipe.kv_lengths = std::move(kv_lengths);
  recipe.cache = "NZ", recipe.page_rows = 128, recipe.pages = pages;
  recipe.scale = kMlaScale;
  return recipe;
}

Recipe with(Recipe recipe, const std::function<void(Recipe&)>& change) {
  change(recipe);
  return recipe;
}

/// FIA-1 to FIA-5: prefill and decode with contiguous keys and values.
std::vector<Row> contiguous_cases() {
  const auto prompts = with(behind_one_another(1, 4096, 32), [](Recipe& r) {
    r.kv_rows = 4096, r.kv_heads = 8;
    r.query_lengths = r.kv_lengths = {1000, 1000, 4096};
  });
  const auto unequal_widths = with(behind_one_another(1, 32, 2), [](Recipe& r) {
    r.layout = "NTD_TND", r.kv_rows = 32, r.kv_heads = 2, r.width = 192, r.value_width = 128;
    r.kv_lengths = {32};
  });
  return {
      {runs("FIA-1", "prefill, 8 heads of 164 rows"), prefill(8, 164, 1024), {}},
      {runs("FIA-2", "causal prefill, 32 heads of 2048 rows"), causal(prefill(32, 2048, 2048)), {}},
      {runs("FIA-2S", "the same without mask, scale 128: a saturated softmax"),
       with(prefill(32, 2048, 2048), [](Recipe& r) { r.scale = 128; }),
       {}},
      {runs("FIA-3", "decode, 32 heads, 2048 tokens"), prefill(32, 1, 2048), {}},
      {runs("FIA-4", "three concatenated prompts, groups of 4, causal"), causal(prompts), {}},
      {runs("FIA-5", "NTD_TND, query and key 192 wide, value 128"), unequal_widths, {}},
  };
}

/// FIA-6 to FIA-10: paged caches, and the latent rows of MLA.
std::vector<Row> cached_cases() {
  const auto latent_rows = with(latent_decode(8, 8192, mixed(8, 100, 8000), 4096), [](Recipe& r) {
    r.layout = "BSND", r.batch = 8, r.query_rows = 4, r.query_lengths.clear();
    r.cache = "BnBsH";
  });
  const auto latent_prefill = with(behind_one_another(8, 1024, 128), [](Recipe& r) {
    r.kv_rows = 8192, r.kv_heads = 128, r.kv_lengths = sums(8, 1024);
    r.rope = true, r.scale = kMlaScale;
  });
  return {
      {runs("FIA-6", "paged decode, groups of 8, 32 contexts up to 8192"),
       with(paged_decode(mixed(32, 1, 7937)), [](Recipe& r) { r.pages = 1024; }),
       {}},
      {runs("FIA-7", "MLA decode, 16 contexts, NZ caches"),
       latent_decode(16, 16384, mixed(16, 128, 16000), 2048),
       {}},
      {runs("FIA-8", "MLA, four rows a batch, caches of rows"), causal(latent_rows), {}},
      {runs("FIA-9", "MLA decode in int8, NZ caches"),
       with(latent_decode(8, 8192, mixed(8, 1, 8000), 512),
            [](Recipe& r) { r.query = DType::kI8; }),
       {}},
      {runs("FIA-10", "MLA prefill, eight prompts of 1024"), causal(latent_prefill), {}},
  };
}

/// FIA-11 to FIA-14: quantised tensors, biases, bands.
std::vector<Row> feature_cases() {
  const Recipe int4_decode = {.batch = 4,
                              .query_rows = 1,
                              .kv_rows = 2048,
                              .heads = 32,
                              .kv_heads = 32,
                              .width = 64,
                              .kv = DType::kI4};
  const Recipe biased = {.layout = "BNSD_BSND",
                         .batch = 2,
                         .query_rows = 64,
                         .kv_rows = 96,
                         .heads = 8,
                         .kv_heads = 8,
                         .width = 64,
                         .pse = true,
                         .out_quant = "channel"};
  const Recipe band = {.query_rows = 17,
                       .kv_rows = 40,
                       .heads = 4,
                       .kv_heads = 4,
                       .width = 64,
                       .sparse_mode = 4,
                       .mask = "square",
                       .pre = 5,
                       .next = -2};
  return {
      {runs("FIA-11", "decode, int8 key and value, scaled by token and head"),
       with(grouped_decode(2, 4096),
            [](Recipe& r) { r.kv = DType::kI8, r.key_mode = r.value_mode = 3; }),
       {}},
      {runs("FIA-12", "decode, int4 key and value, scaled by channel"), int4_decode, {}},
      {runs("FIA-13", "pse_shift and int8 output, scaled by channel"), biased, {}},
      {runs("FIA-14", "band: pre_tokens 5, next_tokens -2"), band, {}},
  };
}

/// FIA-15 to FIA-18: shapes of the benchmarks.
std::vector<Row> large_cases() {
  const DType bf16 = DType::kBF16;
  return {
      {runs("FIA-15", "causal prefill, 8 heads of 8192 rows"),
       causal(prefill(8, 8192, 8192, bf16)),
       {}},
      {runs("FIA-16", "paged decode, groups of 8, 32 contexts of 8192"), paged_decode({8192}), {}},
      {runs("FIA-17", "MLA decode, 64 contexts of 4096, NZ caches"),
       latent_decode(64, 4096, std::vector<std::int64_t>(64, 4096)),
       {}},
      {runs("FIA-18", "causal prefill of FIA-2 in bfloat16"),
       causal(prefill(32, 2048, 2048, bf16)),
       {}},
  };
}

// --- refusals, by the number of their row in the list of rules -----------------------------------

const Recipe kPrompt = {.batch = 2, .query_rows = 20, .kv_rows = 32, .heads = 4, .kv_heads = 2};
const Recipe kDecode = {.batch = 2, .query_rows = 1, .kv_rows = 64, .heads = 4, .kv_heads = 2};

Recipe concatenated() {
  return {.layout = "TND",
          .query_rows = 24,
          .kv_rows = 32,
          .heads = 4,
          .kv_heads = 2,
          .width = 128,
          .query = DType::kBF16,
          .query_lengths = {10, 24},
          .kv_lengths = {12, 32}};
}

Recipe paged() {
  Recipe recipe = kDecode;
  recipe.cache = "BnNBsD", recipe.page_rows = 32, recipe.kv_lengths = {40, 64};
  return recipe;
}

Recipe latent() {
  Recipe recipe = paged();
  recipe.layout = "BSND", recipe.cache = "BnBsH", recipe.page_rows = 16, recipe.width = 512;
  recipe.rope = true, recipe.heads = 32, recipe.kv_heads = 1;
  return recipe;
}

/// FIA-N1 to FIA-N12: layouts, shapes, dtypes, masks and lengths.
std::vector<Row> refused_operands() {
  Recipe tnd_causal = concatenated();
  tnd_causal.sparse_mode = 3, tnd_causal.mask = "square", tnd_causal.kv_lengths = {9, 32};
  return {
      {refuses("FIA-N1", "paged without actual_seq_kvlen", E::kNull), paged(),
       [](Call& call, SeededData&) { call.attributes.erase("actual_seq_kvlen"); }},
      {refuses("FIA-N2", "D is 40", E::kShape),
       {.query_rows = 4, .kv_rows = 32, .heads = 2, .kv_heads = 2, .width = 40},
       {}},
      {refuses("FIA-N3", "3 key heads for 4 query heads", E::kAttr), kPrompt,
       with_attribute("num_key_value_heads", 3)},
      {refuses("FIA-N4", "BNSD_BSND with one query row", E::kAttr), kDecode,
       with_attribute("input_layout", "BNSD_BSND")},
      {refuses("FIA-N5", "query of rank 3 with BNSD", E::kRank), kPrompt,
       with_tensor("query", DType::kF16, {2, 20, 256})},
      {refuses("FIA-N6", "value longer than key", E::kShape), kPrompt,
       with_tensor("value", DType::kF16, {2, 2, 33, 64})},
      {refuses("FIA-N7", "query float16, key bfloat16", E::kDtype), kPrompt,
       with_tensor("key", DType::kBF16, {2, 2, 32, 64})},
      {refuses("FIA-N8", "mask with fewer columns than Skv", E::kShape), kPrompt,
       with_tensor("atten_mask", DType::kBool, {20, 31})},
      {refuses("FIA-N9", "sparse_mode 3 without mask", E::kAttr), kPrompt,
       with_attribute("sparse_mode", 3)},
      {refuses("FIA-N10", "pre_tokens + next_tokens is -1", E::kAttr),
       {.query_rows = 20, .kv_rows = 32, .sparse_mode = 4, .mask = "square", .pre = 3, .next = -4},
       {}},
      {refuses("FIA-N11", "actual_seq_kvlen beyond Skv", E::kAttr), kPrompt,
       with_attribute("actual_seq_kvlen", {33, 1})},
      {refuses("FIA-N12", "TND, causal, a batch with more query rows than key rows", E::kShape),
       tnd_causal,
       {}},
  };
}

/// FIA-N13 to FIA-N24: paging, biases, quantisation, rope parts and lists.
std::vector<Row> refused_features() {
  Recipe int8_mla = latent();
  int8_mla.query = DType::kI8, int8_mla.cache = "NZ", int8_mla.page_rows = 128;
  Recipe antiquant = kDecode;
  antiquant.kv = DType::kI8;
  Recipe list = kDecode;
  list.list = true;
  Recipe lse_channel = kPrompt;
  lse_channel.out_quant = "channel", lse_channel.lse = true;
  return {
      {refuses("FIA-N13", "block_size is not that of the caches", E::kShape), paged(),
       with_attribute("block_size", 16)},
      {refuses("FIA-N14", "pse_shift with TND", E::kAttr), concatenated(),
       with_tensor("pse_shift", DType::kBF16, {1, 4, 24, 32})},
      {refuses("FIA-N15", "int8 key without scale", E::kNull), antiquant,
       [](Call& call, SeededData&) {
         call.tensors.erase("dequant_scale_key");
         call.tensors.erase("dequant_scale_value");
       }},
      {refuses("FIA-N16", "output scaled by channel with softmax_lse", E::kAttr), lse_channel, {}},
      {refuses("FIA-N17", "query_rope without key_rope", E::kNull), latent(),
       without_tensor("key_rope")},
      {refuses("FIA-N18", "int8 query without its scale", E::kAttr), int8_mla,
       without_tensor("dequant_scale_query")},
      {refuses("FIA-N19", "query_quant_mode 3 with a float16 query", E::kAttr), kPrompt,
       with_attribute("query_quant_mode", 3)},
      {refuses("FIA-N20", "inner_precise 2 with one query row", E::kAttr), kDecode,
       with_attribute("inner_precise", 2)},
      {refuses("FIA-N21", "softmax_lse with D = 512", E::kAttr), latent(),
       with_attribute("return_softmax_lse", true)},
      {refuses("FIA-N22", "a reserved tensor", E::kAttr), latent(),
       with_tensor("dequant_scale_key_rope", DType::kF32, {1})},
      {refuses("FIA-N23", "a list of another length than B", E::kShape), list,
       [](Call& call, SeededData& data) {
         for (const char* name : {"key.2", "value.2"}) {
           call.tensors.emplace(name, data.zeros(DType::kF16, {1, 2, 64, 64}, name));
         }
       }},
      {refuses("FIA-N24", "a page number that is nb", E::kIndex), paged(),
       [](Call& call, SeededData&) {
         const auto pages = call.tensors.at("key").shape()[0];
         call.tensors.at("block_table").as<std::int32_t>()[0] = static_cast<std::int32_t>(pages);
       }},
  };
}

const CaseTable<Recipe>& table() {
  static const CaseTable<Recipe> cases(
      "fused_infer_attention_score_v2", 0x46494100u,
      [](SeededData& data, const Recipe& recipe) { return make_call(recipe, data); },
      {contiguous_cases(), cached_cases(), feature_cases(), large_cases(), refused_operands(),
       refused_features()});
  return cases;
}

}  // namespace

std::vector<ExampleCase> cases() {
  return table().examples();
}

Call make_case(std::string_view id, memory::GlobalMemory& memory) {
  return table().make(id, memory);
}

}  // namespace davsim::operators::fused_infer_attention_score
