// A small legal call of each scene of fused_infer_attention_score_v2.
#pragma once

#include "kernels/fused_infer_attention_score_v2/recipe.hpp"

namespace davsim::test {

using operators::fused_infer_attention_score::Recipe;

inline constexpr isa::DType kF16 = isa::DType::kF16, kBF16 = isa::DType::kBF16;
inline constexpr isa::DType kI8 = isa::DType::kI8, kI4 = isa::DType::kI4, kF32 = isa::DType::kF32;

inline Recipe fia_prompt(isa::DType type = isa::DType::kF16) {
  return {.batch = 2, .query_rows = 20, .kv_rows = 32, .heads = 4, .kv_heads = 2, .query = type};
}
inline Recipe fia_causal() {
  Recipe recipe = fia_prompt();
  recipe.sparse_mode = 3, recipe.mask = "square";
  return recipe;
}
inline Recipe fia_band() {
  Recipe recipe = fia_causal();
  recipe.sparse_mode = 4, recipe.pre = 8, recipe.next = 2;
  return recipe;
}
inline Recipe fia_decode(isa::DType type = isa::DType::kF16) {
  return {.batch = 2, .query_rows = 1, .kv_rows = 64, .heads = 4, .kv_heads = 2, .query = type};
}
/// A key of int8 or int4 with the quant modes of key and value.
inline Recipe fia_antiquant(isa::DType kv, std::int64_t mode) {
  Recipe recipe = fia_decode();
  recipe.kv = kv, recipe.key_mode = recipe.value_mode = mode;
  return recipe;
}
inline Recipe fia_paged(Recipe recipe, const char* cache, std::int64_t page_rows) {
  recipe.cache = cache, recipe.page_rows = page_rows;
  recipe.kv_lengths.assign(static_cast<std::size_t>(recipe.batch), recipe.kv_rows);
  recipe.kv_lengths[0] = recipe.kv_rows / 2 + 1;
  return recipe;
}
inline Recipe fia_paged_decode() {
  return fia_paged(fia_decode(), "BnNBsD", 16);
}
inline Recipe fia_paged_prompt() {
  Recipe recipe = fia_prompt();
  recipe.kv_rows = 200;
  return fia_paged(recipe, "BnNBsD", 128);
}
inline Recipe fia_tnd(std::int64_t width = 128) {
  return {.layout = "TND",
          .query_rows = 24,
          .kv_rows = 32,
          .heads = 4,
          .kv_heads = 2,
          .width = width,
          .value_width = 128,
          .query = isa::DType::kBF16,
          .query_lengths = {10, 24},
          .kv_lengths = {12, 32}};
}
inline Recipe fia_tnd_causal() {
  Recipe recipe = fia_tnd();
  recipe.sparse_mode = 3, recipe.mask = "square";
  return recipe;
}
inline Recipe fia_mla128() {
  Recipe recipe = fia_tnd();
  recipe.rope = true;
  return recipe;
}
/// MLA decode with one query row, or with more and the causal mask.
inline Recipe fia_mla512(std::int64_t query_rows = 1, const char* cache = "BnBsH") {
  Recipe recipe = {.layout = "BSND",
                   .batch = 2,
                   .query_rows = query_rows,
                   .kv_rows = 140,
                   .heads = 32,
                   .kv_heads = 1,
                   .width = 512,
                   .query = isa::DType::kBF16,
                   .rope = true};
  if (query_rows > 1) recipe.sparse_mode = 3, recipe.mask = "square";
  return fia_paged(recipe, cache, 128);
}
inline Recipe fia_mla512_int8(std::int64_t query_rows = 1) {
  Recipe recipe = fia_mla512(query_rows, "NZ");
  recipe.query = isa::DType::kI8;
  return recipe;
}
inline Recipe fia_mla512_tnd() {
  Recipe recipe = fia_mla512();
  recipe.layout = "TND", recipe.query_rows = 3, recipe.query_lengths = {1, 3};
  return recipe;
}
inline Recipe fia_gqa_nz(std::int64_t query_rows = 1) {
  Recipe recipe = {.layout = "BSND",
                   .batch = 2,
                   .query_rows = query_rows,
                   .kv_rows = 140,
                   .heads = 10,
                   .kv_heads = 1,
                   .width = 128,
                   .query = isa::DType::kBF16,
                   .kv = isa::DType::kI8,
                   .inner_precise = 1};
  if (query_rows > 1) recipe.sparse_mode = 3, recipe.mask = "square";
  return fia_paged(recipe, "NZ", 128);
}
inline Recipe fia_list() {
  Recipe recipe = fia_decode();
  recipe.layout = "BSND", recipe.list = true;
  return recipe;
}

}  // namespace davsim::test
