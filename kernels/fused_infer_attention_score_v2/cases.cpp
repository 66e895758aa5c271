#include "kernels/fused_infer_attention_score_v2/cases.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/case_table.hpp"
#include "kernels/fused_infer_attention_score_v2/recipe.hpp"

namespace davsim::ops::fia {
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

Row run(const char* id, const char* note, Recipe recipe) {
  return {{id, note, std::nullopt, ""}, std::move(recipe), {}};
}

std::vector<Row> runs() {
  const DType f16 = DType::kF16, bf16 = DType::kBF16, i8 = DType::kI8;
  return {
      run("FIA-1", "prefill, 8 heads of 164 rows",
          {.query_rows = 164, .kv_rows = 1024, .heads = 8, .kv_heads = 8, .width = 128}),
      run("FIA-2", "causal prefill, 32 heads of 2048 rows",
          {.query_rows = 2048,
           .kv_rows = 2048,
           .heads = 32,
           .kv_heads = 32,
           .width = 128,
           .sparse_mode = 3,
           .mask = "square"}),
      run("FIA-2S", "the same without mask, scale 128: a saturated softmax",
          {.query_rows = 2048,
           .kv_rows = 2048,
           .heads = 32,
           .kv_heads = 32,
           .width = 128,
           .scale = 128}),
      run("FIA-3", "decode, 32 heads, 2048 tokens",
          {.query_rows = 1, .kv_rows = 2048, .heads = 32, .kv_heads = 32, .width = 128}),
      run("FIA-4", "three prompts behind one another, groups of 4, causal",
          {.layout = "TND",
           .query_rows = 4096,
           .kv_rows = 4096,
           .heads = 32,
           .kv_heads = 8,
           .width = 128,
           .query = bf16,
           .query_lengths = {1000, 1000, 4096},
           .kv_lengths = {1000, 1000, 4096},
           .sparse_mode = 3,
           .mask = "square"}),
      run("FIA-5", "NTD_TND, query and key 192 wide, value 128",
          {.layout = "NTD_TND",
           .query_rows = 32,
           .kv_rows = 32,
           .heads = 2,
           .kv_heads = 2,
           .width = 192,
           .value_width = 128,
           .query = bf16,
           .query_lengths = {32},
           .kv_lengths = {32}}),
      run("FIA-6", "paged decode, groups of 8, 32 contexts up to 8192",
          {.layout = "BSH",
           .batch = 32,
           .query_rows = 1,
           .kv_rows = 8192,
           .heads = 64,
           .kv_heads = 8,
           .width = 128,
           .query = bf16,
           .kv_lengths = mixed(32, 1, 7937),
           .cache = "BnBsH",
           .page_rows = 128,
           .pages = 1024}),
      run("FIA-7", "MLA decode, 16 contexts, NZ caches",
          {.layout = "TND",
           .query_rows = 16,
           .kv_rows = 16384,
           .heads = 128,
           .kv_heads = 1,
           .width = 512,
           .query = bf16,
           .rope = true,
           .query_lengths = sums(16, 1),
           .kv_lengths = mixed(16, 128, 16000),
           .cache = "NZ",
           .page_rows = 128,
           .pages = 2048,
           .scale = kMlaScale}),
      run("FIA-8", "MLA, four rows a batch, caches of rows",
          {.layout = "BSND",
           .batch = 8,
           .query_rows = 4,
           .kv_rows = 8192,
           .heads = 128,
           .kv_heads = 1,
           .width = 512,
           .query = bf16,
           .rope = true,
           .kv_lengths = mixed(8, 100, 8000),
           .cache = "BnBsH",
           .page_rows = 128,
           .pages = 4096,
           .sparse_mode = 3,
           .mask = "square",
           .scale = kMlaScale}),
      run("FIA-9", "MLA decode in int8, NZ caches",
          {.layout = "TND",
           .query_rows = 8,
           .kv_rows = 8192,
           .heads = 128,
           .kv_heads = 1,
           .width = 512,
           .query = i8,
           .rope = true,
           .query_lengths = sums(8, 1),
           .kv_lengths = mixed(8, 1, 8000),
           .cache = "NZ",
           .page_rows = 128,
           .pages = 512,
           .scale = kMlaScale}),
      run("FIA-10", "MLA prefill, eight prompts of 1024",
          {.layout = "TND",
           .query_rows = 8192,
           .kv_rows = 8192,
           .heads = 128,
           .kv_heads = 128,
           .width = 128,
           .query = bf16,
           .rope = true,
           .query_lengths = sums(8, 1024),
           .kv_lengths = sums(8, 1024),
           .sparse_mode = 3,
           .mask = "square",
           .scale = kMlaScale}),
      run("FIA-11", "decode, int8 key and value, scaled by token and head",
          {.batch = 2,
           .query_rows = 1,
           .kv_rows = 4096,
           .heads = 64,
           .kv_heads = 8,
           .width = 128,
           .query = bf16,
           .kv = i8,
           .key_mode = 3,
           .value_mode = 3}),
      run("FIA-12", "decode, int4 key and value, scaled by channel",
          {.batch = 4,
           .query_rows = 1,
           .kv_rows = 2048,
           .heads = 32,
           .kv_heads = 32,
           .width = 64,
           .query = f16,
           .kv = DType::kI4}),
      run("FIA-13", "pse_shift and int8 output, scaled by channel",
          {.layout = "BNSD_BSND",
           .batch = 2,
           .query_rows = 64,
           .kv_rows = 96,
           .heads = 8,
           .kv_heads = 8,
           .width = 64,
           .pse = true,
           .out_quant = "channel"}),
      run("FIA-14", "band: pre_tokens 5, next_tokens -2",
          {.query_rows = 17,
           .kv_rows = 40,
           .heads = 4,
           .kv_heads = 4,
           .width = 64,
           .sparse_mode = 4,
           .mask = "square",
           .pre = 5,
           .next = -2}),
      run("FIA-15", "causal prefill, 8 heads of 8192 rows",
          {.query_rows = 8192,
           .kv_rows = 8192,
           .heads = 8,
           .kv_heads = 8,
           .width = 128,
           .query = bf16,
           .sparse_mode = 3,
           .mask = "square"}),
      run("FIA-16", "paged decode, groups of 8, 32 contexts of 8192",
          {.layout = "BSH",
           .batch = 32,
           .query_rows = 1,
           .kv_rows = 8192,
           .heads = 64,
           .kv_heads = 8,
           .width = 128,
           .query = bf16,
           .kv_lengths = {8192},
           .cache = "BnBsH",
           .page_rows = 128}),
      run("FIA-17", "MLA decode, 64 contexts of 4096, NZ caches",
          {.layout = "TND",
           .query_rows = 64,
           .kv_rows = 4096,
           .heads = 128,
           .kv_heads = 1,
           .width = 512,
           .query = bf16,
           .rope = true,
           .query_lengths = sums(64, 1),
           .kv_lengths = std::vector<std::int64_t>(64, 4096),
           .cache = "NZ",
           .page_rows = 128,
           .scale = kMlaScale}),
      run("FIA-18", "causal prefill of FIA-2 in bfloat16",
          {.query_rows = 2048,
           .kv_rows = 2048,
           .heads = 32,
           .kv_heads = 32,
           .width = 128,
           .query = bf16,
           .sparse_mode = 3,
           .mask = "square"}),
  };
}

// --- refusals, by the number of their row in the check list
// ---------------------------------------------------------------------------------------

Row refused(const char* id, const char* note, E cls, Recipe recipe,
            std::function<void(Call&, SeededData&)> change = {}) {
  return {{id, note, cls, ""}, std::move(recipe), std::move(change)};
}

std::function<void(Call&, SeededData&)> without(const char* tensor) {
  return [tensor](Call& call, SeededData&) { call.tensors.erase(tensor); };
}

std::function<void(Call&, SeededData&)> with(const char* attribute, boost::json::value value) {
  return [attribute, value = std::move(value)](Call& call, SeededData&) {
    call.attributes[attribute] = value;
  };
}

std::function<void(Call&, SeededData&)> tensor(const char* name, DType type, Shape shape) {
  return [name, type, shape = std::move(shape)](Call& call, SeededData& data) {
    call.tensors.insert_or_assign(name, data.zeros(type, shape, name));
  };
}

std::vector<Row> refusals() {
  const Recipe prompt = {.batch = 2, .query_rows = 20, .kv_rows = 32, .heads = 4, .kv_heads = 2};
  const Recipe decode = {.batch = 2, .query_rows = 1, .kv_rows = 64, .heads = 4, .kv_heads = 2};
  Recipe tnd = {.layout = "TND",
                .query_rows = 24,
                .kv_rows = 32,
                .heads = 4,
                .kv_heads = 2,
                .width = 128,
                .query = DType::kBF16,
                .query_lengths = {10, 24},
                .kv_lengths = {12, 32}};
  Recipe paged = decode;
  paged.cache = "BnNBsD", paged.page_rows = 32, paged.kv_lengths = {40, 64};
  Recipe mla = paged;
  mla.layout = "BSND", mla.cache = "BnBsH", mla.page_rows = 16, mla.width = 512, mla.rope = true;
  mla.heads = 32, mla.kv_heads = 1;
  Recipe int8_mla = mla;
  int8_mla.query = DType::kI8, int8_mla.cache = "NZ", int8_mla.page_rows = 128;
  Recipe antiquant = decode;
  antiquant.kv = DType::kI8;
  Recipe list = decode;
  list.list = true;
  Recipe tnd_causal = tnd;
  tnd_causal.sparse_mode = 3, tnd_causal.mask = "square", tnd_causal.kv_lengths = {9, 32};
  Recipe lse_channel = prompt;
  lse_channel.out_quant = "channel", lse_channel.lse = true;
  return {
      refused("FIA-N1", "paged without actual_seq_kvlen", E::kNull, paged,
              [](Call& call, SeededData&) { call.attributes.erase("actual_seq_kvlen"); }),
      refused("FIA-N2", "D is 40", E::kShape,
              {.query_rows = 4, .kv_rows = 32, .heads = 2, .kv_heads = 2, .width = 40}),
      refused("FIA-N3", "3 key heads for 4 query heads", E::kAttr, prompt,
              with("num_key_value_heads", 3)),
      refused("FIA-N4", "BNSD_BSND with one query row", E::kAttr, decode,
              with("input_layout", "BNSD_BSND")),
      refused("FIA-N5", "query of rank 3 with BNSD", E::kRank, prompt,
              tensor("query", DType::kF16, {2, 20, 256})),
      refused("FIA-N6", "value longer than key", E::kShape, prompt,
              tensor("value", DType::kF16, {2, 2, 33, 64})),
      refused("FIA-N7", "query float16, key bfloat16", E::kDtype, prompt,
              tensor("key", DType::kBF16, {2, 2, 32, 64})),
      refused("FIA-N8", "mask with fewer columns than Skv", E::kShape, prompt,
              tensor("atten_mask", DType::kBool, {20, 31})),
      refused("FIA-N9", "sparse_mode 3 without mask", E::kAttr, prompt, with("sparse_mode", 3)),
      refused("FIA-N10", "pre_tokens + next_tokens is -1", E::kAttr,
              {.query_rows = 20,
               .kv_rows = 32,
               .sparse_mode = 4,
               .mask = "square",
               .pre = 3,
               .next = -4}),
      refused("FIA-N11", "actual_seq_kvlen beyond Skv", E::kAttr, prompt,
              with("actual_seq_kvlen", {33, 1})),
      refused("FIA-N12", "TND, causal, a batch with more query rows than key rows", E::kShape,
              tnd_causal),
      refused("FIA-N13", "block_size is not that of the caches", E::kShape, paged,
              with("block_size", 16)),
      refused("FIA-N14", "pse_shift with TND", E::kAttr, tnd,
              tensor("pse_shift", DType::kBF16, {1, 4, 24, 32})),
      refused("FIA-N15", "int8 key without scale", E::kNull, antiquant,
              [](Call& call, SeededData&) {
                call.tensors.erase("dequant_scale_key");
                call.tensors.erase("dequant_scale_value");
              }),
      refused("FIA-N16", "output scaled by channel with softmax_lse", E::kAttr, lse_channel),
      refused("FIA-N17", "query_rope without key_rope", E::kNull, mla, without("key_rope")),
      refused("FIA-N18", "int8 query without its scale", E::kAttr, int8_mla,
              without("dequant_scale_query")),
      refused("FIA-N19", "query_quant_mode 3 with a float16 query", E::kAttr, prompt,
              with("query_quant_mode", 3)),
      refused("FIA-N20", "inner_precise 2 with one query row", E::kAttr, decode,
              with("inner_precise", 2)),
      refused("FIA-N21", "softmax_lse with D = 512", E::kAttr, mla,
              with("return_softmax_lse", true)),
      refused("FIA-N22", "a reserved tensor", E::kAttr, mla,
              tensor("dequant_scale_key_rope", DType::kF32, {1})),
      refused("FIA-N23", "a list of another length than B", E::kShape, list,
              [](Call& call, SeededData& data) {
                for (const char* name : {"key.2", "value.2"}) {
                  call.tensors.emplace(name, data.zeros(DType::kF16, {1, 2, 64, 64}, name));
                }
              }),
      refused("FIA-N24", "a page number that is nb", E::kIndex, paged,
              [](Call& call, SeededData&) {
                const auto pages = call.tensors.at("key").shape()[0];
                call.tensors.at("block_table").as<std::int32_t>()[0] =
                    static_cast<std::int32_t>(pages);
              }),
  };
}

const CaseTable<Recipe>& table() {
  static const CaseTable<Recipe> cases(
      "fused_infer_attention_score_v2", 0x46494100u,
      [](SeededData& data, const Recipe& recipe) { return make_call(recipe, data); },
      {runs(), refusals()});
  return cases;
}

}  // namespace

std::vector<ExampleCase> cases() {
  return table().examples();
}

Call make_case(std::string_view id, memory::GlobalMemory& memory) {
  return table().make(id, memory);
}

}  // namespace davsim::ops::fia
