// Several processes that simulate one system: mpirun and the module of MPI. Where either is missing
// the tests are skipped.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"
#include "tests/child_process.hpp"

namespace davsim::cli {
namespace {

class RanksTest : public ProgramTest {
 protected:
  void SetUp() override {
    const fs::path module =
        fs::path(DAVSIM_PROGRAM).parent_path().parent_path() / "lib/davsim/davsim_mpi.so";
    if (!fs::exists(module)) GTEST_SKIP() << "davsim is built without MPI";
    if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "there is no mpirun";
    // Open MPI asks for it where the tests run as root.
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    test::look_for_no_leaks();
  }
  static std::string mpirun(int ranks, const std::string& arguments) {
    return "mpirun --oversubscribe -n " + std::to_string(ranks) + " " DAVSIM_PROGRAM " " +
           arguments;
  }
  /// What a shell command prints; its exit status goes to `status`.
  std::string shell(const std::string& command, int& status) const {
    const fs::path out = folder_ / "shell_out", err = folder_ / "shell_err";
    const std::string line = "cd " + work_.string() + " && " + command + " >" + out.string() +
                             " 2>" + err.string() + " </dev/null";
    const int ended = std::system(line.c_str());
    status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    errors_ = read_file(err);
    return read_file(out);
  }
  mutable std::string errors_;
};

TEST_F(RanksTest, AnyNumberOfRanksPrintsTheSameBytes) {
  struct Call {
    std::string system, op, bytes;
  };
  for (const Call& call : {Call{"atlas_a2_server:4", "all-reduce", "1MiB"},
                           Call{"cloudmatrix384:18", "all-to-all", "300000"},
                           Call{"atlas_a3_server:6", "all-gather", "2MiB"}}) {
    const Outcome alone = davsim({"run-system", call.system, "--op", call.op, "--bytes", call.bytes,
                                  "--json", "--trace", "alone.json"});
    ASSERT_EQ(alone.status, 0) << alone.err;
    const std::string trace = read_file(file("alone.json"));
    for (int ranks = 1; ranks <= 4; ++ranks) {
      int status = 0;
      EXPECT_EQ(shell(mpirun(ranks, "run-system " + call.system + " --op " + call.op + " --bytes " +
                                        call.bytes + " --json --trace dealt.json"),
                      status),
                alone.out)
          << ranks << " ranks, " << call.op;
      EXPECT_EQ(read_file(file("dealt.json")), trace) << ranks << " ranks, " << call.op;
      EXPECT_EQ(status, 0) << errors_;
    }
  }
}

TEST_F(RanksTest, AnyNumberOfRanksRunsOperatorsAlike) {
  struct Run {
    std::string call;
    std::vector<int> ranks;
  };
  for (const auto& [call, all_ranks] :
       {Run{"atlas_a3_server npu_moe_distribute_dispatch_v2 --case MDD2-3", {2, 3, 4}},
        Run{"atlas_a2_server npu_mm_all_reduce_base --case MAR-2", {4}}}) {
    int status = 0;
    const std::string alone =
        shell(DAVSIM_PROGRAM " run-system " + call + " --json --outputs alone", status);
    EXPECT_EQ(status, 0) << errors_;
    EXPECT_TRUE(holds(alone, "\"check\":\"passed\""));
    for (const int ranks : all_ranks) {
      EXPECT_EQ(shell(mpirun(ranks, "run-system " + call + " --json --outputs dealt"), status),
                alone)
          << ranks << " ranks, " << call;
      EXPECT_EQ(status, 0) << errors_;
      EXPECT_EQ(read_file(file("dealt")), read_file(file("alone"))) << ranks << ", " << call;
    }
  }
  int status = 0;
  fs::remove(file("dealt"));
  shell(mpirun(2,
               "run-system atlas_a3_server npu_moe_distribute_dispatch_v2 --case MDD2-1 "
               "--max-cycles 9000 --outputs dealt"),
        status);
  EXPECT_EQ(status, 4);
  EXPECT_TRUE(holds(errors_, "the launch is not over after 9000 cycles"));
  EXPECT_FALSE(fs::exists(file("dealt")));
}

TEST_F(RanksTest, RanksThatCannotWorkTogetherSayWhy) {
  int status = 0;
  shell(mpirun(3, "run-system ascend_910c --op all-reduce"), status);
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(holds(errors_, "there are 3 ranks for 2 dies"));
  const std::string program = " " DAVSIM_PROGRAM " run-system ascend_910c --op all-reduce ";
  shell("mpirun --oversubscribe -n 1" + program + "--bytes 1MiB : -n 1" + program + "--bytes 2MiB",
        status);
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(holds(errors_, "rank 1 was given other arguments than rank 0"));
}

TEST_F(RanksTest, ARankThatIsKilledEndsAllAndIsNamed) {
  // Hours of work, were it let alone. The shell kills one of two as soon as both are there.
  const std::string script =
      "( " + mpirun(2, "run-system cloudmatrix384:64 --op all-to-all --bytes 16GiB --times-only") +
      " & echo $! > pid; wait $!; echo $? > status ) & "
      "for i in $(seq 100); do sleep 0.1; "
      "victims=$(pgrep -P $(cat pid) davsim); set -- $victims; [ $# = 2 ] && break; done; "
      "sleep 0.5; kill -9 $2; wait";
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  const std::string out = shell("{ " + script + "; }", status);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(out, "");
  EXPECT_NE(read_file(file("status")), "0\n");
  EXPECT_TRUE(holds(errors_, "process rank 1"));
  EXPECT_TRUE(holds(errors_, "signal 9"));
}

constexpr const char* kGrid = R"({
  "operators": [
    {"operator": "rope_quant_kvcache", "cases": ["RQK-1"]},
    {"operator": "matmul", "tensors": {"a": "float16[m,1024]", "b": "float16[1024,1024]"},
     "sizes": {"m": [16, 1024]}, "attrs": {"output_dtype": "float32"}}
  ],
  "socs": ["Ascend910B3", "Ascend910B4"]
})";

