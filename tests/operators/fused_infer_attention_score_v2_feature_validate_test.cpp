// As fused_infer_attention_score_v2_validate_test.cpp: the rows of the check list from paging on.
#include <gtest/gtest.h>

#include "tests/operators/fused_infer_attention_score_v2_call.hpp"
#include "tests/operators/fused_infer_attention_score_v2_recipes.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using operators::Call;
using E = operators::ErrorClass;

TEST(FiaCheck, Row13Paging) {
  const Recipe rows =
      fia_paged(with(fia_decode(), [](Recipe& r) { r.layout = "BSND"; }), "BnBsH", 16);
  expect_refusals({
      {"block_table of int64", fia_paged_decode(), put("block_table", DType::kI64, {2, 5}),
       E::kDtype},
      {"block_table of rank 1", fia_paged_decode(), reshape("block_table", {10}), E::kShape},
      {"block_table of three batches", fia_paged_decode(), reshape("block_table", {3, 5}),
       E::kShape},
      {"block_table of TND for three batches", fia_mla512_tnd(), reshape("block_table", {3, 3}),
       E::kShape},
      {"block_table with too few columns", fia_paged_decode(), reshape("block_table", {2, 3}),
       E::kShape},
      {"negative block_size", fia_paged_decode(), attribute("block_size", -16), E::kAttr},
      {"block_size unlike the caches", fia_paged_decode(), attribute("block_size", 32), E::kShape},
      {"a value cache with other pages", fia_paged_decode(), reshape("value", {8, 2, 16, 64}),
       E::kShape},
      {"caches of rank 2", fia_paged_decode(), reshape("key", {9, 2048}), E::kShape},
      {"fewer pages than are used", fia_paged_decode(),
       both(reshape("key", {6, 2, 16, 64}), reshape("value", {6, 2, 16, 64})), E::kShape},
      {"[nb, Nkv, bs, D] with BSND", rows,
       both(reshape("key", {9, 2, 16, 64}), reshape("value", {9, 2, 16, 64})), E::kAttr},
      {"pages of 8 rows", fia_paged_decode(),
       both(reshape("key", {50, 2, 8, 64}), reshape("value", {50, 2, 8, 64}),
            reshape("block_table", {2, 10}), attribute("block_size", 8)),
       E::kAttr},
      {"pages of 528 rows", fia_paged_decode(),
       both(reshape("key", {50, 2, 528, 64}), reshape("value", {50, 2, 528, 64}),
            attribute("block_size", 528)),
       E::kAttr},
      {"pages of 16 rows on the prompt path", fia_paged_prompt(),
       both(reshape("key", {99, 2, 16, 64}), reshape("value", {99, 2, 16, 64}),
            reshape("block_table", {2, 30}), attribute("block_size", 16)),
       E::kAttr},
      {"pages of 640 rows on the prompt path", fia_paged_prompt(),
       both(reshape("key", {9, 2, 640, 64}), reshape("value", {9, 2, 640, 64}),
            attribute("block_size", 640)),
       E::kAttr},
      {"pages of 32 rows with D = 512", fia_mla512(),
       both(reshape("key", {50, 32, 512}), reshape("value", {50, 32, 512}),
            reshape("key_rope", {50, 32, 64}), reshape("block_table", {2, 9}),
            attribute("block_size", 32)),
       E::kAttr},
      {"pages of 256 rows with fractals of int8", fia_gqa_nz(),
       both(reshape("key", {9, 1, 4, 256, 32}), reshape("value", {9, 1, 4, 256, 32}),
            attribute("block_size", 256)),
       E::kAttr},
      {"int4", fia_antiquant(kI4, 0),
       both(put("block_table", DType::kI32, {2, 4}), attribute("block_size", 64),
            attribute("actual_seq_kvlen", {64, 64})),
       E::kDtype},
      {"TND without rope parts", fia_tnd(),
       both(put("block_table", DType::kI32, {2, 4}), attribute("block_size", 128)), E::kAttr},
      {"fractals without block_table", fia_gqa_nz(), drop("block_table"), E::kNull},
      {"fractals of rope parts with BNSD",
       with(fia_mla512(1, "BnNBsD"), [](Recipe& r) { r.layout = "BNSD"; }),
       both(reshape("key", {5, 1, 32, 128, 16}), reshape("value", {5, 1, 32, 128, 16}),
            reshape("key_rope", {5, 1, 4, 128, 16})),
       E::kAttr},
      {"Nkv*D of 65536 in [nb, bs, Nkv*D]", rows,
       both(attribute("num_query_heads", 256), attribute("num_key_value_heads", 256),
            reshape("query", {2, 1, 256, 256}), reshape("key", {9, 16, 65536}),
            reshape("value", {9, 16, 65536})),
       E::kShape},
  });
}

