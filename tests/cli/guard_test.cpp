// Runs that cannot be ended from inside.
#include "cli/guard.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "io/pending_file.hpp"
#include "isa/core/running_kernel.hpp"
#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

class GuardTest : public ProgramTest {
 protected:
  /// What a run does in the child process of a death test.
  template <class Body>
  void guarded(unsigned seconds, bool json, Body body) {
    io::PendingFile file(file_path());
    const RunGuard guard(seconds, "stuck_operator", {.json = json});
    clean_up_when_interrupted();
    body();
    _exit(0);
  }
  std::string file_path() const { return file("out.safetensors").string(); }
};

using GuardDeathTest = GuardTest;

void loop_for_ever() {
  for (volatile bool go_on = true; go_on;) {
  }
}

TEST_F(GuardDeathTest, EndlessNativeLoop) {
  EXPECT_EXIT(guarded(1, false, loop_for_ever), ::testing::ExitedWithCode(4),
              "stuck_operator did not end within 1 s");
  EXPECT_TRUE(files().empty());
}

TEST_F(GuardDeathTest, EndlessNativeLoopAsJson) {
  EXPECT_EXIT(guarded(1, true, loop_for_ever), ::testing::ExitedWithCode(4),
              R"(\{"error":\{"class":"timeout",.*stuck_operator)");
}

TEST_F(GuardDeathTest, NativeCrashes) {
  EXPECT_EXIT(guarded(0, false, [] { raise(SIGSEGV); }), ::testing::ExitedWithCode(4),
              "stuck_operator crashed in native code: invalid memory access");
  EXPECT_EXIT(guarded(0, false, [] { raise(SIGFPE); }), ::testing::ExitedWithCode(4), "division");
  EXPECT_EXIT(guarded(0, true, [] { raise(SIGABRT); }), ::testing::ExitedWithCode(4),
              R"("class":"crash")");
  EXPECT_TRUE(files().empty());
}

void exit_in_kernel() {
  isa::g_running_kernel = {"stuck", "core0.veccore1", isa::SourceLocation::current()};
  std::exit(0);
}

TEST_F(GuardDeathTest, ExitInAKernel) {
  EXPECT_EXIT(guarded(0, false, exit_in_kernel), ::testing::ExitedWithCode(4),
              "stuck_operator ended the process by exit\\(\\).*core: core0.veccore1");
  EXPECT_EXIT(guarded(0, true, exit_in_kernel), ::testing::ExitedWithCode(4),
              R"("class":"crash".*"core":"core0.veccore1")");
  EXPECT_TRUE(files().empty());
  EXPECT_EXIT(guarded(0, false, [] { std::exit(3); }), ::testing::ExitedWithCode(3), "");
}

TEST_F(GuardDeathTest, InterruptsRemoveTemporaryFiles) {
  EXPECT_EXIT(guarded(0, false, [] { raise(SIGINT); }), ::testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(guarded(0, false, [] { raise(SIGTERM); }), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(guarded(0, false, [] { raise(SIGHUP); }), ::testing::KilledBySignal(SIGHUP), "");
  EXPECT_EXIT(guarded(0, false, [] { raise(SIGPIPE); }), ::testing::KilledBySignal(SIGPIPE), "");
  EXPECT_TRUE(files().empty());
}

TEST_F(GuardDeathTest, WhatTheCallerIgnoresStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  EXPECT_EXIT(guarded(0, false, [] { raise(SIGHUP); }), ::testing::ExitedWithCode(0), "");
  std::signal(SIGHUP, SIG_DFL);
}

TEST_F(GuardDeathTest, NothingIsLeftOfAGuard) {
  EXPECT_EXIT(
      {
        { const RunGuard guard(1, "op", {}); }
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace davsim::cli
