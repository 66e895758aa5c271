// The cube cores' side of the prologs: all products, each on the cores that the tiling assigns to
// it.
//
//   stage                   MLA                 indexer
//   down                    x * w_dq
//   keys                    x * w_dkv_kr        x * (wk | w_proj)
//   raise, round by round   q_norm * w_uq_qr    q_norm * w_qb
//   mix, round by round     queries * w_uk      queries * hadamard_q; first keys * hadamard_k
//
// The vector cores compute the factors of a stage from the results of the stage before.
#pragma once

#include "kernels/matmul/product.h"
#include "kernels/prolog/head_round.h"

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

/// The columns of a round: where they begin in factor B and in a row of the int32 sums. In factor
/// B, the fractals of all rows of a column follow each other.
__aicore__ inline void RaiseRound(const PrologProduct& product, const HeadRound& round,
                                  GM_ADDR q_norm, GM_ADDR weights, GM_ADDR sums) {
  const uint64_t column = static_cast<uint64_t>(round.index) * product.tiling.n;
  Multiply<int8_t, int32_t, int32_t>(product, q_norm, weights + column * product.tiling.k,
                                     sums + column * sizeof(int32_t));
}

__aicore__ inline void Down(const MlaBuffers& mla, const PrologTiling& tiling) {
  Multiply<bfloat16_t, float, bfloat16_t>(tiling.dq, mla.token_x, mla.w_dq, mla.query_latent);
}

__aicore__ inline void Keys(const MlaBuffers& mla, const PrologTiling& tiling) {
  Multiply<bfloat16_t, float, bfloat16_t>(tiling.dkv, mla.token_x, mla.w_dkv_kr, mla.key);
}
__aicore__ inline void Keys(const IndexerBuffers& indexer, const PrologTiling& tiling) {
  Multiply<bfloat16_t, float, float>(tiling.k, indexer.x, indexer.w_key, indexer.key);
}

__aicore__ inline void Raise(const MlaBuffers& mla, const PrologTiling& tiling,
                             const HeadRound& round) {
  RaiseRound(tiling.uq[round.index], round, mla.q_norm, mla.w_uq_qr, mla.query_sums);
}
__aicore__ inline void Raise(const IndexerBuffers& indexer, const PrologTiling& tiling,
                             const HeadRound& round) {
  RaiseRound(tiling.qb[round.index], round, indexer.q_norm, indexer.w_qb, indexer.query_sums);
}

__aicore__ inline void Mix(const MlaBuffers& mla, const PrologTiling& tiling,
                           const HeadRound& round) {
  const MatmulTiling& product = tiling.uk.tiling;  // one batch for each head
  const uint64_t head = static_cast<uint64_t>(round.index) * product.batches;
  Multiply<bfloat16_t, float, bfloat16_t>(
      tiling.uk, mla.query_parts + head * product.a.batch_distance * sizeof(bfloat16_t),
      mla.w_uk + head * product.b.batch_distance * sizeof(bfloat16_t),
      mla.query_nope + head * product.c_batch_distance * sizeof(bfloat16_t));
}
__aicore__ inline void Mix(const IndexerBuffers& indexer, const PrologTiling& tiling,
                           const HeadRound& round) {
  if (round.index == 0) {
    Multiply<bfloat16_t, float, bfloat16_t>(tiling.had_k, indexer.rotated_key, indexer.hadamard_k,
                                            indexer.mixed_key);
  }
  const MatmulTiling& product = tiling.had_q.tiling;
  const uint64_t element = static_cast<uint64_t>(round.index) * product.m * product.k;
  Multiply<bfloat16_t, float, bfloat16_t>(
      tiling.had_q, indexer.rotated_query + element * sizeof(bfloat16_t), indexer.hadamard_q,
      indexer.mixed_query + element * sizeof(bfloat16_t));
}

}  // namespace kernel_prolog
