// The DeepSeek prologs: every documented case, more token counts, and bytes that must stay.
#include <gtest/gtest.h>

#include "operators/operator_test.hpp"
#include "reference/reference.hpp"

namespace davsim::test {
namespace {

const char* const kOperators[] = {"mla_prolog_quant", "lightning_indexer_prolog_quant",
                                  "mla_indexer_prolog_quant"};

void expect_right(const ops::Operator& op, const ops::Call& call, const std::string& what) {
  const ops::TensorMap before = reference::copy_in_place(op, call, device().memory());
  const auto result = ops::run(op, call, device());
  const ops::Call good = ops::checked(op, call, device().soc());
  const auto comparisons =
      reference::find_reference(op.info().name)->check(good, before, result.outputs);
  ASSERT_FALSE(comparisons.empty());
  for (const auto& comparison : comparisons) {
    EXPECT_TRUE(comparison.passed) << what << " " << reference::to_string(comparison);
  }
}

/// A case and whether it is quick enough for every run.
struct RunCase {
  const char* op;
  const char* id;
};

class PrologCase : public ::testing::TestWithParam<RunCase> {};

TEST_P(PrologCase, GivesWhatTheReferenceGives) {
  const ops::Operator& op = ops::find_operator(GetParam().op);
  expect_right(op, op.make_case(GetParam().id, device().memory()), GetParam().id);
}

std::string name_of(const testing::TestParamInfo<RunCase>& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Quick, PrologCase,
                         testing::Values(RunCase{"mla_prolog_quant", "MPQ-5"},
                                         RunCase{"mla_prolog_quant", "MPQ-7"},
                                         RunCase{"mla_prolog_quant", "MPQ-8"},
                                         RunCase{"lightning_indexer_prolog_quant", "IPQ-1"},
                                         RunCase{"lightning_indexer_prolog_quant", "IPQ-6"},
                                         RunCase{"lightning_indexer_prolog_quant", "IPQ-7"},
                                         RunCase{"mla_indexer_prolog_quant", "MIP-4"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Slow, PrologCase,
                         testing::Values(RunCase{"mla_prolog_quant", "MPQ-1"},
                                         RunCase{"mla_prolog_quant", "MPQ-2"},
                                         RunCase{"mla_prolog_quant", "MPQ-3"},
                                         RunCase{"mla_prolog_quant", "MPQ-4"},
                                         RunCase{"mla_prolog_quant", "MPQ-6"},
                                         RunCase{"lightning_indexer_prolog_quant", "IPQ-2"},
                                         RunCase{"lightning_indexer_prolog_quant", "IPQ-3"},
                                         RunCase{"lightning_indexer_prolog_quant", "IPQ-4"},
                                         RunCase{"lightning_indexer_prolog_quant", "IPQ-5"},
                                         RunCase{"mla_indexer_prolog_quant", "MIP-1"},
                                         RunCase{"mla_indexer_prolog_quant", "MIP-2"},
                                         RunCase{"mla_indexer_prolog_quant", "MIP-3"}),
                         name_of);

TEST(Prolog, RefusesWhatItMustWithTheClassOfTheRule) {
  for (const char* name : kOperators) {
    const ops::Operator& op = ops::find_operator(name);
    int refused = 0;
    for (const ops::ExampleCase& example : op.cases()) {
      if (!example.refused) continue;
      ++refused;
      const auto cls = refusal_of(op, op.make_case(example.id, device().memory()));
      EXPECT_EQ(cls, example.refused) << example.id << ": " << example.note;
    }
    EXPECT_GE(refused, 4) << name;
  }
}

TEST(Prolog, ExistsOnA3) {
  const ops::Operator& op = ops::find_operator("lightning_indexer_prolog_quant");
  const ops::Call call = op.make_case("IPQ-7", device().memory());
  EXPECT_EQ(refusal_of(op, call, "Ascend910_9391"), std::nullopt);
}

}  // namespace
}  // namespace davsim::test
