// A whole program, with what the environment asks of the simulator.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ProgramTest : public ::testing::Test {
 protected:
  /// Runs the program with variables in front of it; its status, or 128 and the signal.
  int run(const std::string& environment, const std::string& argument = "") {
    const std::string command = "cd " + folder_.path().string() + " && " + environment + " " +
                                DAVSIM_RUNTIME_PROGRAM + " " + argument + " >out 2>err";
    const int status = std::system(command.c_str());
    out_ = contents(folder_ / "out");
    err_ = contents(folder_ / "err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  bool said(const std::string& text) const { return err_.find(text) != std::string::npos; }

  ScratchFolder folder_;
  std::string out_, err_;
};

TEST_F(ProgramTest, RunsAndSaysNothingMore) {
  EXPECT_EQ(run(""), 0) << err_;
  EXPECT_EQ(out_, "test pass on Ascend910B3\n");
  EXPECT_EQ(err_, "");
}

TEST_F(ProgramTest, TheEnvironmentChoosesTheSoc) {
  EXPECT_EQ(run("DAVSIM_SOC=Ascend910_9391"), 0) << err_;
  EXPECT_EQ(out_, "test pass on Ascend910_9391\n");
  EXPECT_EQ(run("DAVSIM_SOC=Ascend910B33"), 1);
  EXPECT_TRUE(said("did you mean 'Ascend910B3'?")) << err_;
  EXPECT_TRUE(said("gives 207004")) << err_;
}

TEST_F(ProgramTest, WrongValuesOfVariablesAreNamed) {
  EXPECT_EQ(run("DAVSIM_SET=l2.siz=3"), 1);
  EXPECT_TRUE(said("the nearest are l2.size")) << err_;
  EXPECT_EQ(run("DAVSIM_CHECK=maybe"), 1);
  EXPECT_TRUE(said("DAVSIM_CHECK is 'maybe'; it is 0 or 1")) << err_;
  EXPECT_EQ(run("DAVSIM_FUNCTIONAL=1 DAVSIM_TRACE=t.json"), 1);
  EXPECT_TRUE(said("DAVSIM_TRACE means nothing with it")) << err_;
  EXPECT_EQ(run("DAVSIM_TRACE=same DAVSIM_REPORT=same"), 1);
  EXPECT_TRUE(said("two variables name the same output file 'same'")) << err_;
  EXPECT_EQ(run("DAVSIM_TRACE=no/such/folder/t.json"), 1);
  EXPECT_TRUE(said("no/such/folder")) << err_;
  EXPECT_EQ(run("DAVSIM_TRAC=1"), 0);
  EXPECT_TRUE(said("did you mean 'DAVSIM_TRACE'?")) << err_;
}

TEST_F(ProgramTest, ToolsOfTheCommandWriteTheirFilesAtTheEnd) {
  const std::string tools =
      "DAVSIM_TRACE=t.json DAVSIM_HTML=p.html DAVSIM_VCD=w.vcd DAVSIM_MSPROF=m "
      "DAVSIM_REPORT=r.json "
      "DAVSIM_INSTRUCTIONS=i.csv DAVSIM_EXPLAIN=1";
  for (const char* argument : {"", "just-exit"}) {
    ASSERT_EQ(run(tools, argument), 0) << err_;
    for (const char* file : {"t.json", "p.html", "w.vcd", "r.json", "i.csv"}) {
      EXPECT_GT(fs::file_size(folder_ / file), 100u) << file;
      fs::remove(folder_ / file);
    }
    EXPECT_FALSE(fs::is_empty(folder_ / "m"));
    fs::remove_all(folder_ / "m");
    EXPECT_TRUE(said("Stalls of the pipes")) << err_;
  }
}

TEST_F(ProgramTest, TheReportSumsUpKernels) {
  ASSERT_EQ(run("DAVSIM_SET='l2.size=50%;clock=1GHz' DAVSIM_REPORT=r_%p.json"), 0) << err_;
  fs::path report;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".json") report = entry.path();
  }
  EXPECT_NE(report.filename(), "r_%p.json") << "%p is the process";
  const boost::json::object json = boost::json::parse(contents(report)).as_object();
  EXPECT_EQ(json.at("launches").to_number<int>(), 1);
  const auto& kernel = json.at("kernels").as_array().at(0).as_object();
  EXPECT_EQ(kernel.at("kernel").as_string(), "scale_custom");
  EXPECT_GT(kernel.at("cycles").to_number<double>(), 0);
  EXPECT_EQ(json.at("last_launch").as_object().at("frequency_mhz").to_number<double>(), 1000);
}

