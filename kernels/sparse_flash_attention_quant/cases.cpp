// The documented examples of the operator: sizes in a table, data seeded by the row.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/common/arithmetic.hpp"
#include "kernels/common/case_table.hpp"
#include "kernels/sparse_flash_attention_quant/problem.hpp"

namespace davsim::operators::sparse_flash_attention {
namespace {

using isa::DType;

struct Sizes {
  std::vector<std::int64_t> lengths;  ///< keys of each batch
  std::int64_t steps;
  std::int64_t topk;
  bool quantised;
};

std::int64_t pages_of(std::int64_t length) {
  return ceil_div(length, kPage);
}

/// Pages in no order, a spare one between the batches; columns behind a batch's pages are -1.
Tensor page_table(SeededData& data, const Sizes& sizes, std::int64_t blocks, std::int64_t pages) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(pages));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i],
              order[static_cast<std::size_t>(data.integer(0, static_cast<std::int64_t>(i)))]);
  }
  const auto batches = static_cast<std::int64_t>(sizes.lengths.size());
  Tensor table = data.integers(DType::kI32, {batches, blocks}, "block_table", -1, -1);
  std::size_t next = 0;
  for (std::int64_t b = 0; b < batches; ++b) {
    for (std::int64_t i = 0; i < pages_of(sizes.lengths[static_cast<std::size_t>(b)]); ++i) {
      table.as<std::int32_t>()[b * blocks + i] = order[next++];
    }
  }
  return table;
}

/// Different positions for each token, in no order; garbage behind those that are used.
Tensor selection(SeededData& data, const Sizes& sizes) {
  const auto batches = static_cast<std::int64_t>(sizes.lengths.size());
  const std::int64_t tokens = batches * sizes.steps;
  Tensor indices =
      data.integers(DType::kI32, {tokens, kMostSelected}, "topk_indices", -1000, 1 << 30);
  Problem problem;
  problem.steps = sizes.steps;
  problem.selected = sizes.topk;
  for (std::int64_t token = 0; token < tokens; ++token) {
    const std::int64_t length = sizes.lengths[static_cast<std::size_t>(token / sizes.steps)];
    const std::int64_t visible =
        std::max<std::int64_t>(0, length - sizes.steps + 1 + token % sizes.steps);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(visible));
    std::iota(positions.begin(), positions.end(), 0);
    for (std::int64_t i = 0; i < used_entries(problem, length, token % sizes.steps); ++i) {
      std::swap(positions[static_cast<std::size_t>(i)],
                positions[static_cast<std::size_t>(data.integer(i, visible - 1))]);
      indices.as<std::int32_t>()[token * kMostSelected + i] =
          positions[static_cast<std::size_t>(i)];
    }
  }
  return indices;
}

Call plain_call(SeededData& data, const Sizes& sizes) {
  const auto batches = static_cast<std::int64_t>(sizes.lengths.size());
  const std::int64_t tokens = batches * sizes.steps;
  std::int64_t blocks = 1, pages = 1;
  for (const std::int64_t length : sizes.lengths) {
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
  if (sizes.quantised) {
    add("key_nope_2d", data.integers(DType::kI8, {rows, kLatent}, "key_nope_2d", -127, 127));
    add("k_nope_scales", data.reals(DType::kF32, {rows, kGroups}, "k_nope_scales", 0.004, 0.012));
  } else {
    add("key_nope_2d", data.reals(DType::kBF16, {rows, kLatent}, "key_nope_2d"));
  }
  add("key_rope_2d", data.reals(DType::kBF16, {rows, kRope}, "key_rope_2d"));
  add("topk_indices", selection(data, sizes));
  add("block_table", page_table(data, sizes, blocks, pages));
  Tensor lengths = data.zeros(DType::kI32, {batches}, "kv_act_seqs");
  for (std::int64_t b = 0; b < batches; ++b) {
    lengths.as<std::int32_t>()[b] =
        static_cast<std::int32_t>(sizes.lengths[static_cast<std::size_t>(b)]);
  }
  add("kv_act_seqs", lengths);
  call.attributes["softmax_scale"] = 1 / std::sqrt(576.0);
  call.attributes["topk"] = sizes.topk;
  return call;
}

std::vector<CaseRow<Sizes>> rows() {
  using E = ErrorClass;
  const std::vector<std::int64_t> long_batches(4, 65536);
  const Sizes small = {{300, 70}, 1, 128, true};
  return {
      {runs("SFA-1", "4 batches of very different length"),
       {{65536, 16381, 666, 15}, 2, 2048, true},
       {}},
      {runs("SFA-2", "4 long batches"), {long_batches, 2, 2048, true}, {}},
      {runs("SFA-3", "4 long batches, bfloat16 keys"), {long_batches, 2, 2048, false}, {}},
      {runs("SFA-4", "prefill of 256 tokens"), {{65536}, 256, 2048, true}, {}},
      {runs("SFA-5", "one key"), {{1}, 1, 2048, true}, {}},
      {runs("SFA-6", "no key"), {{0}, 1, 2048, true}, {}},
      {runs("SFA-7", "3 tokens of short batches"), {{129, 128, 77}, 1, 2048, true}, {}},
      {runs("SFA-8", "topk below the length, steps that see nothing"), {{300, 2}, 3, 65, true}, {}},
      {runs("SFA-9", "short batches, bfloat16 keys"), {{200, 513}, 2, 2048, false}, {}},
      {refuses("SFA-N1", "a used position is the length", E::kIndex), small,
       [](Call& call, SeededData&) {
         call.tensors.at("topk_indices").as<std::int32_t>()[5] = 300;
       }},
      {refuses("SFA-N2", "a used position is negative", E::kIndex), small,
       [](Call& call, SeededData&) { call.tensors.at("topk_indices").as<std::int32_t>()[5] = -1; }},
      {refuses("SFA-N3", "a used page is -1", E::kIndex), small,
       [](Call& call, SeededData&) { call.tensors.at("block_table").as<std::int32_t>()[0] = -1; }},
      {refuses("SFA-N4", "n_kv is 2", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["n_kv"] = 2; }},
      {refuses("SFA-N5", "topk is 2049", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["topk"] = 2049; }},
      {refuses("SFA-N6", "more keys than the block table has pages for", E::kShape), small,
       [](Call& call, SeededData&) { call.tensors.at("kv_act_seqs").as<std::int32_t>()[0] = 385; }},
      {refuses("SFA-N7", "int8 keys without scales", E::kNull), small,
       [](Call& call, SeededData&) { call.tensors.erase("k_nope_scales"); }},
      {refuses("SFA-N8", "block_size is 64", E::kAttr), small,
       [](Call& call, SeededData&) { call.attributes["block_size"] = 64; }},
  };
}

const CaseTable<Sizes>& table() {
  static const CaseTable<Sizes> the_table("sparse_flash_attention_quant", 0x53464100u, plain_call,
                                          {rows()});
  return the_table;
}

}  // namespace

std::vector<ExampleCase> cases() {
  return table().examples();
}

Call make_case(std::string_view id, memory::GlobalMemory& memory) {
  return table().make(id, memory);
}

}  // namespace davsim::operators::sparse_flash_attention