TEST(FiaCheck, PageNumbersAreFoundBeforeTheLaunch) {
  const auto page = [](std::int64_t at, std::int32_t id) {
    return [=](Call& call) { call.tensors.at("block_table").as<std::int32_t>()[at] = id; };
  };
  // Lengths 33 and 64 in pages of 16 rows, 5 columns, 9 pages.
  expect_refusals({
      {"nb", fia_paged_decode(), page(0, 9), E::kIndex},
      {"-1", fia_paged_decode(), page(2, -1), E::kIndex},
      {"the last one used", fia_paged_decode(), page(8, 1000), E::kIndex},
      {"behind the last of batch 0", fia_paged_decode(), page(3, 1000), std::nullopt},
      {"behind the last of batch 1", fia_paged_decode(), page(9, -5), std::nullopt},
  });
}

TEST(FiaCheck, Row14PseShift) {
  const Recipe pse = with(fia_prompt(), [](Recipe& r) { r.pse = true; });
  const Recipe paged = with(fia_paged_prompt(), [](Recipe& r) { r.pse = true; });
  expect_refusals({
      {"another dtype", pse, put("pse_shift", kBF16, {1, 4, 20, 32}), E::kDtype},
      {"rank 3", pse, reshape("pse_shift", {4, 20, 32}), E::kShape},
      {"batch 3", pse, reshape("pse_shift", {3, 4, 20, 32}), E::kShape},
      {"two heads", pse, reshape("pse_shift", {1, 2, 20, 32}), E::kShape},
      {"19 rows", pse, reshape("pse_shift", {1, 4, 19, 32}), E::kShape},
      {"31 columns", pse, reshape("pse_shift", {1, 4, 20, 31}), E::kShape},
      {"padded", pse, reshape("pse_shift", {2, 4, 24, 48}), std::nullopt},
      {"paged, as wide as the longest batch", paged, reshape("pse_shift", {1, 4, 20, 200}),
       std::nullopt},
      {"paged, narrower", paged, reshape("pse_shift", {1, 4, 20, 199}), E::kShape},
      {"TND", fia_tnd(), put("pse_shift", kBF16, {1, 4, 24, 32}), E::kAttr},
      {"D = 512", fia_mla512(), put("pse_shift", kBF16, {2, 32, 1, 400}), E::kAttr},
      {"D = 128 with rope parts", fia_mla128(), put("pse_shift", kBF16, {1, 4, 24, 32}), E::kAttr},
      {"fractals of int8", fia_gqa_nz(), put("pse_shift", kBF16, {2, 10, 1, 400}), E::kAttr},
  });
}

