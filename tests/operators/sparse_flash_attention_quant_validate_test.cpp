// One call per rule of sparse_flash_attention_quant that breaks just this rule.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/operators/rule_walk.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using operators::ErrorClass;

/// 3 batches of 2 tokens, 4 pages. A block table may be wider than any batch needs.
Table table() {
  return {{"query_nope", DType::kBF16, {6 * 128, 512}},
          {"query_rope", DType::kBF16, {6 * 128, 64}},
          {"key_nope_2d", DType::kI8, {4 * 128, 512}, {DType::kBF16}},
          {"key_rope_2d", DType::kBF16, {4 * 128, 64}},
          {"k_nope_scales", DType::kF32, {4 * 128, 4}},
          {"topk_indices", DType::kI32, {6, 2048}},
          {"block_table", DType::kI32, {3, 2}, {}, 1},
          {"kv_act_seqs", DType::kI32, {3}}};
}

class SparseFlashAttentionQuantCheck : public testing::Test {
 protected:
  /// Batches of these lengths, whose tokens use positions 0, 1, ... of pages 0 and 1.
  operators::Call call_of(const std::vector<std::int32_t>& lengths) const {
    operators::Call call = zero_call(table());
    std::copy(lengths.begin(), lengths.end(), entries(call, "kv_act_seqs"));
    for (int i = 0; i < 6 * 2048; ++i) entries(call, "topk_indices")[i] = i % 2048;
    for (int b = 0; b < 3; ++b) entries(call, "block_table")[2 * b + 1] = 1;
    return call;
  }
  static std::int32_t* entries(const operators::Call& call, const char* name) {
    return call.tensors.at(name).as<std::int32_t>();
  }

  const RuleWalk walk_{"sparse_flash_attention_quant", table()};
};

TEST_F(SparseFlashAttentionQuantCheck, Tensors) {
  walk_.run();
}

TEST_F(SparseFlashAttentionQuantCheck, ScalesBelongToInt8Keys) {
  operators::Call call = walk_.with("key_nope_2d", DType::kBF16, {4 * 128, 512});
  walk_.expect_legal(call);
  call.tensors.insert_or_assign(
      "k_nope_scales", operators::Tensor(host_memory(), DType::kF32, {3, 7, 1}, "k_nope_scales"));
  walk_.expect_legal(call);  // ignored
  call.tensors.erase("k_nope_scales");
  walk_.expect_legal(call);
}

TEST_F(SparseFlashAttentionQuantCheck, Attributes) {
  const auto with = [&](const char* name, boost::json::value value) {
    operators::Call call = walk_.legal();
    call.attributes[name] = std::move(value);
    return call;
  };
  for (const char* name : {"nq", "n_kv", "topk", "block_size", "max_blocknum_perbatch"}) {
    for (const boost::json::value& wrong :
         {boost::json::value(0), boost::json::value(-1), boost::json::value(2049),
          boost::json::value(2.5), boost::json::value("128"), boost::json::value(true)}) {
      walk_.expect(with(name, wrong), ErrorClass::kAttr,
                   std::string(name) + " " + boost::json::serialize(wrong));
    }
  }
  for (const auto& [name, right] :
       {std::pair{"nq", 128}, std::pair{"n_kv", 1}, std::pair{"topk", 1}, std::pair{"topk", 2048},
        std::pair{"block_size", 128}, std::pair{"max_blocknum_perbatch", 2}}) {
    walk_.expect_legal(with(name, right));
  }
  walk_.expect(with("nq", 64), ErrorClass::kAttr, "nq 64");
  walk_.expect(with("n_kv", 2), ErrorClass::kAttr, "n_kv 2");
  walk_.expect(with("softmax_scale", "1"), ErrorClass::kAttr, "softmax_scale as text");
  walk_.expect_legal(with("softmax_scale", 0.5));
  walk_.expect(with("no_such_attribute", 1), ErrorClass::kAttr, "unknown attribute");
}