TEST_F(RanksTest, ASweepMakesTheSameTableWhateverRanWhere) {
  write_file(file("s.json"), kGrid);
  ASSERT_EQ(davsim({"sweep", "s.json", "--out", "alone.csv"}).status, 0);
  for (const int ranks : {1, 3}) {
    int status = 0;
    shell(mpirun(ranks, "sweep s.json --mpi --fresh --out dealt.csv"), status);
    EXPECT_EQ(status, 0) << errors_;
    EXPECT_EQ(read_file(file("dealt.csv")), read_file(file("alone.csv"))) << ranks;
  }
  const Outcome alone = davsim({"sweep", "s.json", "--mpi"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_TRUE(holds(alone.err, "no launcher of MPI has started this"));
}

TEST_F(RanksTest, ASweepOutlivesAWorkerThatIsKilledInMidRun) {
  write_file(file("s.json"), kGrid);
  ASSERT_EQ(davsim({"sweep", "s.json", "--out", "alone.csv"}).status, 0);
  const std::string dealt = "mpirun --enable-recovery --oversubscribe -n 3 " DAVSIM_PROGRAM
                            " sweep s.json --mpi --out dealt.csv";
  // A worker has a child while it runs a row.
  const std::string script =
      "( " + dealt +
      " & echo $! > pid; wait $! ) & "
      "for i in $(seq 500); do sleep 0.02; [ -s pid ] || continue; kill -0 $(cat pid) || break; "
      "for worker in $(pgrep -P $(cat pid) davsim); do "
      "pgrep -P $worker > child && kill -9 $worker && break 2; done; done; wait";
  int status = 0;
  shell("{ " + script + "; }", status);
  EXPECT_NE(read_file(file("child")), "") << "no worker was at work";
  EXPECT_EQ(read_file(file("dealt.csv")), read_file(file("alone.csv"))) << errors_;
}

TEST_F(RanksTest, RanksInTwoNetworkNamespacesWorkTogether) {
  const std::string between = DAVSIM_SOURCE "/tests/cli/two_namespaces.sh " DAVSIM_PROGRAM " ";
  const std::string call = "run-system atlas_a3_server:8 --op all-to-all --bytes 1MiB --json";
  int status = 0;
  const std::string out = shell(between + call, status);
  if (status == 77) GTEST_SKIP() << "the host allows no network namespaces";
  EXPECT_EQ(status, 0) << errors_;
  EXPECT_EQ(out, shell(std::string(DAVSIM_PROGRAM " ") + call, status));
  const std::string op = "run-system atlas_a3_server npu_moe_distribute_dispatch_v2 --case MDD2-3";
  EXPECT_EQ(shell(between + op, status), shell(std::string(DAVSIM_PROGRAM " ") + op, status));

  write_file(file("s.json"), kGrid);
  ASSERT_EQ(davsim({"sweep", "s.json", "--out", "alone.csv"}).status, 0);
  shell(between + "sweep s.json --mpi --out dealt.csv", status);
  EXPECT_EQ(status, 0) << errors_;
  EXPECT_EQ(read_file(file("dealt.csv")), read_file(file("alone.csv")));
}

}  // namespace
}  // namespace davsim::cli