TEST(FiaCheck, Row15Antiquant) {
  const Recipe channel = fia_antiquant(kI8, 0), token = fia_antiquant(kI8, 1);
  const Recipe offsets = with(channel, [](Recipe& r) { r.offsets = true; });
  const Recipe prompt = with(channel, [](Recipe& r) { r.query = kBF16, r.query_rows = 16; });
  const Recipe paged = fia_paged(channel, "BnNBsD", 32);
  const auto modes = [](int key, int value) {
    return both(attribute("key_quant_mode", key), attribute("value_quant_mode", value));
  };
  const auto scales = [](DType type, const operators::Shape& shape) {
    return both(put("dequant_scale_key", type, shape), put("dequant_scale_value", type, shape));
  };
  expect_refusals({
      {"no scales", channel, both(drop("dequant_scale_key"), drop("dequant_scale_value")),
       E::kNull},
      {"no key scale", channel, drop("dequant_scale_key"), E::kNull},
      {"no value scale", channel, drop("dequant_scale_value"), E::kNull},
      {"one offset", offsets, drop("dequant_offset_value"), E::kNull},
      {"offsets without scales", offsets,
       both(drop("dequant_scale_key"), drop("dequant_scale_value")), E::kNull},
      {"offset of another shape", offsets, reshape("dequant_offset_key", {2, 64}), E::kShape},
      {"offset of another dtype", offsets, put("dequant_offset_key", kF32, {1, 2, 64}), E::kDtype},
      {"modes 1 and 0", token, modes(1, 0), E::kAttr},
      {"modes 3 and 1", token, modes(3, 1), E::kAttr},
      {"mode 4 not paged", token, modes(4, 4), E::kAttr},
      {"mode 5 not paged", token, modes(5, 5), E::kAttr},
      {"mode 2 of int4", fia_antiquant(kI4, 0), modes(2, 2), E::kAttr},
      {"mode 2 of several rows", prompt, modes(2, 2), E::kAttr},
      {"scale by channel in float32", channel, scales(kF32, {1, 2, 64}), E::kDtype},
      {"scale by token in float16", token, scales(kF16, {1, 2, 64}), E::kDtype},
      {"scale by channel of another shape", channel, scales(kF16, {1, 2, 32}), E::kShape},
      {"scale by token, too short", token, scales(kF32, {1, 2, 63}), E::kShape},
      {"scale by token, longer", token, scales(kF32, {1, 2, 80}), std::nullopt},
      {"int4 with one scale for all", fia_antiquant(kI4, 0), scales(kF16, {1}), E::kShape},
      {"key and value scale of other shapes", channel,
       put("dequant_scale_value", kF16, {1, 2, 1, 64}), E::kShape},
      {"17 rows", prompt, both(reshape("query", {2, 4, 17, 64})), E::kAttr},
      {"TND", fia_tnd(),
       both(put("key", kI8, {32, 2, 128}), put("value", kI8, {32, 2, 128}),
            scales(kBF16, {1, 2, 128})),
       E::kAttr},
      {"scales with a 16-bit key", fia_decode(), scales(kF16, {1, 2, 64}), E::kAttr},
      {"scale by page of another size",
       with(paged, [](Recipe& r) { r.key_mode = r.value_mode = 4; }), scales(kF32, {7, 32}),
       E::kShape},
      {"by token, paged, shorter than the table",
       with(paged, [](Recipe& r) { r.key_mode = r.value_mode = 1; }), scales(kF32, {1, 2, 64}),
       E::kShape},
      {"int8 of modes 0 and 1 with a bfloat16 query",
       with(channel, [](Recipe& r) { r.value_mode = 1; }),
       both(put("query", kBF16, {2, 4, 1, 64}), put("dequant_scale_key", kBF16, {1, 2, 64})),
       E::kDtype},
      {"fractals with offsets", fia_gqa_nz(),
       both(put("dequant_offset_key", kBF16, {1, 128}),
            put("dequant_offset_value", kBF16, {1, 128})),
       E::kAttr},
      {"fractals, the scale's shape of another layout", fia_gqa_nz(), scales(kBF16, {128}),
       E::kShape},
  });
}

