// The documented examples of the operator: sizes in a table, data seeded by the row.
#include "kernels/common/case_table.hpp"
#include "kernels/sparse_flash_attention_quant/problem.hpp"
#include "kernels/sparse_flash_attention_quant/recipe.hpp"

namespace davsim::operators::sparse_flash_attention {
namespace {

std::vector<CaseRow<Recipe>> rows() {
  using E = ErrorClass;
  const std::vector<std::int64_t> long_batches(4, 65536);
  const Recipe small = {{300, 70}, 1, 128, true};
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

const CaseTable<Recipe>& table() {
  static const CaseTable<Recipe> the_table("sparse_flash_attention_quant", 0x53464100u, make_call,
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
