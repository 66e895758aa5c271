// What the host tells the kernel: shared by both, plain integers and addresses.
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul_tiling.h"

struct SparseFlashAttentionTiling {
  uint32_t tokens, steps;  ///< steps: query tokens of a batch
  uint32_t selected;       ///< topk
  uint32_t blocks;         ///< of a row of the block table
  uint32_t columns;        ///< scores of a row: the most keys of a token, padded
  uint32_t group;          ///< tokens that go through the stages together
  uint32_t quantised;
  float scale;
  MatmulTiling scores;  ///< queries x keys^T of a group, a batch a token
  MatmulTiling values;  ///< weights x keys of a group
};

struct SparseFlashAttentionBuffers {
  uint8_t *query_nope, *query_rope, *key_nope, *key_rope, *key_scales;
  uint8_t *topk_indices, *block_table, *lengths, *attention_out;
  uint8_t* queries;  ///< workspace: bf16 [kSparseGroups, group, 128, 576]
  uint8_t* keys;     ///< workspace: bf16 [kSparseGroups, group, columns, 576]
  uint8_t* scores;   ///< workspace: fp32 [kSparseGroups, group, 128, columns]
  uint8_t* weights;  ///< workspace: bf16 [kSparseGroups, group, 128, columns]
};

/// Groups in flight: one is gathered, one has its softmax, one is multiplied with its values.
inline constexpr uint32_t kSparseGroups = 3;
