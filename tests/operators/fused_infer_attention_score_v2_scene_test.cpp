// The scene matrix of fused_infer_attention_score_v2, cell by cell: what a scene has is computed
// and compared with the reference, what it has not is refused with the class of its rule.
#include <gtest/gtest.h>

#include "isa/numeric/bfloat16.hpp"
#include "tests/operators/fused_infer_attention_score_v2_call.hpp"
#include "tests/operators/fused_infer_attention_score_v2_recipes.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using operators::Call;
using E = operators::ErrorClass;

/// One cell: allowed unless it has a class; `change` makes a call of what no recipe says.
struct Cell {
  const char* scene;
  Recipe recipe;
  std::optional<E> cls{};
  std::function<void(Call&)> change{};
};

void walk(const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    SCOPED_TRACE(cell.scene);
    Call call = fia_call(cell.recipe);
    if (cell.change) cell.change(call);
    if (cell.cls) {
      EXPECT_EQ(fia_class_name(refusal_of(fia(), call)), fia_class_name(cell.cls));
      EXPECT_EQ(fia_class_name(refusal_of(fia_on_host(), call)), fia_class_name(cell.cls));
    } else {
      fia_run_and_compare(call);
    }
  }
}

Recipe in(DType type, Recipe recipe) {
  recipe.query = type;
  return recipe;
}

TEST(FiaScenes, QueryDtype) {
  walk({
      {"prompt f16", fia_prompt(kF16)},
      {"prompt bf16", fia_prompt(kBF16)},
      {"prompt int8", fia_prompt(kI8), E::kDtype},
      {"decode f16", fia_decode(kF16)},
      {"decode bf16", fia_decode(kBF16)},
      {"decode int8", fia_decode(kI8), E::kDtype},
      {"MLA 512 f16", in(kF16, fia_mla512())},
      {"MLA 512 bf16", fia_mla512()},
      {"MLA 512 int8", fia_mla512_int8()},
      {"MLA 128 bf16", fia_mla128()},
      {"MLA 128 f16", in(kF16, fia_mla128()), E::kDtype},
      {"TND bf16", fia_tnd()},
      {"TND f16", in(kF16, fia_tnd()), E::kDtype},
      {"fractals bf16", fia_gqa_nz()},
      {"fractals f16", in(kF16, fia_gqa_nz()), E::kDtype},
  });
}

TEST(FiaScenes, KeyDtype) {
  const Recipe rows =
      with(fia_antiquant(kI8, 0), [](Recipe& r) { r.query = kBF16, r.query_rows = 5; });
  const auto kv = [](DType type) { return [type](Recipe& r) { r.kv = type; }; };
  walk({
      {"prompt int8", rows},
      {"prompt int8, 17 rows", with(rows, [](Recipe& r) { r.query_rows = 17; }), E::kAttr},
      {"prompt int4", with(rows, kv(kI4)), E::kDtype},
      {"decode int8", fia_antiquant(kI8, 0)},
      {"decode int4", fia_antiquant(kI4, 0)},
      {"decode, the other 16-bit type", with(fia_decode(), kv(kBF16)), E::kDtype},
      {"MLA 512, the other 16-bit type", with(fia_mla512(), kv(kF16)), E::kDtype},
      {"MLA 512 int8 key, caches of rows", with(fia_mla512(), kv(kI8)), E::kDtype},
      {"MLA 512 int8 key, fractals", with(fia_mla512(1, "NZ"), kv(kI8)), E::kUnsupported},
      {"MLA 512 int8, 16-bit key", with(fia_mla512_int8(), kv(kBF16)), E::kDtype},
      {"MLA 128 int8", with(fia_mla128(), kv(kI8)), E::kDtype},
      {"TND int8", with(fia_tnd(), kv(kI8)), E::kAttr},
      {"fractals 16-bit", with(fia_gqa_nz(), kv(kBF16)), E::kDtype},
  });
}

