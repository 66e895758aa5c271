// One call per rule of the DeepSeek prologs that breaks just this rule.
#include <gtest/gtest.h>

#include <limits>

#include "tests/operators/prolog_tables.hpp"

namespace davsim::test {
namespace {

using operators::ErrorClass;

struct Prolog {
  const char* operator_name;
  Table (*table)(std::int64_t, std::int64_t);
  const char* index;
  std::vector<const char*> epsilons, strings;
};

void PrintTo(const Prolog& prolog, std::ostream* to) {
  *to << prolog.operator_name;
}

Table mla(std::int64_t t, std::int64_t pages) {
  return mla_table(t, pages);
}

const Prolog kPrologs[] = {
    {"mla_prolog_quant", mla, "cache_index", {"epsilon_cq", "epsilon_ckv"}, {"cache_mode"}},
    {"lightning_indexer_prolog_quant",
     indexer_table,
     "k_cache_index",
     {"layernorm_epsilon_k"},
     {"layout_query", "layout_key"}},
    {"mla_indexer_prolog_quant",
     fused_table,
     "cache_index",
     {"mla_epsilon_cq", "mla_epsilon_ckv", "ip_layernorm_epsilon_k"},
     {"mla_cache_mode", "ip_layout_query", "ip_layout_key"}}};

class PrologCheck : public testing::TestWithParam<Prolog> {
 protected:
  const RuleWalk walk_{GetParam().operator_name, GetParam().table(2, 1)};
};

TEST_P(PrologCheck, Tensors) {
  walk_.run();
}

TEST_P(PrologCheck, Attributes) {
  const auto with = [&](const char* name, boost::json::value value) {
    operators::Call call = walk_.legal();
    call.attributes[name] = std::move(value);
    return call;
  };
  for (const char* name : GetParam().epsilons) {
    walk_.expect_legal(with(name, 0.25));
    walk_.expect_legal(with(name, 0));
    walk_.expect(with(name, -1e-5), ErrorClass::kAttr, name);
    walk_.expect(with(name, "1e-5"), ErrorClass::kAttr, name);
    walk_.expect(with(name, true), ErrorClass::kAttr, name);
  }
  for (const char* name : GetParam().strings) {
    const std::string right = std::string(name).ends_with("layout_query") ? "TND" : "PA_BSND";
    walk_.expect_legal(with(name, right.c_str()));
    for (const char* wrong : {"", "pa_bsnd", "PA_BSND ", "PA_NZ", "BSND", "tnd"}) {
      walk_.expect(with(name, wrong), ErrorClass::kAttr, std::string(name) + " " + wrong);
    }
    walk_.expect(with(name, 1), ErrorClass::kAttr, name);
  }
  walk_.expect(with("no_such_attribute", 1), ErrorClass::kAttr, "unknown attribute");
}

TEST_P(PrologCheck, RowsOfTheCaches) {
  const auto with = [&](std::int64_t row) {
    operators::Call call = walk_.legal();
    const char* name = GetParam().index;
    operators::Tensor index = call.tensors.at(name).clone(host_memory(), name);
    index.as<std::int64_t>()[1] = row;
    call.tensors.insert_or_assign(name, index);
    return call;
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t row : {std::int64_t{0}, std::int64_t{127}, std::int64_t{-1}, -kMost}) {
    walk_.expect_legal(with(row));
  }
  for (const std::int64_t row : {std::int64_t{128}, kMost}) {
    walk_.expect(with(row), ErrorClass::kIndex, std::to_string(row));
  }
}

TEST_P(PrologCheck, Tokens) {
  const auto with = [&](std::int64_t t) { return zero_call(GetParam().table(t, 2)); };
  walk_.expect(with(0), ErrorClass::kShape, "no token");
  walk_.expect_legal(with(1));
  walk_.expect_legal(with(300));
}

TEST_P(PrologCheck, Precedence) {
  const Prolog& p = GetParam();
  operators::Call call = walk_.legal();
  operators::Tensor index(host_memory(), isa::DType::kI64, {2}, p.index);
  index.as<std::int64_t>()[0] = 128;
  call.tensors.insert_or_assign(p.index, index);
  walk_.expect(call, ErrorClass::kIndex, "index alone");
  call.attributes[p.strings[0]] = "wrong";
  walk_.expect(call, ErrorClass::kAttr, "attribute before index");
  const std::string last = p.table(2, 1).back().name;  // a cache
  const isa::DType type = call.tensors.at(last).dtype();
  call.tensors.insert_or_assign(last, operators::Tensor(host_memory(), type, {1, 64, 1, 1}, last));
  walk_.expect(call, ErrorClass::kShape, "shape before attribute");
  call.attributes[p.epsilons[0]] = "ill-typed";
  walk_.expect(call, ErrorClass::kShape, "shape before the type of an attribute");
  call.tensors.insert_or_assign(last, operators::Tensor(host_memory(), type, {128}, last));
  walk_.expect(call, ErrorClass::kRank, "rank before shape");
  const std::string first = p.table(2, 1).front().name;
  call.tensors.insert_or_assign(
      first, operators::Tensor(host_memory(), isa::DType::kF16, {2, 7168}, first));
  walk_.expect(call, ErrorClass::kDtype, "dtype before rank");
  call.tensors.erase(p.table(2, 1)[1].name);
  walk_.expect(call, ErrorClass::kNull, "presence before dtype");
}

/// What the log says of tokens that are not cached, and of those that meet in a row.
TEST_P(PrologCheck, WarnsOfTokens) {
  const Prolog& p = GetParam();
  const operators::Operator& op = operators::find_operator(p.operator_name);
  operators::Call call = zero_call(p.table(5, 1));
  auto* rows = call.tensors.at(p.index).as<std::int64_t>();
  for (int i = 0; i < 5; ++i) rows[i] = i;
  EXPECT_TRUE(op.warnings(call, true).empty());
  rows[1] = rows[3] = -1;
  const std::vector<std::string> skipped = op.warnings(call, true);
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0], std::string("2 of 5 tokens are not written to the caches: their ") +
                            p.index + " is negative");
  rows[4] = 0;
  EXPECT_EQ(op.warnings(call, false).size(), 1u);
  EXPECT_EQ(op.warnings(call, true).size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(All, PrologCheck, testing::ValuesIn(kPrologs),
                         [](const testing::TestParamInfo<Prolog>& info) {
                           return std::string(info.param.operator_name);
                         });

/// Both halves of the fused operator share one index: their caches have the same pages.
TEST(PrologCheckFused, PagesOfBothHalves) {
  const RuleWalk walk("mla_indexer_prolog_quant", fused_table(2, 1));
  operators::Call call = walk.legal();
  for (const TableRow& row : indexer_weights(2, "ip_")) {
    if (row.name != "ip_k_int8" && row.name != "ip_k_scale") continue;
    call.tensors.insert_or_assign(row.name,
                                  operators::Tensor(host_memory(), row.dtype, row.shape, row.name));
  }
  walk.expect(call, ErrorClass::kShape, "two pages beside one");
}

operators::Cost cost_of(const char* op, const Table& table) {
  return operators::find_operator(op).cost(zero_call(table));
}

constexpr double kMlaWeights = 22'020'096 + 37'748'736 + 16'777'216 + 8'257'536 + 98'304;
constexpr double kIndexerWeights = 12'582'912 + 32'768 + 1'835'008 + 917'504 + 65'536 + 512;

TEST(PrologCost, OfTheMlaHalf) {
  for (const std::int64_t t : {1, 300}) {
    const auto tokens = static_cast<double>(t);
    const operators::Cost cost = cost_of("mla_prolog_quant", mla(t, 3));
    EXPECT_EQ(cost.cube_flops_8bit, tokens * 2 * 1536 * 24576);
    EXPECT_EQ(cost.cube_flops_16bit,
              tokens * 2 * (7168.0 * 1536 + 128.0 * 128 * 512 + 7168.0 * 576));
    EXPECT_EQ(cost.min_bytes,
              kMlaWeights + tokens * (14336 + 131072 + 16384 + 512 + 128 + 16 + 1540 + 256 + 8));
  }
}

TEST(PrologCost, OfTheIndexerHalf) {
  for (const std::int64_t t : {1, 300}) {
    const auto tokens = static_cast<double>(t);
    const operators::Cost cost = cost_of("lightning_indexer_prolog_quant", indexer_table(t, 3));
    EXPECT_EQ(cost.cube_flops_8bit, tokens * 2 * 1536 * 8192);
    EXPECT_EQ(cost.cube_flops_16bit,
              tokens * 2 * (64.0 * 128 * 128 + 128 * 128 + 7168 * 128 + 7168 * 64));
    EXPECT_EQ(cost.min_bytes,
              kIndexerWeights + tokens * (14336 + 1540 + 256 + 8 + 8192 + 128 + 130 + 128));
  }
}

/// Hidden states, tables and indices come once, the query latent stays inside.
TEST(PrologCost, OfBothHalves) {
  const operators::Cost cost = cost_of("mla_indexer_prolog_quant", fused_table(8, 1));
  EXPECT_EQ(cost.min_bytes,
            kMlaWeights + kIndexerWeights +
                8 * (14336 + 131072 + 16384 + 512 + 128 + 16 + 256 + 8 + 8192 + 128 + 130 + 128));
}

}  // namespace
}  // namespace davsim::test
