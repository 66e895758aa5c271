// The rules of sparse_flash_attention_quant, in the order of its page.
#include <algorithm>
#include <cmath>

#include "kernels/common/arithmetic.hpp"
#include "kernels/common/require.hpp"
#include "kernels/registry/attributes.hpp"
#include "kernels/sparse_flash_attention_quant/problem.hpp"

namespace davsim::operators::sparse_flash_attention {
namespace {

using isa::DType;

bool quantised(const Call& call) {
  return tensor_of(call, "key_nope_2d").dtype() == DType::kI8;
}

void validate_presence(const Call& call) {
  if (quantised(call)) tensor_of(call, "k_nope_scales");
}

void validate_ranks(const Call& call) {
  for (const char* name :
       {"query_nope", "query_rope", "key_nope_2d", "key_rope_2d", "topk_indices", "block_table"}) {
    require_rank(call, name, {2});
  }
  if (quantised(call)) require_rank(call, "k_nope_scales", {2});
  require_rank(call, "kv_act_seqs", {1});
}

void validate_query_shapes(const Call& call) {
  const Shape& query = tensor_of(call, "query_nope").shape();
  require(query[0] >= kHeads && query[0] % kHeads == 0 && query[1] == kLatent, ErrorClass::kShape,
          "the shape of query_nope is [t*128, 512], t at least 1", "found " + to_string(query));
  require_shape(call, "query_rope", {query[0], kRope}, "[t*128, 64]");
  const std::int64_t tokens = query[0] / kHeads;
  require_shape(call, "topk_indices", {tokens, kMostSelected}, "[t, 2048]");
  const std::int64_t batches = tensor_of(call, "block_table").shape()[0];
  require(batches >= 1 && tokens % batches == 0, ErrorClass::kShape,
          "t is a multiple of b, the first dimension of block_table",
          "t is " + std::to_string(tokens) + ", b is " + std::to_string(batches));
  require_shape(call, "kv_act_seqs", {batches}, "[b]");
}

void validate_key_shapes(const Call& call) {
  const Shape& key = tensor_of(call, "key_nope_2d").shape();
  require(key[0] >= kPage && key[0] % kPage == 0 && key[1] == kLatent, ErrorClass::kShape,
          "the shape of key_nope_2d is [block_num*128, 512], block_num at least 1",
          "found " + to_string(key));
  require_shape(call, "key_rope_2d", {key[0], kRope}, "[block_num*128, 64]");
  if (quantised(call)) {
    require_shape(call, "k_nope_scales", {key[0], kGroups}, "[block_num*128, 4]");
  }
}

void require_value(const Call& call, const char* name, std::int64_t value) {
  const std::int64_t found = int_attribute(call, name);
  require(found == value, ErrorClass::kAttr, std::string(name) + " is " + std::to_string(value),
          "found " + std::to_string(found));
}

void validate_attributes(const Call& call) {
  require_value(call, "nq", kHeads);
  require_value(call, "n_kv", 1);
  require_value(call, "block_size", kPage);
  const std::int64_t topk = int_attribute(call, "topk");
  require(topk >= 1 && topk <= kMostSelected, ErrorClass::kAttr, "topk is 1 to 2048",
          "found " + std::to_string(topk));
  if (has_attribute(call, "max_blocknum_perbatch")) {
    require_value(call, "max_blocknum_perbatch", tensor_of(call, "block_table").shape()[1]);
  }
}

void validate_lengths(const Call& call) {
  const Tensor& lengths = tensor_of(call, "kv_act_seqs");
  const std::int64_t blocks = tensor_of(call, "block_table").shape()[1];
  for (std::int64_t b = 0; b < lengths.elements(); ++b) {
    const std::int64_t length = lengths.as<std::int32_t>()[b];
    const std::string found = "kv_act_seqs[" + std::to_string(b) + "] is " + std::to_string(length);
    require(length >= 0, ErrorClass::kIndex, "no entry of kv_act_seqs is negative", found);
    require(ceil_div(length, kPage) <= blocks, ErrorClass::kShape,
            "block_table has a column for each page of every batch",
            found + ", block_table has " + std::to_string(blocks) + " columns");
  }
}

/// The entries that token `token` uses.
void validate_indices_of(const Call& call, const Problem& p, std::int64_t token) {
  const std::int64_t batch = token / p.steps;
  const std::int64_t length = tensor_of(call, "kv_act_seqs").as<std::int32_t>()[batch];
  const auto* positions =
      tensor_of(call, "topk_indices").as<std::int32_t>() + token * kMostSelected;
  const auto* pages = tensor_of(call, "block_table").as<std::int32_t>() + batch * p.blocks;
  const std::int64_t used = used_entries(p, length, token % p.steps);
  for (std::int64_t i = 0; i < used; ++i) {
    const std::int64_t position = positions[i];
    const auto where = [&] {
      return "topk_indices[" + std::to_string(token) + "][" + std::to_string(i) + "] is " +
             std::to_string(position);
    };
    if (position < 0 || position >= length) {
      require(
          false, ErrorClass::kIndex,
          "the entries of topk_indices that are used are positions "
          "of their batch",
          where() + ", kv_act_seqs[" + std::to_string(batch) + "] is " + std::to_string(length));
    }
    const std::int64_t page = pages[position / kPage];
    if (page < 0 || page >= p.key_rows / kPage) {
      require(false, ErrorClass::kIndex, "the entries of block_table that are used are pages",
              where() + ", its page is " + std::to_string(page) + " of " +
                  std::to_string(p.key_rows / kPage));
    }
  }
}

}  // namespace

Problem problem_of(const Call& call) {
  Problem p;
  p.batches = tensor_of(call, "block_table").shape()[0];
  p.steps = tensor_of(call, "query_nope").shape()[0] / kHeads / p.batches;
  p.selected = int_attribute(call, "topk");
  p.blocks = tensor_of(call, "block_table").shape()[1];
  p.key_rows = tensor_of(call, "key_nope_2d").shape()[0];
  p.quantised = quantised(call);
  p.scale = float_attribute(call, "softmax_scale");
  return p;
}

std::int64_t used_entries(const Problem& problem, std::int64_t length, std::int64_t step) {
  const std::int64_t visible = std::max<std::int64_t>(0, length - problem.steps + 1 + step);
  return std::min(visible, problem.selected);
}

void validate(const Call& call) {
  validate_presence(call);
  validate_ranks(call);
  validate_query_shapes(call);
  validate_key_shapes(call);
  validate_attributes(call);
  validate_lengths(call);
  const Problem problem = problem_of(call);
  for (std::int64_t token = 0; token < problem.tokens(); ++token) {
    validate_indices_of(call, problem, token);
  }
}

}  // namespace davsim::operators::sparse_flash_attention
