// Calls that break one rule of fused_infer_attention_score_v2 each, by the rows of its check list.
#include <gtest/gtest.h>

#include "tests/operators/fused_infer_attention_score_v2_call.hpp"
#include "tests/operators/fused_infer_attention_score_v2_recipes.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using operators::Call;
using E = operators::ErrorClass;
using Change = std::function<void(Call&)>;

TEST(FiaCheck, Row1MissingTensorsAndLists) {
  expect_refusals({
      {"no query", fia_prompt(), drop("query"), E::kNull},
      {"no key", fia_prompt(), drop("key"), E::kNull},
      {"no value", fia_prompt(), drop("value"), E::kNull},
      {"TND without query lengths", fia_tnd(), drop("actual_seq_qlen"), E::kNull},
      {"TND without key lengths", fia_tnd(), drop("actual_seq_kvlen"), E::kNull},
      {"paged without key lengths", fia_paged_decode(), drop("actual_seq_kvlen"), E::kNull},
      {"paged without block_size", fia_paged_decode(), drop("block_size"), E::kAttr},
      {"null is not given", fia_tnd(), attribute("actual_seq_qlen", nullptr), E::kNull},
  });
}

TEST(FiaCheck, Row2Sizes) {
  Recipe one_head = {.query_rows = 4, .kv_rows = 8, .heads = 1, .kv_heads = 1};
  expect_refusals({
      {"D is 528", one_head,
       both(reshape("query", {1, 1, 4, 528}), reshape("key", {1, 1, 8, 528}),
            reshape("value", {1, 1, 8, 528})),
       E::kShape},
      {"D is 40", one_head,
       both(reshape("query", {1, 1, 4, 40}), reshape("key", {1, 1, 8, 40}),
            reshape("value", {1, 1, 8, 40})),
       E::kShape},
      {"D is 48 with int8 output", one_head,
       both(reshape("query", {1, 1, 4, 48}), reshape("key", {1, 1, 8, 48}),
            reshape("value", {1, 1, 8, 48}), put("quant_scale_out", kF32, {1})),
       E::kShape},
      {"D is 48 with an int8 key", fia_antiquant(kI8, 2),
       both(reshape("query", {2, 4, 1, 48}), reshape("key", {2, 2, 64, 48}),
            reshape("value", {2, 2, 64, 48})),
       E::kShape},
      {"D is 32 with an int4 key", fia_antiquant(DType::kI4, 0),
       both(reshape("query", {2, 4, 1, 32}), reshape("key", {2, 2, 64, 4}),
            reshape("value", {2, 2, 64, 4}), reshape("dequant_scale_key", {1, 2, 32}),
            reshape("dequant_scale_value", {1, 2, 32})),
       E::kShape},
      {"257 heads", one_head,
       both(attribute("num_query_heads", 257), attribute("num_key_value_heads", 257),
            reshape("query", {1, 257, 4, 16}), reshape("key", {1, 257, 8, 16}),
            reshape("value", {1, 257, 8, 16})),
       E::kShape},
      {"B is 65537", one_head,
       both(reshape("query", {65537, 1, 4, 16}), reshape("key", {65537, 1, 8, 16}),
            reshape("value", {65537, 1, 8, 16})),
       E::kShape},
      {"Skv of the incremental path is 262145", with(one_head, [](Recipe& r) { r.query_rows = 1; }),
       both(reshape("key", {1, 1, 262145, 64}), reshape("value", {1, 1, 262145, 64})), E::kShape},
      {"17 rows of MLA", fia_mla512(),
       both(reshape("query", {2, 17, 32, 512}), reshape("query_rope", {2, 17, 32, 64})), E::kShape},
      {"17 rows of MLA in TND", fia_mla512_tnd(),
       both(reshape("query", {18, 32, 512}), reshape("query_rope", {18, 32, 64}),
            attribute("actual_seq_qlen", {1, 18})),
       E::kShape},
  });
}

TEST(FiaCheck, Row3Heads) {
  const Change wide = both(attribute("num_query_heads", 65), attribute("num_key_value_heads", 1),
                           reshape("query", {2, 65, 20, 64}), reshape("key", {2, 1, 32, 64}),
                           reshape("value", {2, 1, 32, 64}));
  expect_refusals({
      {"0 query heads", fia_prompt(), attribute("num_query_heads", 0), E::kAttr},
      {"-4 query heads", fia_prompt(), attribute("num_query_heads", -4), E::kAttr},
      {"-1 key heads", fia_prompt(), attribute("num_key_value_heads", -1), E::kAttr},
      {"3 key heads", fia_prompt(), attribute("num_key_value_heads", 3), E::kAttr},
      {"8 key heads", fia_prompt(), attribute("num_key_value_heads", 8), E::kAttr},
      {"groups of 65", fia_prompt(), wide, E::kAttr},
  });
  Recipe equal = fia_prompt();
  equal.kv_heads = 4;
  Call call = fia_call(equal);
  call.attributes["num_key_value_heads"] = 0;
  EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << "0 means num_query_heads";
}