TEST(FiaCheck, Row16OutputQuant) {
  const Recipe channel =
      with(fia_prompt(), [](Recipe& r) { r.out_quant = "channel", r.out_offset = true; });
  const auto scale = [](DType type, const operators::Shape& shape) {
    return put("quant_scale_out", type, shape);
  };
  const auto band = [](int mode, int pre, int next) {
    return both(attribute("sparse_mode", mode), attribute("pre_tokens", pre),
                attribute("next_tokens", next));
  };
  const Recipe causal = with(channel, [](Recipe& r) { r.sparse_mode = 3, r.mask = "square"; });
  const Recipe plain_band = with(fia_band(), [](Recipe& r) { r.out_quant = "tensor"; });
  const Recipe full = with(channel, [](Recipe& r) { r.mask = "full"; });
  expect_refusals({
      {"offset only", channel, drop("quant_scale_out"), E::kNull},
      {"scale in float16", channel, scale(kF16, {256}), E::kDtype},
      {"scale in bfloat16 with a float16 query", channel, scale(kBF16, {256}), E::kDtype},
      {"255 channels", channel, scale(kF32, {255}), E::kShape},
      {"another axis order", channel,
       both(scale(kF32, {4, 1, 64}), put("quant_offset_out", kF32, {4, 1, 64})), std::nullopt},
      {"offset of another shape", channel, put("quant_offset_out", kF32, {4, 64}), E::kShape},
      {"offset of another dtype", channel, put("quant_offset_out", kF16, {256}), E::kDtype},
      {"by channel with softmax_lse", channel, attribute("return_softmax_lse", true), E::kAttr},
      {"mode 3, a batch with fewer key rows", causal, attribute("actual_seq_kvlen", {19, 32}),
       E::kAttr},
      {"mode 4, next_tokens below the difference",
       with(causal, [](Recipe& r) { r.sparse_mode = 4; }),
       both(band(4, 30, 5), attribute("actual_seq_kvlen", {14, 32})), E::kAttr},
      {"mode 4, pre_tokens negative", plain_band, band(4, -1, 5), E::kAttr},
      {"mode 4, next_tokens negative", plain_band, band(4, 5, -1), E::kAttr},
      {"mode 0, rows beyond the key", full,
       both(band(0, 3, 40), attribute("actual_seq_kvlen", {16, 32})), E::kAttr},
      {"mode 0, next_tokens negative", full, band(0, 40, -1), E::kAttr},
      {"mode 2 never", causal,
       both(attribute("sparse_mode", 2), attribute("actual_seq_kvlen", {1, 1})), std::nullopt},
      {"int4", fia_antiquant(kI4, 0), scale(kF32, {1}), E::kAttr},
      {"TND", fia_tnd(), scale(kF32, {1}), E::kAttr},
      {"D = 512", fia_mla512(), scale(kF32, {1}), E::kAttr},
      {"fractals of int8", fia_gqa_nz(), scale(kF32, {1}), E::kAttr},
      {"D = 512 in int8", fia_mla512_int8(), scale(kF32, {1}), E::kAttr},
  });
  Recipe without_offset = causal;
  without_offset.out_offset = false;
  Call call = fia_call(without_offset);
  call.attributes["actual_seq_kvlen"] = {19, 32};
  EXPECT_EQ(refusal_of(fia(), call), std::nullopt) << "rows that see nothing are 0";
}

