// The cube cores' side of the prologs: every product of every stage, each on the cores that the
// tiling gives it.
//
//   stage       MLA                            indexer
//   project     x * w_dq, x * w_dkv_kr         x * (wk | w_proj); alone: q_norm * w_qb
//   raise       q_norm * w_uq_qr               fused: q_norm * w_qb
//   mix         queries * w_uk                 queries * hadamard_q, keys * hadamard_k
//
// The vector cores turn the results of one stage into the factors of the next.
#pragma once

#include "kernels/common/stage_sync.h"
#include "kernels/matmul/product.h"
#include "kernels/prolog/prolog_tiling.h"

namespace kernel_prolog {

template <typename TIn, typename TAcc, typename TOut>
__aicore__ inline void Multiply(const PrologProduct& product, GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  if (core < product.first_core || core >= product.first_core + product.cores) return;
  kernel_matmul::Product<TIn, TAcc, TOut> mine(product.tiling, core - product.first_core,
                                               product.cores);
  mine.Init(a, b, nullptr, c);
  mine.Process();
}

__aicore__ inline void Project(const MlaBuffers& mla, const PrologTiling& tiling) {
  Multiply<bfloat16_t, float, bfloat16_t>(tiling.dq, mla.token_x, mla.w_dq, mla.query_latent);
  Multiply<bfloat16_t, float, bfloat16_t>(tiling.dkv, mla.token_x, mla.w_dkv_kr, mla.key);
}
__aicore__ inline void Project(const IndexerBuffers& indexer, const PrologTiling& tiling) {
  Multiply<bfloat16_t, float, float>(tiling.k, indexer.x, indexer.w_key, indexer.key);
}

__aicore__ inline void Raise(const MlaBuffers& mla, const PrologTiling& tiling) {
  Multiply<int8_t, int32_t, int32_t>(tiling.uq, mla.q_norm, mla.w_uq_qr, mla.query_sums);
}
__aicore__ inline void Raise(const IndexerBuffers& indexer, const PrologTiling& tiling) {
  Multiply<int8_t, int32_t, int32_t>(tiling.qb, indexer.q_norm, indexer.w_qb, indexer.query_sums);
}

__aicore__ inline void Mix(const MlaBuffers& mla, const PrologTiling& tiling) {
  Multiply<bfloat16_t, float, bfloat16_t>(tiling.uk, mla.query_parts, mla.w_uk, mla.query_nope);
}
__aicore__ inline void Mix(const IndexerBuffers& indexer, const PrologTiling& tiling) {
  Multiply<bfloat16_t, float, bfloat16_t>(tiling.had_k, indexer.rotated_key, indexer.hadamard_k,
                                          indexer.mixed_key);
  Multiply<bfloat16_t, float, bfloat16_t>(tiling.had_q, indexer.rotated_query, indexer.hadamard_q,
                                          indexer.mixed_query);
}

}  // namespace kernel_prolog