TEST(FiaCheck, Row4Layouts) {
  Recipe nbsd = fia_mla512(16);
  nbsd.layout = "BSND_NBSD";
  expect_refusals({
      {"an unknown layout", fia_prompt(), attribute("input_layout", "SBH"), E::kAttr},
      {"NTD alone", fia_tnd(), attribute("input_layout", "NTD"), E::kAttr},
      {"a layout of newer products", fia_prompt(), attribute("input_layout", "NSD"),
       E::kUnsupported},
      {"BNSD_BSND with one row", fia_decode(), attribute("input_layout", "BNSD_BSND"), E::kAttr},
      {"..._NBSD without rope parts", fia_prompt(), attribute("input_layout", "BNSD_NBSD"),
       E::kAttr},
      {"..._NBSD with 17 rows", nbsd,
       both(reshape("query", {2, 17, 32, 512}), reshape("query_rope", {2, 17, 32, 64})), E::kAttr},
      {"TND_NTD without rope parts", fia_tnd(), attribute("input_layout", "TND_NTD"), E::kAttr},
      {"BNSD_BSND of MLA", with(fia_mla512(2), [](Recipe& r) { r.layout = "BNSD"; }),
       attribute("input_layout", "BNSD_BSND"), E::kAttr},
      {"D = 128 with rope parts in BSND", fia_mla128(),
       both(attribute("input_layout", "BSND"), reshape("query", {1, 24, 4, 128}),
            reshape("query_rope", {1, 24, 4, 64}), reshape("key", {1, 32, 2, 128}),
            reshape("key_rope", {1, 32, 2, 64}), reshape("value", {1, 32, 2, 128})),
       E::kAttr},
  });
}

TEST(FiaCheck, Row5Ranks) {
  expect_refusals({
      {"query", fia_prompt(), reshape("query", {2, 20, 256}), E::kRank},
      {"key", fia_prompt(), reshape("key", {2, 32, 128}), E::kRank},
      {"value", fia_prompt(), reshape("value", {2, 32, 128}), E::kRank},
      {"query of TND", fia_tnd(), reshape("query", {1, 24, 4, 128}), E::kRank},
  });
}

TEST(FiaCheck, Row6SizesThatDiffer) {
  expect_refusals({
      {"heads of query", fia_prompt(), reshape("query", {2, 6, 20, 64}), E::kShape},
      {"heads of key", fia_prompt(), reshape("key", {2, 4, 32, 64}), E::kShape},
      {"D of key", fia_prompt(), reshape("key", {2, 2, 32, 32}), E::kShape},
      {"D of value", fia_prompt(), reshape("value", {2, 2, 32, 32}), E::kShape},
      {"rows of value", fia_prompt(), reshape("value", {2, 2, 31, 64}), E::kShape},
      {"B of key and value", fia_prompt(),
       both(reshape("key", {1, 2, 32, 64}), reshape("value", {1, 2, 32, 64})), E::kShape},
      {"H of BSH is no multiple of the heads",
       with(fia_prompt(), [](Recipe& r) { r.layout = "BSH"; }), reshape("query", {2, 20, 250}),
       E::kShape},
      {"192 wide value of TND with groups", fia_tnd(192), reshape("value", {32, 2, 192}),
       E::kShape},
      {"TND with D = 64", fia_tnd(),
       both(reshape("query", {24, 4, 64}), reshape("key", {32, 2, 64}),
            reshape("value", {32, 2, 64})),
       E::kShape},
  });
}

TEST(FiaCheck, Row7Dtypes) {
  expect_refusals({
      {"key of the other 16-bit type", fia_prompt(),
       both(put("key", kBF16, {2, 2, 32, 64}), put("value", kBF16, {2, 2, 32, 64})), E::kDtype},
      {"value unlike key", fia_prompt(), put("value", kBF16, {2, 2, 32, 64}), E::kDtype},
      {"all int8 without rope parts", fia_prompt(),
       both(put("query", kI8, {2, 4, 20, 64}), put("key", kI8, {2, 2, 32, 64}),
            put("value", kI8, {2, 2, 32, 64})),
       E::kDtype},
      {"float32 query", fia_prompt(), put("query", kF32, {2, 4, 20, 64}), E::kDtype},
      {"TND in float16", fia_tnd(),
       both(put("query", kF16, {24, 4, 128}), put("key", kF16, {32, 2, 128}),
            put("value", kF16, {32, 2, 128})),
       E::kDtype},
      {"int8 key of several rows with a float16 query",
       with(fia_antiquant(kI8, 0), [](Recipe& r) { r.query = kBF16, r.query_rows = 4; }),
       put("query", kF16, {2, 4, 4, 64}), E::kDtype},
      {"float16 query with int8 caches of fractals", fia_gqa_nz(),
       put("query", kF16, {2, 1, 10, 128}), E::kDtype},
      {"int8 caches of fractals with a 16-bit query and rope parts", fia_mla512(1, "NZ"),
       both(put("key", kI8, {5, 1, 16, 128, 32}), put("value", kI8, {5, 1, 16, 128, 32})),
       E::kUnsupported},
  });
}

