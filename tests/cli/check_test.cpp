// `davsim run --check` and `davsim check`.
#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

using CheckTest = ProgramTest;

TEST_F(CheckTest, CleanRunSaysSo) {
  const json::object clean = result({"run", "rope_quant_kvcache", "--case", "RQK-1", "--check"});
  EXPECT_EQ(clean.at("check").as_string(), "passed");
  EXPECT_EQ(clean.at("allowed_findings").to_number<int>(), 0);
}

/// Flags of the own die are there at the first look, which was dispatched before their write.
TEST_F(CheckTest, AFlagIsNoRaceForTheLookThatJustSeesIt) {
  for (const char* id : {"MDC2-4", "MDC2-5"}) {
    const Outcome outcome = davsim({"run-system", "atlas_a3_server",
                                    "npu_moe_distribute_combine_v2", "--case", id, "--check"});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_FALSE(holds(outcome.out, "race")) << id << "\n" << outcome.out;
  }
}

TEST_F(CheckTest, ChecksTheCasesThatRun) {
  const Outcome outcome = davsim({"check", "rope_quant_kvcache", "--functional"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "RQK-1"));
  EXPECT_TRUE(holds(outcome.out, "clean"));
  EXPECT_FALSE(holds(outcome.out, "findings"));
  EXPECT_TRUE(holds(outcome.out, "reference"));
  EXPECT_FALSE(holds(outcome.out, "not checked")) << "each case has a reference\n" << outcome.out;
}

TEST_F(CheckTest, NamedCasesAsJson) {
  const json::object all =
      result({"check", "all", "--case", "RQK-1", "--case", "KVR-2", "--functional", "--jobs", "1"});
  const json::array& cases = all.at("cases").as_array();
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].at("operator").as_string(), "kv_rmsnorm_rope_cache");
  EXPECT_EQ(cases[0].at("case").as_string(), "KVR-2");
  EXPECT_EQ(cases[0].at("status").to_number<int>(), 0);
  EXPECT_EQ(cases[1].at("case").as_string(), "RQK-1");
  for (const json::value& one : cases) {
    EXPECT_EQ(one.at("check").as_string(), "passed") << "results are compared as well";
  }
}

/// Columns behind the last key, rows behind the last one: attention computes them along.
TEST_F(CheckTest, TailsOfAttentionAreWritten) {
  const Outcome outcome = davsim(
      {"check", "all", "--case", "PA-8", "--case", "PA-11R", "--case", "FIA-14", "--functional"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

/// The operator makes a triangle of its own there, to cut the band out of.
TEST_F(CheckTest, ABandBesideAFullMaskIsClean) {
  const Outcome outcome = davsim({"run",      "fused_infer_attention_score_v2",
                                  "--tensor", "query=float16[1,2,64,64]",
                                  "--tensor", "key=float16[1,2,96,64]",
                                  "--tensor", "value=float16[1,2,96,64]",
                                  "--tensor", "atten_mask=bool[64,96]",
                                  "--attr",   "num_query_heads=2",
                                  "--attr",   "input_layout=BNSD",
                                  "--attr",   "sparse_mode=0",
                                  "--attr",   "pre_tokens=5",
                                  "--attr",   "next_tokens=3",
                                  "--check"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

TEST_F(CheckTest, SlowAllCasesOfAllOperatorsAreClean) {
  const Outcome outcome = davsim({"check", "all", "--functional"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

TEST_F(CheckTest, RefusesTimesWithoutValues) {
  const Outcome outcome = davsim({"check", "rope_quant_kvcache", "--times-only"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(holds(outcome.err, "the checker needs a run that computes values"));
}

TEST_F(CheckTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(error_class({"check", "rope_quant_kvcache", "--case", "RQK-99"}, 2), "usage");
  EXPECT_EQ(error_class({"check", "rope"}, 2), "usage");
  EXPECT_EQ(error_class({"check", "all", "--jobs", "0"}, 2), "usage");
}

}  // namespace
}  // namespace davsim::cli
