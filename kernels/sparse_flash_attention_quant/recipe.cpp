#include "kernels/sparse_flash_attention_quant/recipe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/common/arithmetic.hpp"
#include "kernels/sparse_flash_attention_quant/problem.hpp"

namespace davsim::operators::sparse_flash_attention {
namespace {

using isa::DType;

std::int64_t pages_of(std::int64_t length) {
  return ceil_div(length, kPage);
}

/// Pages in no order, a spare one between the batches; columns behind a batch's pages are -1.
Tensor page_table(SeededData& data, const Recipe& recipe, std::int64_t blocks, std::int64_t pages) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(pages));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i],
              order[static_cast<std::size_t>(data.integer(0, static_cast<std::int64_t>(i)))]);
  }
  const auto batches = static_cast<std::int64_t>(recipe.lengths.size());
  Tensor table = data.integers(DType::kI32, {batches, blocks}, "block_table", -1, -1);
  std::size_t next = 0;
  for (std::int64_t b = 0; b < batches; ++b) {
    for (std::int64_t i = 0; i < pages_of(recipe.lengths[static_cast<std::size_t>(b)]); ++i) {
      table.as<std::int32_t>()[b * blocks + i] = order[next++];
    }
  }
  return table;
}

/// Different positions for each token, in no order; garbage behind those that are used.
Tensor selection(SeededData& data, const Recipe& recipe) {
  const auto batches = static_cast<std::int64_t>(recipe.lengths.size());
  const std::int64_t tokens = batches * recipe.steps;
  Tensor indices =
      data.integers(DType::kI32, {tokens, kMostSelected}, "topk_indices", -1000, 1 << 30);
  Problem problem;
  problem.steps = recipe.steps;
  problem.selected = recipe.topk;
  for (std::int64_t token = 0; token < tokens; ++token) {
    const std::int64_t length = recipe.lengths[static_cast<std::size_t>(token / recipe.steps)];
    const std::int64_t visible =
        std::max<std::int64_t>(0, length - recipe.steps + 1 + token % recipe.steps);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(visible));
    std::iota(positions.begin(), positions.end(), 0);
    for (std::int64_t i = 0; i < used_entries(problem, length, token % recipe.steps); ++i) {
      std::swap(positions[static_cast<std::size_t>(i)],
                positions[static_cast<std::size_t>(data.integer(i, visible - 1))]);
      indices.as<std::int32_t>()[token * kMostSelected + i] =
          positions[static_cast<std::size_t>(i)];
    }
  }
  return indices;
}

}  // namespace

Call make_call(SeededData& data, const Recipe& recipe) {
  const auto batches = static_cast<std::int64_t>(recipe.lengths.size());
  const std::int64_t tokens = batches * recipe.steps;
  std::int64_t blocks = 1, pages = 1;
  for (const std::int64_t length : recipe.lengths) {
    blocks = std::max(blocks, pages_of(length));
    pages += pages_of(length);
  }
  const std::int64_t rows = pages * kPage;
  Call call;
  const auto add = [&](const std::string& name, Tensor tensor) {
    call.tensors.emplace(name, std::move(tensor));
  };
  add("query_nope", data.reals(DType::kBF16, {tokens * kHeads, kLatent}, "query_nope"));
  add("query_rope", data.reals(DType::kBF16, {tokens * kHeads, kRope}, "query_rope"));
  if (recipe.quantised) {
    add("key_nope_2d", data.integers(DType::kI8, {rows, kLatent}, "key_nope_2d", -127, 127));
    add("k_nope_scales", data.reals(DType::kF32, {rows, kGroups}, "k_nope_scales", 0.004, 0.012));
  } else {
    add("key_nope_2d", data.reals(DType::kBF16, {rows, kLatent}, "key_nope_2d"));
  }
  add("key_rope_2d", data.reals(DType::kBF16, {rows, kRope}, "key_rope_2d"));
  add("topk_indices", selection(data, recipe));
  add("block_table", page_table(data, recipe, blocks, pages));
  Tensor lengths = data.zeros(DType::kI32, {batches}, "kv_act_seqs");
  for (std::int64_t b = 0; b < batches; ++b) {
    lengths.as<std::int32_t>()[b] =
        static_cast<std::int32_t>(recipe.lengths[static_cast<std::size_t>(b)]);
  }
  add("kv_act_seqs", lengths);
  call.attributes["softmax_scale"] = 1 / std::sqrt(576.0);
  call.attributes["topk"] = recipe.topk;
  return call;
}

}  // namespace davsim::operators::sparse_flash_attention