TEST(FiaCheck, Row17Rope) {
  expect_refusals({
      {"no key_rope", fia_mla512(), drop("key_rope"), E::kNull},
      {"no query_rope", fia_mla512(), drop("query_rope"), E::kNull},
      {"query_rope of another dtype", fia_mla512(), put("query_rope", kF16, {2, 1, 32, 64}),
       E::kDtype},
      {"key_rope of another dtype", fia_mla512(), put("key_rope", kF16, {5, 128, 64}), E::kDtype},
      {"query_rope 32 wide", fia_mla512(), reshape("query_rope", {2, 1, 32, 32}), E::kShape},
      {"key_rope 32 wide", fia_mla512(), reshape("key_rope", {5, 128, 32}), E::kShape},
      {"key_rope of another kind", fia_mla512(), reshape("key_rope", {5, 1, 128, 64}), E::kShape},
      {"D = 256", fia_mla512(),
       both(reshape("query", {2, 1, 32, 256}), reshape("key", {5, 128, 256}),
            reshape("value", {5, 128, 256})),
       E::kShape},
      {"two key heads", fia_mla512(),
       both(attribute("num_key_value_heads", 2), reshape("key", {5, 128, 1024}),
            reshape("value", {5, 128, 1024}), reshape("key_rope", {5, 128, 128})),
       E::kAttr},
      {"24 query heads", fia_mla512(),
       both(attribute("num_query_heads", 24), reshape("query", {2, 1, 24, 512}),
            reshape("query_rope", {2, 1, 24, 64})),
       E::kAttr},
      {"not paged", fia_mla512(),
       both(drop("block_table"), reshape("key", {2, 140, 1, 512}),
            reshape("value", {2, 140, 1, 512}), reshape("key_rope", {2, 140, 1, 64})),
       E::kNull},
      {"scales", fia_mla512(), put("dequant_scale_key", kBF16, {1}), E::kAttr},
      {"paged with D = 128", fia_mla128(),
       both(put("block_table", DType::kI32, {2, 4}), attribute("block_size", 128)), E::kAttr},
  });
  for (const std::int64_t heads : {1, 2, 4, 8, 16, 32, 64, 128}) {
    Recipe recipe = fia_mla512();
    recipe.heads = heads;
    EXPECT_EQ(refusal_of(fia(), fia_call(recipe)), std::nullopt) << heads;
  }
}

TEST(FiaCheck, Row18QueryQuant) {
  const Recipe recipe = fia_mla512_int8();
  expect_refusals({
      {"no query scale", recipe, drop("dequant_scale_query"), E::kAttr},
      {"no key scale", recipe, drop("dequant_scale_key"), E::kAttr},
      {"no value scale", recipe, drop("dequant_scale_value"), E::kAttr},
      {"query scale of another shape", recipe, reshape("dequant_scale_query", {2, 32}), E::kShape},
      {"key scale of two", recipe, reshape("dequant_scale_key", {2}), E::kShape},
      {"key scale in bfloat16", recipe, put("dequant_scale_key", kBF16, {1}), E::kDtype},
      {"offsets", recipe,
       both(put("dequant_offset_key", kF32, {1}), put("dequant_offset_value", kF32, {1})),
       E::kAttr},
      {"caches of rows", recipe,
       both(reshape("key", {5, 128, 512}), reshape("value", {5, 128, 512}),
            reshape("key_rope", {5, 128, 64})),
       E::kShape},
      {"query_quant_mode 0", recipe, attribute("query_quant_mode", 0), E::kAttr},
      {"key_quant_mode 1", recipe, attribute("key_quant_mode", 1), E::kAttr},
      {"value_quant_mode 1", recipe, attribute("value_quant_mode", 1), E::kAttr},
      {"float16 rope parts", recipe, put("query_rope", kF16, {2, 1, 32, 64}), E::kDtype},
      {"17 rows", recipe,
       both(reshape("query", {2, 17, 32, 512}), reshape("query_rope", {2, 17, 32, 64}),
            reshape("dequant_scale_query", {2, 17, 32})),
       E::kShape},
      {"a query scale with a 16-bit query", fia_decode(),
       put("dequant_scale_query", kF32, {2, 1, 4}), E::kAttr},
  });
}

