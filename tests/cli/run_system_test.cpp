// Systems of several dies by the command.
#include <fstream>

#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

class RunSystemTest : public ProgramTest {};

TEST_F(RunSystemTest, APictureShowsTheClassesOfLinksAndIsText) {
  std::ofstream(work_ / "a&b.ini") << "include = atlas_a3_server.ini\n[System]\ndies = 4\n";
  const Outcome outcome = davsim({"run-system", "a&b.ini", "--picture", "a.svg"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string picture = read_file(work_ / "a.svg");
  for (const char* part : {"a&amp;b", ": 4 dies of ", ">die 0<", ">die 3<", "sio: ", "switches"}) {
    EXPECT_TRUE(holds(picture, part)) << part;
  }
  EXPECT_FALSE(holds(picture, "a&b"));
}

/// Kernels that poll flags of other dies, without a clock.
TEST_F(RunSystemTest, WithoutTimeAnOperatorHasItsResults) {
  const std::vector<std::string> call = {
      "run-system", "atlas_a3_server", "npu_moe_distribute_dispatch_v2",
      "--case",     "MDD2-1",          "--functional"};
  const Outcome outcome = davsim(call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "passed"));
  EXPECT_FALSE(holds(outcome.out, "time "));
  std::vector<std::string> timed = call;
  timed.insert(timed.end(), {"--max-cycles", "5"});
  EXPECT_EQ(davsim(timed).status, 2);
}

TEST_F(RunSystemTest, OperationsHaveTypesReductionsAndOneBuffer) {
  const auto run = [this](const std::string& op, std::vector<std::string> more) {
    more.insert(more.begin(), {"run-system", "ascend_910c", "--op", op, "--bytes", "64KiB"});
    return davsim(more).status;
  };
  for (const char* op : {"all-reduce", "reduce-scatter", "reduce"}) {
    EXPECT_EQ(run(op, {"--dtype", "uint64", "--reduction", "max", "--in-place"}), 0) << op;
    EXPECT_EQ(run(op, {"--dtype", "fp8e4m3"}), 2) << op << " of a type without a sum";
  }
  for (const char* op : {"all-gather", "all-to-all", "broadcast", "scatter"}) {
    EXPECT_EQ(run(op, {"--dtype", "fp8e4m3", "--in-place"}), 0) << op;
    EXPECT_EQ(run(op, {"--reduction", "max"}), 2) << op << " reduces nothing";
  }
}

TEST_F(RunSystemTest, ATraceOfAnOperatorShowsTheCoresAndTheLinksOfAllDies) {
  const std::vector<std::string> call = {
      "run-system", "atlas_a3_server", "npu_moe_distribute_dispatch_v2",
      "--case",     "MDD2-1",          "--json"};
  const Outcome plain = davsim(call);
  std::vector<std::string> traced_call = call;
  traced_call.insert(traced_call.end(), {"--trace", "trace.json"});
  const Outcome traced = davsim(traced_call);
  ASSERT_EQ(traced.status, 0) << traced.err;
  EXPECT_EQ(traced.out, plain.out);
  const std::string trace = read_file(work_ / "trace.json");
  for (const char* part :
       {"\"name\":\"die0.core0.veccore0\"", "\"name\":\"die1.core0.veccore0\"",
        "\"name\":\"die0 links\"", "\"name\":\"die1 links\"", "\"name\":\"sio out to die1\"",
        "\"name\":\"sio in from die0\"", "\"waited_cycles\":"}) {
    EXPECT_TRUE(holds(trace, part)) << part;
  }
  const Outcome explained = davsim({"explain", "trace.json"});
  ASSERT_EQ(explained.status, 0) << explained.err;
  EXPECT_TRUE(holds(explained.out, "critical path")) << explained.out;
}

TEST_F(RunSystemTest, ASizeOutsideTheLimitsIsNamedWithThem) {
  for (const std::string size : {"0", "-5", "17GiB"}) {
    const Outcome outcome =
        davsim({"run-system", "ascend_910c", "--op", "all-reduce", "--bytes", size});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(holds(outcome.err, "--bytes is '" + size + "'; it is from 1 byte to 16 GiB"))
        << outcome.err;
  }
}

}  // namespace
}  // namespace davsim::cli