TEST_F(SparseFlashAttentionQuantCheck, Lengths) {
  walk_.expect_legal(call_of({256, 1, 0}));
  walk_.expect(call_of({256, 257, 0}), ErrorClass::kShape, "more keys than pages");
  walk_.expect(call_of({256, -1, 0}), ErrorClass::kIndex, "a negative length");
}

/// Batch 1 has 5 keys: its second token uses entries 0 to 4, its first one 0 to 3.
TEST_F(SparseFlashAttentionQuantCheck, OnlyEntriesThatAreUsedCount) {
  const auto with = [&](int token, int entry, std::int32_t value) {
    operators::Call call = call_of({200, 5, 0});
    entries(call, "topk_indices")[token * 2048 + entry] = value;
    return call;
  };
  for (const std::int32_t wrong : {-1, 5, 1 << 30}) {
    walk_.expect(with(3, 4, wrong), ErrorClass::kIndex, "the last entry of token 3");
    walk_.expect_legal(with(3, 5, wrong));
    walk_.expect(with(2, 3, wrong), ErrorClass::kIndex, "the last entry of token 2");
    walk_.expect_legal(with(2, 4, wrong));
    walk_.expect_legal(with(5, 0, wrong));
  }
  operators::Call call = with(3, 4, 1 << 30);
  call.attributes["topk"] = 4;
  walk_.expect_legal(call);
}

TEST_F(SparseFlashAttentionQuantCheck, OnlyPagesThatAreUsedCount) {
  const auto with = [&](int entry, std::int32_t value) {
    operators::Call call = call_of({200, 5, 0});
    entries(call, "block_table")[entry] = value;
    return call;
  };
  for (const std::int32_t wrong : {-1, 4, 1 << 30}) {
    for (const int used : {0, 1, 2}) {
      walk_.expect(with(used, wrong), ErrorClass::kIndex, "page " + std::to_string(used));
    }
    for (const int unused : {3, 4, 5}) walk_.expect_legal(with(unused, wrong));
  }
}

TEST_F(SparseFlashAttentionQuantCheck, Precedence) {
  operators::Call call = call_of({200, 5, 0});
  entries(call, "topk_indices")[0] = -1;
  walk_.expect(call, ErrorClass::kIndex, "a position");
  call.attributes["n_kv"] = 2;
  walk_.expect(call, ErrorClass::kAttr, "attribute before index");
  call.tensors.insert_or_assign(
      "key_rope_2d", operators::Tensor(host_memory(), DType::kBF16, {4 * 128, 63}, "key_rope_2d"));
  walk_.expect(call, ErrorClass::kShape, "shape before attribute");
  call.tensors.insert_or_assign("k_nope_scales", operators::Tensor(host_memory(), DType::kF32,
                                                                   {4 * 128 * 4}, "k_nope_scales"));
  walk_.expect(call, ErrorClass::kRank, "rank before shape");
  call.tensors.insert_or_assign("kv_act_seqs",
                                operators::Tensor(host_memory(), DType::kI64, {3}, "kv_act_seqs"));
  walk_.expect(call, ErrorClass::kDtype, "dtype before rank");
  call.tensors.erase("query_rope");
  walk_.expect(call, ErrorClass::kNull, "presence before dtype");
}

/// Tokens of a batch that use the same rows read them from HBM once.
TEST_F(SparseFlashAttentionQuantCheck, CostIsThatOfThePage) {
  const operators::Operator& op = operators::find_operator("sparse_flash_attention_quant");
  const operators::Call call =
      operators::validated(op, call_of({200, 5, 0}), sim::SocConfig::named(kTestSoc));
  const operators::Cost cost = op.cost(call);
  const double entries = 199 + 200 + 4 + 5 + 0 + 0;
  EXPECT_EQ(cost.cube_flops_16bit, 2 * 128 * entries * (576 + 512));
  // Batches 0 and 1 have the same pages here, so batch 1 finds its rows in L2 as well.
  EXPECT_EQ(cost.min_bytes,
            6 * (128 * 576 * 2 + 128 * 512 * 2) + entries * 4 + 200 * (512 + 128 + 16));
}

}  // namespace
}  // namespace davsim::test
