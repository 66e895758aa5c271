// The tiling that the host passes to the prolog kernels. Both include this file. It has plain
// integers and addresses only.
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul_tiling.h"

/// A product and its cube cores. cores == 0: the operator does not have this product.
struct PrologProduct {
  MatmulTiling tiling;
  uint32_t first_core, cores;
};

/// The heads of the queries are processed in rounds. The cube cores raise those of one round while
/// the vector cores process those of another.
inline constexpr uint32_t kPrologRounds = 2;

struct PrologTiling {
  uint32_t tokens;
  float epsilon_cq, epsilon_ckv, epsilon_k;
  PrologProduct dq, dkv;            ///< of the MLA half
  PrologProduct uq[kPrologRounds];  ///< round by round
  PrologProduct uk;                 ///< of a round
  PrologProduct k, had_k;           ///< of the indexer half
  PrologProduct qb[kPrologRounds];  ///< round by round
  PrologProduct had_q;              ///< of a round
};

/// Tensors and workspaces of the MLA half in global memory.
struct MlaBuffers {
  uint8_t *token_x, *w_dq, *w_uq_qr, *dequant_scale, *w_uk, *w_dkv_kr;
  uint8_t *gamma_cq, *gamma_ckv, *cos, *sin, *cache_index;
  uint8_t *kv_cache, *kr_cache, *k_scale_cache;
  uint8_t *q_norm, *q_norm_scale, *query_nope, *query_rope;
  uint8_t* query_latent;  ///< workspace: bf16 [t, 1536], before its norm
  uint8_t* key;           ///< workspace: bf16 [t, 576], latent and rope key
  uint8_t* query_sums;    ///< workspace: int32 [t, 128 * 192]
  uint8_t* query_parts;   ///< workspace: bf16 [t, 128, 128], the part of the queries without rope
};

/// Tensors and workspaces of the indexer half.
struct IndexerBuffers {
  uint8_t *x, *q_norm, *q_norm_scale, *w_qb, *w_qb_scale;
  uint8_t* w_key;  ///< wk and w_proj side by side, in fractals: [7168, 128 + 64]
  uint8_t *ln_gamma, *ln_beta, *cos, *sin, *hadamard_q, *hadamard_k, *cache_index;
  uint8_t *k_int8, *k_scale;
  uint8_t *q_int8, *q_scale, *weights;
  uint8_t* query_sums;     ///< workspace: int32 [t, 64 * 128]
  uint8_t* rotated_query;  ///< workspace: bf16 [rounds, t * heads of a round, 128]
  uint8_t* mixed_query;    ///< workspace: the same after hadamard_q
  uint8_t* key;            ///< workspace: fp32 [t, 128 + 64], keys and head weights
  uint8_t* rotated_key;    ///< workspace: bf16 [t, 128]
  uint8_t* mixed_key;      ///< workspace: bf16 [t, 128], after hadamard_k
};