TEST_F(ProgramTest, AFunctionalRunHasNoTime) {
  EXPECT_EQ(run("DAVSIM_FUNCTIONAL=1 DAVSIM_REPORT=r.json"), 0) << err_;
  EXPECT_NE(contents(folder_ / "r.json").find("\"timed\":false"), std::string::npos);
}

TEST_F(ProgramTest, TheCheckerSpeaksAtTheEndAndInTheStatus) {
  EXPECT_EQ(run("DAVSIM_CHECK=1"), 0) << err_;
  EXPECT_EQ(run("DAVSIM_CHECK=1", "race"), 4) << err_;
  EXPECT_TRUE(said("behave_custom.cpp:28")) << err_;
}

TEST_F(ProgramTest, TheCheckerTellsOfMemoryThatNobodyWrote) {
  EXPECT_EQ(run("DAVSIM_CHECK=1", "forget"), 4) << err_;
  EXPECT_TRUE(said("uninitialised")) << err_;
  EXPECT_TRUE(said("scale_custom.cpp")) << err_;
  EXPECT_EQ(run("", "forget"), 0) << err_;
}

TEST_F(ProgramTest, AFaultIsShownAndNothingIsWritten) {
  EXPECT_EQ(run("DAVSIM_TRACE=t.json", "fault"), 1);
  EXPECT_TRUE(said("core0.veccore0")) << err_;
  EXPECT_TRUE(said("behave_custom.cpp:18")) << err_;
  EXPECT_TRUE(said("gives 507035")) << err_;
  EXPECT_TRUE(said("because a kernel went wrong")) << err_;
  EXPECT_FALSE(fs::exists(folder_ / "t.json"));
}

TEST_F(ProgramTest, ACrashOfAKernelNamesCoreAndLine) {
  EXPECT_EQ(run("DAVSIM_TRACE=t.json", "crash-kernel"), 4);
  EXPECT_TRUE(said("a kernel crashed in native code: invalid memory access (SIGSEGV)")) << err_;
  EXPECT_TRUE(said("core: core0.veccore0")) << err_;
  EXPECT_TRUE(said("behave_custom.cpp:13")) << err_;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename().string().find("t.json"), std::string::npos) << entry.path();
  }
}

TEST_F(ProgramTest, AKernelThatEndsTheProcessNamesCoreAndLine) {
  EXPECT_EQ(run("DAVSIM_TRACE=t.json", "exit-kernel"), 4);
  EXPECT_TRUE(said("a kernel ended the process by exit()")) << err_;
  EXPECT_TRUE(said("kernel: behave_custom\n  core: core0.veccore0\n")) << err_;
  EXPECT_TRUE(said("behave_custom.cpp:13")) << err_;
  EXPECT_FALSE(fs::exists(folder_ / "t.json"));
  EXPECT_EQ(run("", "own 10"), 4);
  EXPECT_TRUE(said("a kernel ended the process by exit()")) << err_;
}

TEST_F(ProgramTest, ACrashOfTheHostEndsAsItWouldHave) {
  EXPECT_EQ(run("", "crash-host"), 128 + SIGSEGV);
  EXPECT_TRUE(said("the host program crashed: invalid memory access")) << err_;
}

TEST_F(ProgramTest, AFunctionalRunIsCheckedAsOne) {
  EXPECT_EQ(run("DAVSIM_CHECK=1 DAVSIM_FUNCTIONAL=1"), 0) << err_;
  EXPECT_EQ(run("DAVSIM_CHECK=1 DAVSIM_FUNCTIONAL=1", "race"), 4) << err_;
}