TEST(FiaScenes, Paging) {
  const auto unpaged = drop("block_table");
  const auto paging = both(put("block_table", DType::kI32, {2, 4}), attribute("block_size", 128));
  const Recipe rows =
      fia_paged(with(fia_antiquant(kI8, 0),
                     [](Recipe& r) { r.layout = "BSND", r.query = kBF16, r.query_rows = 5; }),
                "BnBsH", 128);
  const Recipe extended =
      with(rows, [](Recipe& r) { r.sparse_mode = 3, r.mask = "square", r.inner_precise = 1; });
  walk({
      {"prompt", fia_paged_prompt()},
      {"prompt, pages of whole rows",
       with(fia_paged_prompt(), [](Recipe& r) { r.layout = "BSH", r.cache = "BnBsH"; })},
      {"prompt int8", rows, E::kAttr},
      {"prompt int8, as the public kernel takes it", extended},
      {"decode", fia_paged_decode()},
      {"decode int8", fia_paged(fia_antiquant(kI8, 0), "BnNBsD", 32)},
      {"decode int4", fia_antiquant(kI4, 0), E::kDtype, paging},
      {"MLA 512", fia_mla512()},
      {"MLA 512, not paged", fia_mla512(), E::kNull, unpaged},
      {"MLA 512, fractals", fia_mla512(1, "NZ")},
      {"MLA 512 int8", fia_mla512_int8()},
      {"MLA 512 int8, caches of rows",
       with(fia_mla512_int8(), [](Recipe& r) { r.cache = "BnBsH"; }), E::kShape},
      {"MLA 128", fia_mla128(), E::kAttr, paging},
      {"TND", fia_tnd(), E::kAttr, paging},
      {"fractals", fia_gqa_nz()},
      {"fractals, not paged", fia_gqa_nz(), E::kNull, unpaged},
  });
}

TEST(FiaScenes, FullMask) {
  const auto full = [](Recipe recipe, std::int64_t mode) {
    recipe.mask = "full", recipe.sparse_mode = mode;
    return recipe;
  };
  const auto mask = put("atten_mask", DType::kBool, {1, 512});
  walk({
      {"prompt, mode 0", full(fia_prompt(), 0)},
      {"prompt, mode 0, a band",
       with(full(fia_prompt(), 0), [](Recipe& r) { r.pre = 6, r.next = 9; })},
      {"prompt, mode 1", full(fia_prompt(), 1)},
      {"prompt, paged", full(fia_paged_prompt(), 1)},
      {"decode, mode 0", full(fia_decode(), 0)},
      {"decode, mode 1", full(fia_decode(), 1)},
      {"decode, paged", full(fia_paged_decode(), 0)},
      {"MLA 512", fia_mla512(), E::kAttr, mask},
      {"MLA 512, several rows, mode 1", fia_mla512(3), E::kAttr, attribute("sparse_mode", 1)},
      {"MLA 512 int8", fia_mla512_int8(), E::kAttr, mask},
      {"MLA 128", fia_mla128(), E::kAttr, mask},
      {"TND", fia_tnd(), E::kAttr, mask},
      {"fractals", fia_gqa_nz(), E::kAttr, mask},
  });
}

TEST(FiaScenes, Modes2And4) {
  const auto square = put("atten_mask", DType::kBool, {2048, 2048});
  std::vector<Cell> cells = {
      {"prompt, mode 2", with(fia_causal(), [](Recipe& r) { r.sparse_mode = 2; })},
      {"prompt, mode 4", fia_band()},
      {"prompt, mode 4, negative next_tokens", with(fia_band(), [](Recipe& r) { r.next = -3; })},
      {"prompt, mode 4, negative pre_tokens",
       with(fia_band(), [](Recipe& r) { r.pre = -2, r.next = 9; })},
      {"decode, mode 2 ignored", with(fia_decode(), [](Recipe& r) { r.sparse_mode = 2; })},
      {"decode, mode 4 ignored",
       with(fia_decode(), [](Recipe& r) { r.sparse_mode = 4, r.pre = -7, r.next = -7; })},
  };
  for (const int mode : {2, 4}) {
    for (const Recipe& recipe :
         {fia_mla512(3), fia_mla512_int8(3), fia_mla128(), fia_tnd(), fia_gqa_nz(3)}) {
      cells.push_back(
          {"another scene", recipe, E::kAttr, both(square, attribute("sparse_mode", mode))});
    }
  }
  walk(cells);
}

