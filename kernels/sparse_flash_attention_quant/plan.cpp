#include "kernels/sparse_flash_attention_quant/plan.hpp"

#include <algorithm>

#include "kernels/common/arithmetic.hpp"
#include "kernels/matmul/tiling.hpp"

namespace davsim::ops::sparse_flash_attention {
namespace {

using isa::DType;

/// Columns of scores for `used` keys: rows that RowSums can fold.
std::int64_t padded_columns(std::int64_t used) {
  constexpr std::int64_t kFine = 64, kCoarse = 512;
  const std::int64_t unit = used <= kCoarse ? kFine : kCoarse;
  return std::max(kFine, round_up(used, unit));
}

/// A group's products, a batch a token.
matmul::Problem product_of(std::int64_t tokens, std::int64_t n, std::int64_t k) {
  matmul::Problem p;
  p.batches = tokens;
  p.m = p.a.rows = kHeads;
  p.n = n;
  p.k = p.a.cols = k;
  p.a.batch_distance = kHeads * k;
  p.c_batch_distance = kHeads * n;
  p.input = p.output = DType::kBF16;
  p.b.cols = kLatent + kRope;  // keys lie in rows of both parts
  return p;
}

}  // namespace

SparseFlashAttentionTiling plan(const Problem& problem, std::int64_t most_used,
                                const sim::SocConfig& soc) {
  const matmul::Machine machine = matmul::Machine::of(soc);
  const std::int64_t columns = padded_columns(most_used);
  // Three groups' keys stay in L2; a few tokens a group still give every core its share.
  const std::int64_t group =
      std::min<std::int64_t>(problem.tokens(), std::max<std::uint32_t>(1, machine.cores / 2));

  matmul::Problem scores = product_of(group, columns, kLatent + kRope);
  scores.b.transposed = true;
  scores.b.rows = columns;
  scores.output = DType::kF32;
  matmul::Problem values = product_of(group, kLatent, columns);
  values.b.rows = columns;
  scores.b.batch_distance = values.b.batch_distance = columns * (kLatent + kRope);

  SparseFlashAttentionTiling t{};
  t.tokens = static_cast<std::uint32_t>(problem.tokens());
  t.steps = static_cast<std::uint32_t>(problem.steps);
  t.selected = static_cast<std::uint32_t>(problem.selected);
  t.blocks = static_cast<std::uint32_t>(problem.blocks);
  t.columns = static_cast<std::uint32_t>(columns);
  t.group = static_cast<std::uint32_t>(group);
  t.quantised = problem.quantised ? 1 : 0;
  t.scale = static_cast<float>(problem.scale);
  t.scores = matmul::plan(scores, machine).tiling;
  t.values = matmul::plan(values, machine).tiling;
  return t;
}

}  // namespace davsim::ops::sparse_flash_attention
