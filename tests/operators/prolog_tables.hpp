// The tensor tables of the DeepSeek prologs, for `t` tokens and `pages` pages.
#pragma once

#include <string>

#include "tests/operators/rule_walk.hpp"

namespace davsim::test {

inline Table mla_table(std::int64_t t, std::int64_t pages, const std::string& prefix = "",
                       const std::string& shared = "") {
  using isa::DType;
  constexpr DType kBF = DType::kBF16, kF = DType::kF32, kI = DType::kI8;
  return {{shared + "token_x", kBF, {t, 7168}},
          {prefix + "w_dq", kBF, {7168, 1536}},
          {prefix + "w_uq_qr", kI, {1536, 24576}},
          {prefix + "dequant_scale", kF, {24576, 1}},
          {prefix + "w_uk", kBF, {128, 128, 512}},
          {prefix + "w_dkv_kr", kBF, {7168, 576}},
          {prefix + "gamma_cq", kBF, {1536}},
          {prefix + "gamma_ckv", kBF, {512}},
          {shared + "cos", kBF, {t, 64}},
          {shared + "sin", kBF, {t, 64}},
          {shared + "cache_index", DType::kI64, {t}},
          {prefix + "kv_cache", kI, {pages, 128, 1, 512}},
          {prefix + "kr_cache", kBF, {pages, 128, 1, 64}},
          {prefix + "k_scale_cache", kF, {pages, 128, 1, 4}}};
}

/// Without the tensors that the fused operator shares or makes itself.
inline Table indexer_weights(std::int64_t pages, const std::string& prefix = "") {
  using isa::DType;
  constexpr DType kBF = DType::kBF16, kI = DType::kI8;
  return {{prefix + "w_qb_in", kI, {1536, 8192}},
          {prefix + "w_qb_scale_in", DType::kF32, {8192, 1}},
          {prefix + "wk_in", kBF, {7168, 128}},
          {prefix + "w_proj_in", kBF, {7168, 64}},
          {prefix + "ln_gamma_k", kBF, {128}},
          {prefix + "ln_beta_k", kBF, {128}},
          {prefix + "hadamard_q", kBF, {128, 128}},
          {prefix + "hadamard_k", kBF, {128, 128}},
          {prefix + "k_int8", kI, {pages, 128, 1, 128}},
          {prefix + "k_scale", DType::kF16, {pages, 128, 1, 1}}};
}

inline Table indexer_table(std::int64_t t, std::int64_t pages) {
  using isa::DType;
  constexpr DType kBF = DType::kBF16;
  Table table = {{"x_in", kBF, {t, 7168}},
                 {"q_norm_in", DType::kI8, {t, 1536}},
                 {"q_norm_scale_in", DType::kF32, {t, 1}},
                 {"cos_idx_rope", kBF, {t, 64}},
                 {"sin_idx_rope", kBF, {t, 64}},
                 {"k_cache_index", DType::kI64, {t}}};
  for (TableRow& row : indexer_weights(pages)) table.push_back(std::move(row));
  return table;
}

inline Table fused_table(std::int64_t t, std::int64_t pages) {
  Table table = mla_table(t, pages, "mla_");
  for (TableRow& row : indexer_weights(pages, "ip_")) table.push_back(std::move(row));
  return table;
}

}  // namespace davsim::test