TEST(FiaScenes, Mode3) {
  walk({
      {"prompt", fia_causal()},
      {"prompt, fewer key rows", with(fia_causal(),
                                      [](Recipe& r) {
                                        r.kv_lengths = {3, 20};
                                      })},
      {"decode, ignored", with(fia_decode(), [](Recipe& r) { r.sparse_mode = 3; })},
      {"MLA 512", fia_mla512(3)},
      {"MLA 512, one row", fia_mla512(), E::kAttr,
       both(put("atten_mask", DType::kBool, {2048, 2048}), attribute("sparse_mode", 3))},
      {"MLA 512 TND",
       with(fia_mla512_tnd(), [](Recipe& r) { r.sparse_mode = 3, r.mask = "square"; })},
      {"MLA 512 int8", fia_mla512_int8(2)},
      {"MLA 128", with(fia_tnd_causal(), [](Recipe& r) { r.rope = true; })},
      {"TND", fia_tnd_causal()},
      {"fractals", fia_gqa_nz(3)},
      {"fractals, one row", fia_gqa_nz(), E::kAttr,
       both(put("atten_mask", DType::kBool, {2048, 2048}), attribute("sparse_mode", 3))},
  });
}

TEST(FiaScenes, PseShift) {
  const auto pse = [](Recipe recipe) {
    recipe.pse = true;
    return recipe;
  };
  const auto given = put("pse_shift", kBF16, {1, 4, 24, 512});
  walk({
      {"prompt", pse(fia_prompt())},
      {"prompt, causal", pse(fia_causal())},
      {"prompt, paged", pse(fia_paged_prompt())},
      {"decode", pse(fia_decode())},
      {"decode, paged", pse(fia_paged_decode())},
      {"MLA 512", fia_mla512(), E::kAttr, given},
      {"MLA 512 int8", fia_mla512_int8(), E::kAttr, given},
      {"MLA 128", fia_mla128(), E::kAttr, given},
      {"TND", fia_tnd(), E::kAttr, given},
      {"fractals", fia_gqa_nz(), E::kAttr, given},
  });
}

TEST(FiaScenes, SoftmaxLse) {
  const auto lse = [](Recipe recipe) {
    recipe.lse = true;
    return recipe;
  };
  walk({
      {"prompt", lse(fia_prompt())},
      {"prompt, rows that see nothing", lse(with(fia_causal(),
                                                 [](Recipe& r) {
                                                   r.kv_lengths = {3, 0};
                                                 }))},
      {"prompt, shorter queries", lse(with(fia_prompt(),
                                           [](Recipe& r) {
                                             r.query_lengths = {0, 7};
                                           }))},
      {"decode", lse(fia_decode())},
      {"decode, paged", lse(fia_paged_decode())},
      {"decode int8", lse(fia_antiquant(kI8, 1))},
      {"MLA 512", lse(fia_mla512()), E::kAttr},
      {"MLA 512 int8", lse(fia_mla512_int8()), E::kAttr},
      {"MLA 128", lse(fia_mla128())},
      {"TND", lse(fia_tnd_causal())},
      {"NTD_TND", lse(with(fia_tnd(), [](Recipe& r) { r.layout = "NTD_TND"; }))},
      {"fractals", lse(fia_gqa_nz()), E::kAttr},
  });
}