TEST(FiaCheck, Row8Masks) {
  Recipe full = fia_prompt();
  full.mask = "full";
  Recipe decode = fia_decode();
  decode.mask = "full";
  Recipe paged = fia_paged_prompt();
  paged.mask = "full";
  expect_refusals({
      {"int32", full, put("atten_mask", DType::kI32, {20, 32}), E::kDtype},
      {"empty", full, put("atten_mask", DType::kBool, {0, 32}), E::kShape},
      {"rank 1", full, put("atten_mask", DType::kBool, {32}), E::kShape},
      {"rank 5", full, put("atten_mask", DType::kBool, {1, 1, 1, 20, 32}), E::kShape},
      {"batch 3", full, put("atten_mask", DType::kBool, {3, 20, 32}), E::kShape},
      {"a head axis", full, put("atten_mask", DType::kBool, {2, 4, 20, 32}), E::kShape},
      {"19 rows", full, put("atten_mask", DType::kBool, {19, 32}), E::kShape},
      {"31 columns", full, put("atten_mask", DType::kBool, {2, 1, 20, 31}), E::kShape},
      {"one row, 63 columns", decode, put("atten_mask", DType::kBool, {2, 63}), E::kShape},
      {"one row, batch 3", decode, put("atten_mask", DType::kBool, {3, 1, 64}), E::kShape},
      {"paged, as wide as the longest batch", paged, put("atten_mask", DType::kBool, {20, 200}),
       E::kShape},
  });
  for (const operators::Shape& shape :
       {operators::Shape{20, 32}, {1, 20, 40}, {2, 20, 32}, {2, 1, 24, 32}}) {
    Call call = fia_call(full);
    put("atten_mask", kI8, shape)(call);
    EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << operators::to_string(shape);
  }
  for (const operators::Shape& shape : {operators::Shape{2, 64}, {2, 1, 80}, {2, 1, 1, 64}}) {
    Call call = fia_call(decode);
    put("atten_mask", kI8, shape)(call);
    EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << operators::to_string(shape);
  }
}

TEST(FiaCheck, Row9SparseModes) {
  const Change mask_3d = put("atten_mask", DType::kBool, {1, 2048, 2048});
  std::vector<FiaViolation> violations = {
      {"mode 3 with a full mask", fia_causal(), put("atten_mask", DType::kBool, {20, 32}),
       E::kAttr},
      {"mode 4 with two squares", fia_band(), put("atten_mask", DType::kBool, {2, 2048, 2048}),
       E::kAttr},
      {"TND, mode 0 with a mask", fia_tnd_causal(), attribute("sparse_mode", 0), E::kAttr},
      {"TND, mode 3 without mask", fia_tnd_causal(), drop("atten_mask"), E::kAttr},
      {"MLA of one row with mode 3", fia_mla512(), both(mask_3d, attribute("sparse_mode", 3)),
       E::kAttr},
      {"MLA of one row with a mask", fia_mla512(), mask_3d, E::kAttr},
      {"MLA of several rows with mode 0", fia_mla512(2), attribute("sparse_mode", 0), E::kAttr},
      {"MLA of several rows with mode 4", fia_mla512(2), attribute("sparse_mode", 4), E::kAttr},
      {"fractals of one row with a mask", fia_gqa_nz(), mask_3d, E::kAttr},
      {"fractals of several rows without mask", fia_gqa_nz(3), drop("atten_mask"), E::kAttr},
  };
  for (const int mode : {1, 2, 3, 4}) {
    violations.push_back({"no mask, mode " + std::to_string(mode), fia_prompt(),
                          attribute("sparse_mode", mode), E::kAttr});
  }
  for (const int mode : {-1, 5, 6, 7, 8, 100}) {
    violations.push_back(
        {"mode " + std::to_string(mode), fia_causal(), attribute("sparse_mode", mode), E::kAttr});
  }
  for (const int mode : {1, 2, 4}) {
    violations.push_back({"TND, mode " + std::to_string(mode), fia_tnd_causal(),
                          attribute("sparse_mode", mode), E::kAttr});
  }
  expect_refusals(violations);
  Call call = fia_call(fia_decode());
  call.attributes["sparse_mode"] = 3;
  EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << "one row without rope parts ignores the mode";
}

