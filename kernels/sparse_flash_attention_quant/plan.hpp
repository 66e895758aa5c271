// How a call is cut into groups of tokens, and the products of a group into tiles.
#pragma once

#include "kernels/sparse_flash_attention_quant/problem.hpp"
#include "kernels/sparse_flash_attention_quant/sparse_flash_attention_tiling.h"
#include "sim/soc_config.hpp"

namespace davsim::ops::sparse_flash_attention {

/// `most_used`: the most entries that a token uses.
SparseFlashAttentionTiling plan(const Problem& problem, std::int64_t most_used,
                                const sim::SocConfig& soc);

}  // namespace davsim::ops::sparse_flash_attention
