// The DeepSeek prologs: every documented case, more token counts, and bytes that must stay.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

#include "kernels/prolog/plan.hpp"
#include "reference/prolog_math.hpp"
#include "tests/operators/operator_run.hpp"

namespace davsim::test {
namespace {

const char* const kOperators[] = {"mla_prolog_quant", "lightning_indexer_prolog_quant",
                                  "mla_indexer_prolog_quant"};

struct RunCase {
  const char* operator_name;
  const char* id;
};
void PrintTo(const RunCase& run, std::ostream* to) {
  *to << run.id;
}

class PrologCase : public ::testing::TestWithParam<RunCase> {};

TEST_P(PrologCase, GivesWhatTheReferenceGives) {
  const operators::Operator& op = operators::find_operator(GetParam().operator_name);
  run_and_compare(op, op.make_case(GetParam().id, device().memory()));
}

/// A process has one device; here it is another SoC.
class PrologCaseOnA3 : public ::testing::TestWithParam<RunCase> {};

TEST_P(PrologCaseOnA3, GivesWhatTheReferenceGives) {
  sim::Device a3(sim::SocConfig::named("Ascend910_9392"));
  const operators::Operator& op = operators::find_operator(GetParam().operator_name);
  run_and_compare(op, op.make_case(GetParam().id, a3.memory()), a3);
}

std::string name_of(const testing::TestParamInfo<RunCase>& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

constexpr RunCase kFew[] = {{"mla_prolog_quant", "MPQ-7"},
                            {"mla_prolog_quant", "MPQ-9"},
                            {"lightning_indexer_prolog_quant", "IPQ-1"},
                            {"lightning_indexer_prolog_quant", "IPQ-6"},
                            {"lightning_indexer_prolog_quant", "IPQ-8"},
                            {"mla_indexer_prolog_quant", "MIP-4"}};
constexpr RunCase kMany[] = {{"mla_prolog_quant", "MPQ-1"},
                             {"mla_prolog_quant", "MPQ-2"},
                             {"mla_prolog_quant", "MPQ-3"},
                             {"mla_prolog_quant", "MPQ-4"},
                             {"mla_prolog_quant", "MPQ-5"},
                             {"mla_prolog_quant", "MPQ-6"},
                             {"lightning_indexer_prolog_quant", "IPQ-2"},
                             {"lightning_indexer_prolog_quant", "IPQ-3"},
                             {"lightning_indexer_prolog_quant", "IPQ-4"},
                             {"lightning_indexer_prolog_quant", "IPQ-5"},
                             {"mla_indexer_prolog_quant", "MIP-1"},
                             {"mla_indexer_prolog_quant", "MIP-2"},
                             {"mla_indexer_prolog_quant", "MIP-3"},
                             {"mla_indexer_prolog_quant", "MIP-5"}};

INSTANTIATE_TEST_SUITE_P(Quick, PrologCase, testing::ValuesIn(kFew), name_of);
INSTANTIATE_TEST_SUITE_P(Slow, PrologCase, testing::ValuesIn(kMany), name_of);
INSTANTIATE_TEST_SUITE_P(Quick, PrologCaseOnA3, testing::Values(kFew[0], kFew[3]), name_of);
INSTANTIATE_TEST_SUITE_P(SlowFew, PrologCaseOnA3, testing::ValuesIn(kFew), name_of);
INSTANTIATE_TEST_SUITE_P(Slow, PrologCaseOnA3, testing::ValuesIn(kMany), name_of);

/// An element whose sum lies at a tie may round the other way, and its row's scale with it.
TEST(PrologReference, LetsFewScalesOfTheQueryRoundTheOtherWay) {
  const operators::Operator& op = operators::find_operator("lightning_indexer_prolog_quant");
  const operators::Call call = op.make_case("IPQ-1", device().memory());
  const operators::TensorMap before = reference::copy_in_place(op, call, device().memory());
  const operators::RunResult run = operators::run(op, call, device());
  const operators::Call good = operators::validated(op, call, device().soc());
  const operators::Tensor& scales = run.outputs.at("q_scale");
  const auto passes_with = [&](std::int64_t changed) {
    for (std::int64_t i = 0; i < changed; ++i) {
      isa::half& scale = scales.as<isa::half>()[i];
      scale = isa::half(1.005f * static_cast<float>(scale));
    }
    const reference::Reference* judge = reference::find_reference(op.info().name);
    return reference::passed(judge->compare_results(good, before, run.outputs));
  };
  EXPECT_TRUE(passes_with(1));
  EXPECT_FALSE(passes_with(scales.elements() / 10));
}

/// Its rounding errors may then give either of two scales, and the token two sets of values.
TEST(PrologReference, AScaleIsInDoubtWhereTheLargestElementLiesAtATie) {
  const auto doubt_at = [](double largest) {
    const reference::Row x = {3, 1}, gamma = {largest * std::sqrt(5.0) / 3, 1};
    const reference::Doubtful exact = {x, {0, 0}};
    return reference::doubt_of_scale(reference::rounded(reference::rms_norm(exact, gamma, 0)));
  };
  constexpr double kStep = 0x1p-7;  // of bfloat16, from 1 to 2
  EXPECT_NEAR(doubt_at(1.25 + kStep / 2), 2 * kStep / 127, 1e-9) << "a step up or down";
  EXPECT_EQ(doubt_at(1.25 + kStep / 3), 0);
}

/// No run is better than what its cost says.
class PrologBound : public ::testing::TestWithParam<RunCase> {};

TEST_P(PrologBound, IsNotBeaten) {
  const operators::Operator& op = operators::find_operator(GetParam().operator_name);
  const operators::Call call =
      operators::validated(op, op.make_case(GetParam().id, device().memory()), device().soc());
  device().flush_l2();
  const operators::RunResult run = operators::run(op, call, device());
  const operators::Cost cost = op.cost(call);
  double moved = 0;
  for (const observe::CoreCounters& core : run.report.cores) {
    for (const observe::Path path : {observe::Path::kGmToUb, observe::Path::kUbToGm,
                                     observe::Path::kGmToL1, observe::Path::kL0CToGm}) {
      moved += static_cast<double>(core.path_bytes[static_cast<std::size_t>(path)]);
    }
  }
  EXPECT_GE(moved, cost.min_bytes);
  const double hbm = device().soc().constant("Timing.Hbm", "peak", "bytes/s");
  EXPECT_GE(run.report.time_us(), (cost.min_bytes - cost.min_written_bytes) / hbm * 1e6);
}

INSTANTIATE_TEST_SUITE_P(Quick, PrologBound,
                         testing::Values(RunCase{"lightning_indexer_prolog_quant", "IPQ-1"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Slow, PrologBound,
                         testing::Values(RunCase{"mla_prolog_quant", "MPQ-1"},
                                         RunCase{"mla_prolog_quant", "MPQ-6"},
                                         RunCase{"sparse_flash_attention_quant", "SFA-2"},
                                         RunCase{"mla_indexer_prolog_quant", "MIP-1"}),
                         name_of);

/// What was quantised is all zeros: zeros with a scale of 0, and the log counts them.
void expect_zeros_counted(const char* operator_name, const char* id,
                          const std::vector<std::string>& expected) {
  const operators::Operator& op = operators::find_operator(operator_name);
  const operators::Call call = op.make_case(id, device().memory());
  const operators::RunResult result = run_and_compare(op, call);
  EXPECT_EQ(op.remarks(operators::validated(op, call, device().soc()), result.outputs), expected)
      << id;
}

TEST(PrologZeros, OfAToken) {
  expect_zeros_counted(
      "mla_prolog_quant", "MPQ-8",
      {"1 of 3 groups of 1536 values of q_norm are all zeros: their scale is 0",
       "4 of 12 groups of 128 values of kv_cache are all zeros: their scale is 0"});
}
TEST(PrologZeros, OfAQueryLatent) {
  expect_zeros_counted(
      "lightning_indexer_prolog_quant", "IPQ-7",
      {"64 of 192 groups of 128 values of q_int8 are all zeros: their scale is 0"});
}
TEST(SlowPrologZeros, OfATokenOfBothHalves) {
  expect_zeros_counted(
      "mla_indexer_prolog_quant", "MIP-6",
      {"4 of 12 groups of 128 values of mla_kv_cache are all zeros: their scale is 0",
       "64 of 192 groups of 128 values of ip_q_int8 are all zeros: their scale is 0"});
}

/// The reference lets the last of the tokens of a row stay, its data and its scales.
TEST(PrologDuplicates, TheLastTokenStays) {
  const operators::Operator& op = operators::find_operator("lightning_indexer_prolog_quant");
  const operators::Call call = op.make_case("IPQ-6", device().memory());
  const operators::Tensor& index = call.tensors.at("k_cache_index");
  for (std::int64_t i = 0; i < index.elements(); ++i) index.as<std::int64_t>()[i] = i % 2;
  run_and_compare(op, call);
}

/// 512 rows and 192 columns are eight tiles, or more that are smaller in as many rounds.
TEST(PrologPlan, CoresThatMakeAProductNoFasterGoToAnother) {
  const auto soc = sim::SocConfig::named("Ascend910_9392");
  const auto tiling = operators::prolog::plan(operators::prolog::Halves::kIndexer, 512, soc);
  EXPECT_EQ(tiling.k.cores, 8u);
  EXPECT_EQ(tiling.qb[0].cores, 16u);
}

TEST(SlowProlog, RefusesWhatItMustWithTheClassOfTheRule) {
  for (const char* name : kOperators) {
    const operators::Operator& op = operators::find_operator(name);
    int refused = 0;
    for (const operators::ExampleCase& example : op.cases()) {
      if (!example.refused) continue;
      ++refused;
      const auto cls = refusal_of(op, op.make_case(example.id, device().memory()));
      EXPECT_EQ(cls, example.refused) << example.id << ": " << example.note;
    }
    EXPECT_GE(refused, 4) << name;
  }
}

}  // namespace
}  // namespace davsim::test