TEST(FiaCheck, Row10Bands) {
  const auto band = [](std::int64_t pre, std::int64_t next) {
    return both(attribute("pre_tokens", pre), attribute("next_tokens", next));
  };
  Recipe full = fia_prompt();
  full.mask = "full";
  // Sq is 20, Skv is 32.
  expect_refusals({
      {"an empty band", fia_band(), band(3, -4), E::kAttr},
      {"both negative", fia_band(), band(-1, -1), E::kAttr},
      {"mode 4, pre -20", fia_band(), band(-20, 40), E::kAttr},
      {"mode 4, next -32", fia_band(), band(40, -32), E::kAttr},
      {"mode 0, pre -32", full, band(-32, 40), E::kAttr},
      {"mode 0, next -20", full, band(40, -20), E::kAttr},
      {"mode 0, an empty band", full, band(-2, 1), E::kAttr},
  });
  for (const auto& [recipe, pre, next] :
       {std::tuple{fia_band(), -19, 40}, {fia_band(), 40, -31}, {full, -31, 40}, {full, 40, -19}}) {
    Call call = fia_call(recipe);
    band(pre, next)(call);
    EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << pre << " " << next;
  }
  Call without = fia_call(fia_prompt());
  band(-5, -5)(without);
  EXPECT_EQ(refusal_of(fia(), without), std::nullopt) << "mode 0 without mask ignores the band";
}

TEST(FiaCheck, Row11Lengths) {
  Recipe three = fia_prompt();
  three.batch = 3;
  boost::json::array many;
  for (int i = 0; i < 4097; ++i) many.emplace_back(i == 4096 ? 24 : 0);
  boost::json::array many_kv = many;
  many_kv.back() = 32;
  expect_refusals({
      {"two of three", three, attribute("actual_seq_qlen", {1, 2}), E::kShape},
      {"none of three", three, attribute("actual_seq_kvlen", boost::json::array()), E::kShape},
      {"negative", fia_prompt(), attribute("actual_seq_qlen", {-1, 5}), E::kAttr},
      {"beyond Sq", fia_prompt(), attribute("actual_seq_qlen", {21}), E::kAttr},
      {"beyond Skv", fia_prompt(), attribute("actual_seq_kvlen", {1, 33}), E::kAttr},
      {"beyond the page table", fia_paged_decode(), attribute("actual_seq_kvlen", {1, 97}),
       E::kShape},
      {"sums that decrease", fia_tnd(), attribute("actual_seq_qlen", {25, 24}), E::kAttr},
      {"a negative sum", fia_tnd(), attribute("actual_seq_kvlen", {-1, 32}), E::kAttr},
      {"the last sum is not T", fia_tnd(), attribute("actual_seq_qlen", {10, 23}), E::kAttr},
      {"the last sum is not Tkv", fia_tnd(), attribute("actual_seq_kvlen", {10, 31}), E::kAttr},
      {"counts that differ", fia_tnd(), attribute("actual_seq_kvlen", {1, 2, 32}), E::kShape},
      {"4097 batches", fia_tnd(),
       both(attribute("actual_seq_qlen", many), attribute("actual_seq_kvlen", many_kv)), E::kShape},
      {"query lengths of MLA", fia_mla512(2), attribute("actual_seq_qlen", {1, 2}), E::kAttr},
      {"query lengths with fractals", fia_gqa_nz(2), attribute("actual_seq_qlen", {1, 2}),
       E::kAttr},
  });
  Call call = fia_call(three);
  call.attributes["actual_seq_qlen"] = {1, 2, 3, 400};
  call.attributes["actual_seq_kvlen"] = {7};
  EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << "a longer list, and one for all";
}

TEST(FiaCheck, Row12Tnd) {
  expect_refusals({
      {"a batch with fewer key rows", fia_tnd_causal(), attribute("actual_seq_kvlen", {9, 32}),
       E::kShape},
      {"T is 1048577", fia_tnd(),
       both(reshape("query", {1048577, 4, 128}), attribute("actual_seq_qlen", {1, 1048577})),
       E::kShape},
  });
  Call call = fia_call(fia_tnd_causal());
  call.attributes["actual_seq_kvlen"] = {10, 32};
  EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << "as many are enough";
}

}  // namespace
}  // namespace davsim::test