TEST_F(ProgramTest, AKernelThatLoopsForEverIsEndedWithItsLine) {
  EXPECT_EQ(run("DAVSIM_HOST_TIMEOUT=1 DAVSIM_TRACE=t.json", "loop-host"), 4);
  EXPECT_TRUE(said("not over after 1 s of wall time")) << err_;
  EXPECT_TRUE(said("DAVSIM_HOST_TIMEOUT")) << err_;
#ifndef __SANITIZE_THREAD__  // signals wait there until the thread calls a function of a library
  EXPECT_TRUE(said("kernel: behave_custom\n  core: core0.veccore0\n")) << err_;
  EXPECT_TRUE(said("behave_custom.cpp:13")) << err_;
#endif
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 2) << "out and err";

  EXPECT_EQ(run("DAVSIM_MAX_CYCLES=20000", "loop-device"), 1);
  EXPECT_TRUE(said("1 cores still run their kernels: 1 behind the call at")) << err_;
  EXPECT_TRUE(said("core: core0.veccore0")) << err_;
  EXPECT_TRUE(said("behave_custom.cpp:34")) << err_;
  EXPECT_EQ(run("DAVSIM_MAX_CYCLES=5 DAVSIM_FUNCTIONAL=1"), 1);
  EXPECT_TRUE(said("DAVSIM_MAX_CYCLES means nothing with it")) << err_;
}

TEST_F(ProgramTest, AProgramWithItsOwnDeviceHasTheSameTools) {
  ASSERT_EQ(run("DAVSIM_VCD=w.vcd",
                "own 0 --trace t.json --html=p.html --msprof m --report r.json --explain "
                "--instructions i.csv --soc Ascend910_9391 --set clock=1GHz --set l2.size=50%"),
            0)
      << err_;
  EXPECT_EQ(out_, "done on Ascend910_9391\n");
  for (const char* file : {"t.json", "p.html", "w.vcd", "r.json", "i.csv"}) {
    EXPECT_GT(fs::file_size(folder_ / file), 100u) << file;
  }
  EXPECT_FALSE(fs::is_empty(folder_ / "m"));
  EXPECT_TRUE(said("Stalls of the pipes")) << err_;
  const boost::json::object json = boost::json::parse(contents(folder_ / "r.json")).as_object();
  EXPECT_EQ(json.at("launches").to_number<int>(), 1);
  EXPECT_EQ(json.at("last_launch").as_object().at("frequency_mhz").to_number<double>(), 1000);
  EXPECT_EQ(json.at("end_us"), json.at("last_launch").at("task_time_us"));
}

TEST_F(ProgramTest, AProgramWithItsOwnDeviceSaysWhatWentWrong) {
  EXPECT_EQ(run("", "own 6 --check --functional"), 4) << err_;
  EXPECT_TRUE(said("race")) << err_;
  EXPECT_EQ(run("", "own 6"), 0) << err_;
  EXPECT_EQ(run("", "own 9"), 1) << err_;
  EXPECT_EQ(run("", "own 4 --trace t.json"), 4) << err_;
  EXPECT_TRUE(said("deadlock")) << err_;
  EXPECT_FALSE(fs::exists(folder_ / "t.json"));
  EXPECT_EQ(run("", "own 7 --host-timeout=1"), 4) << err_;
  EXPECT_TRUE(said("--host-timeout is too short")) << err_;
  EXPECT_EQ(run("", "own 8 --max-cycles=5000"), 4) << err_;
  EXPECT_TRUE(said("behave_custom.cpp:34")) << err_;
  EXPECT_EQ(run("", "own 3"), 4) << err_;
  EXPECT_TRUE(said("invalid memory access (SIGSEGV)")) << err_;
}

TEST_F(ProgramTest, WrongOptionsOfAProgramAreNamed) {
  const auto refused = [&](const char* options, const char* message) {
    EXPECT_EQ(run("", std::string("own 0 ") + options), 2) << options;
    EXPECT_TRUE(said(message)) << err_;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 2) << "out and err";
  };
  refused("--soc 910B33", "unknown SoC '910B33'");
  refused("--trace", "--trace needs a value");
  refused("--trace=a --report a", "two options name the same output file 'a'");
  refused("--trace a --trace b", "--trace is given twice");
  refused("--max-cycles many", "--max-cycles is 'many'");
  refused("--functional --trace t", "--trace means nothing with it");
  refused("--set l2.siz=1", "--set l2.siz");
  refused("--report no/such/folder/r", "no/such/folder/r");
  refused("--tarce t", "left: --tarce");
}

}  // namespace
}  // namespace davsim::test