TEST(FiaScenes, Int8Output) {
  const auto quant = [](Recipe recipe, const char* scale, bool offset) {
    recipe.out_quant = scale, recipe.out_offset = offset;
    return recipe;
  };
  walk({
      {"prompt, tensor", quant(fia_prompt(), "tensor", false)},
      {"prompt, tensor, offset", quant(fia_prompt(), "tensor", true)},
      {"prompt, channel", quant(fia_prompt(), "channel", false)},
      {"prompt, channel, offset", quant(fia_prompt(kBF16), "channel", true)},
      {"prompt, tensor, lse",
       with(quant(fia_prompt(), "tensor", true), [](Recipe& r) { r.lse = true; })},
      {"prompt, scale in bfloat16", quant(fia_prompt(kBF16), "tensor", false), std::nullopt,
       [](Call& call) {
         put("quant_scale_out", kBF16, {1})(call);
         call.tensors.at("quant_scale_out").as<isa::bfloat16_t>()[0] = isa::bfloat16_t(90.0f);
       }},
      {"decode, tensor", quant(fia_decode(), "tensor", true)},
      {"decode, channel", quant(fia_decode(), "channel", false)},
      {"decode int8", quant(fia_antiquant(kI8, 0), "channel", false)},
      {"decode int4", quant(fia_antiquant(kI4, 0), "tensor", false), E::kAttr},
      {"MLA 512", quant(fia_mla512(), "tensor", false), E::kAttr},
      {"MLA 512 int8", quant(fia_mla512_int8(), "tensor", false), E::kAttr},
      {"MLA 128", quant(fia_mla128(), "tensor", false), E::kAttr},
      {"TND", quant(fia_tnd(), "tensor", false), E::kAttr},
      {"fractals", quant(fia_gqa_nz(), "tensor", false), E::kAttr},
  });
}

TEST(FiaScenes, Groups) {
  const auto heads = [](Recipe recipe, std::int64_t query, std::int64_t kv) {
    recipe.heads = query, recipe.kv_heads = kv;
    return recipe;
  };
  walk({
      {"prompt, 64", heads(fia_prompt(), 64, 1)},
      {"prompt, 65", heads(fia_prompt(), 65, 1), E::kAttr},
      {"decode, 10", heads(fia_decode(), 10, 1)},
      {"decode, 64", heads(fia_decode(), 128, 2)},
      {"decode, 65", heads(fia_decode(), 65, 1), E::kAttr},
      {"MLA 512, 128", heads(fia_mla512(), 128, 1)},
      {"MLA 512, 1", heads(fia_mla512(), 1, 1)},
      {"MLA 512, two key heads", heads(fia_mla512(), 32, 2), E::kAttr},
      {"MLA 512 int8, 128", heads(fia_mla512_int8(), 128, 1)},
      {"MLA 128, 64", heads(fia_mla128(), 64, 1)},
      {"MLA 128, 65", heads(fia_mla128(), 65, 1), E::kAttr},
      {"TND, 64", heads(fia_tnd(), 64, 1)},
      {"TND, 65", heads(fia_tnd(), 65, 1), E::kAttr},
      {"fractals, 64 and 8", heads(fia_gqa_nz(), 64, 8)},
      {"fractals, 80 and 8", heads(fia_gqa_nz(), 80, 8)},
      {"fractals, 128 and 16", heads(fia_gqa_nz(), 128, 16)},
      {"fractals, 16 and 2", heads(fia_gqa_nz(), 16, 2), E::kAttr},
  });
}

TEST(FiaScenes, Lengths) {
  const auto query = [](Recipe recipe, std::vector<std::int64_t> lengths) {
    recipe.query_lengths = std::move(lengths);
    return recipe;
  };
  const auto kv = [](Recipe recipe, std::vector<std::int64_t> lengths) {
    recipe.kv_lengths = std::move(lengths);
    return recipe;
  };
  walk({
      {"prompt, query", query(fia_prompt(), {3, 20})},
      {"prompt, one for all", query(fia_prompt(), {13})},
      {"prompt, key", kv(fia_prompt(), {0, 31})},
      {"decode, query ignored", query(fia_decode(), {5, 0})},
      {"decode, key", kv(fia_decode(), {1, 17})},
      {"MLA 512, query", query(fia_mla512(2), {1, 2}), E::kAttr},
      {"MLA 512, key", kv(fia_mla512(), {1, 129})},
      {"MLA 512 TND", query(fia_mla512_tnd(), {0, 3})},
      {"MLA 512 int8, key", kv(fia_mla512_int8(), {128, 7})},
      {"MLA 128", query(kv(fia_mla128(), {0, 32}), {0, 24})},
      {"TND", query(kv(fia_tnd(), {32, 32}), {24, 24})},
      {"fractals, query", query(fia_gqa_nz(2), {1, 2}), E::kAttr},
      {"fractals, key", kv(fia_gqa_nz(), {128, 1})},
  });
}