TEST(FiaCheck, Rows19To22Options) {
  expect_refusals({
      {"query_quant_mode 1", fia_prompt(), attribute("query_quant_mode", 1), E::kAttr},
      {"key_quant_mode 6", fia_prompt(), attribute("key_quant_mode", 6), E::kAttr},
      {"value_quant_mode -1", fia_prompt(), attribute("value_quant_mode", -1), E::kAttr},
      {"inner_precise 4", fia_prompt(), attribute("inner_precise", 4), E::kAttr},
      {"inner_precise -1", fia_prompt(), attribute("inner_precise", -1), E::kAttr},
      {"inner_precise 3", fia_prompt(), attribute("inner_precise", 3), std::nullopt},
      {"inner_precise 3 of one row", fia_decode(), attribute("inner_precise", 3), E::kAttr},
      {"inner_precise 0 with fractals", fia_gqa_nz(), attribute("inner_precise", 0), E::kAttr},
      {"softmax_lse with D = 512", fia_mla512(), attribute("return_softmax_lse", true), E::kAttr},
      {"softmax_lse with fractals", fia_gqa_nz(), attribute("return_softmax_lse", true), E::kAttr},
      {"a reserved tensor", fia_mla512(), put("dequant_scale_key_rope", kF32, {1}), E::kAttr},
      {"a reserved type", fia_prompt(), attribute("query_dtype", 1), E::kAttr},
      {"another reserved type", fia_prompt(), attribute("dequant_scale_key_rope_dtype", 0),
       E::kAttr},
      {"null is not given", fia_prompt(), attribute("query_dtype", nullptr), std::nullopt},
      {"an attribute of another operator", fia_prompt(), attribute("maskType", 1), E::kAttr},
  });
}

TEST(FiaCheck, Row23TensorLists) {
  const auto more = [](Call& call) {
    for (const char* name : {"key.2", "value.2"}) put(name, kF16, {1, 64, 2, 64})(call);
  };
  const auto as_list = [](const operators::Shape& shape, DType type = kF16) {
    return [=](Call& call) {
      for (const char* name : {"key", "value"}) {
        call.tensors.erase(name);
        for (int b = 0; b < 2; ++b) {
          const std::string entry = std::string(name) + "." + std::to_string(b);
          call.tensors.emplace(entry, operators::Tensor(fia_memory(), type, shape, entry));
        }
      }
    };
  };
  expect_refusals({
      {"three entries", fia_list(), more, E::kShape},
      {"an entry of two batches", fia_list(),
       both(reshape("key.1", {2, 64, 2, 64}), reshape("value.1", {2, 64, 2, 64})), E::kShape},
      {"other heads", fia_list(),
       both(reshape("key.1", {1, 64, 4, 64}), reshape("value.1", {1, 64, 4, 64})), E::kShape},
      {"another D", fia_list(),
       both(reshape("key.1", {1, 64, 2, 32}), reshape("value.1", {1, 64, 2, 32})), E::kShape},
      {"key and value entries of other lengths", fia_list(), reshape("value.1", {1, 60, 2, 64}),
       E::kShape},
      {"another dtype", fia_list(), put("key.1", kBF16, {1, 63, 2, 64}), E::kDtype},
      {"fewer value entries", fia_list(), drop("value.1"), E::kShape},
      {"beyond the entry's own length", fia_list(), attribute("actual_seq_kvlen", {64, 64}),
       E::kAttr},
      {"one entry", fia_prompt(),
       [](Call& call) {
         for (const std::string name : {"key", "value"}) {
           auto node = call.tensors.extract(name);
           node.key() = name + ".0";
           call.tensors.insert(std::move(node));
         }
       },
       std::nullopt},
      {"paged", fia_paged_decode(), as_list({9, 2, 16, 64}), E::kAttr},
      {"TND", fia_tnd(), as_list({32, 2, 128}, kBF16), E::kAttr},
      {"D = 512", fia_mla512(), as_list({5, 128, 512}, kBF16), E::kAttr},
      {"fractals", fia_gqa_nz(), as_list({5, 1, 4, 128, 32}, kI8), E::kAttr},
      {"int8 key of several rows",
       with(fia_antiquant(kI8, 0), [](Recipe& r) { r.query = kBF16, r.query_rows = 4; }),
       as_list({1, 2, 64, 64}, kI8), E::kAttr},
  });
}

}  // namespace
}  // namespace davsim::test