TEST(FiaScenes, Layouts) {
  const auto layout = [](Recipe recipe, const char* name) {
    recipe.layout = name;
    return recipe;
  };
  std::vector<Cell> cells;
  for (const char* name : {"BSH", "BSND", "BNSD", "BNSD_BSND"}) {
    cells.push_back({name, layout(fia_prompt(), name)});
    if (std::string(name) != "BNSD_BSND") cells.push_back({name, layout(fia_decode(), name)});
  }
  for (const char* name : {"BSH", "BSND", "BSH_NBSD", "BSND_NBSD"}) {
    cells.push_back({name, layout(fia_mla512(3), name)});
    cells.push_back({name, layout(fia_mla512(1, "NZ"), name)});
  }
  for (const char* name : {"BNSD", "BNSD_NBSD"}) {
    cells.push_back({name, layout(fia_mla512(3, "BnNBsD"), name)});
  }
  for (const char* name : {"TND", "TND_NTD"}) {
    cells.push_back({name, layout(fia_mla512_tnd(), name)});
  }
  for (const char* name : {"TND", "NTD_TND"}) {
    cells.push_back({name, layout(fia_mla128(), name)});
    cells.push_back({name, layout(fia_tnd(192), name)});
  }
  for (const char* name : {"BSH", "BSND", "BNSD"}) {
    cells.push_back({name, layout(fia_gqa_nz(3), name)});
  }
  cells.push_back({"TND, value 192 wide",
                   with(fia_tnd(192), [](Recipe& r) { r.value_width = 192, r.kv_heads = 4; })});
  walk(cells);
}

TEST(FiaScenes, AntiquantModes) {
  std::vector<Cell> cells;
  for (const bool offsets : {false, true}) {
    const auto add = [&](Recipe recipe) {
      recipe.offsets = offsets;
      cells.push_back({"a quant mode", recipe});
    };
    for (const std::int64_t mode : {0, 1, 2, 3}) add(fia_antiquant(kI8, mode));
    for (const std::int64_t mode : {0, 1, 3}) add(fia_antiquant(kI4, mode));
    for (const std::int64_t mode : {0, 1, 2, 3, 4, 5}) {
      add(fia_paged(fia_antiquant(kI8, mode), "BnNBsD", 32));
    }
    add(with(fia_antiquant(kI8, 0), [](Recipe& r) { r.per_tensor = true; }));
    for (const DType kv : {kI8, kI4}) {
      add(with(fia_antiquant(kv, 0), [](Recipe& r) { r.value_mode = 1; }));
    }
    for (const std::int64_t mode : {0, 1}) {
      add(with(fia_antiquant(kI8, mode), [](Recipe& r) { r.query = kBF16, r.query_rows = 16; }));
    }
  }
  for (const std::int64_t mode : {0, 1}) {
    for (const char* name : {"BSH", "BSND", "BNSD"}) {
      cells.push_back({"fractals", with(fia_gqa_nz(), [&](Recipe& r) {
                         r.layout = name, r.key_mode = r.value_mode = mode;
                       })});
    }
  }
  walk(cells);
}

TEST(FiaScenes, TensorLists) {
  walk({
      {"BSND", fia_list()},
      {"BSH", with(fia_list(), [](Recipe& r) { r.layout = "BSH"; })},
      {"BNSD, one head", with(fia_list(), [](Recipe& r) { r.layout = "BNSD"; })},
      {"prompt", with(fia_list(), [](Recipe& r) { r.query_rows = 9; })},
      {"with lengths", with(fia_list(),
                            [](Recipe& r) {
                              r.kv_lengths = {9, 63};
                            })},
  });
}

}  // namespace
}  // namespace davsim::test
