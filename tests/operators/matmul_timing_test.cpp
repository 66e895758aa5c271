// How long matmul takes on simulated cores, and that taking time changes nothing.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/operators/matmul_call.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

using isa::DType;

/// Share of the cubes' peak that a call reached, and time over the least time HBM needs.
struct Efficiency {
  double cube, memory;
};

Efficiency efficiency_of(const operators::Call& call, const observe::LaunchReport& report,
                         const sim::SocConfig& soc) {
  const operators::Cost cost = matmul().cost(operators::validated(matmul(), call, soc));
  const auto rate = [&](const char* type) {
    return 2 * soc.constant("Timing.Cube", type, "macs/cycle") * soc.aic_count();
  };
  const double cycles = static_cast<double>(report.cycles);
  const double cube = cost.cube_flops_16bit / rate("f16") + cost.cube_flops_8bit / rate("i8") +
                      cost.cube_flops_32bit / rate("f32");
  const double inputs =
      static_cast<double>(call.tensors.at("a").bytes() + call.tensors.at("b").bytes());
  const double hbm = soc.constant("Timing.Hbm", "peak", "bytes/s") / (soc.frequency_mhz() * 1e6);
  return {cube / cycles, inputs / hbm / cycles};
}

/// From a cold L2 nothing beats the cubes' peak, nor HBM when it comes to reading the factors.
TEST(MatmulTiming, NothingBeatsTheRoofline) {
  for (const MmSizes& s :
       {MmSizes{.m = 1, .n = 2048, .k = 2048}, MmSizes{.m = 512, .n = 512, .k = 512},
        MmSizes{.m = 256, .n = 512, .k = 1024, .input = DType::kI8},
        MmSizes{.m = 256, .n = 256, .k = 256, .input = DType::kF32}}) {
    SCOPED_TRACE(to_string(s));
    device().flush_l2();
    const operators::Call call = mm_call(s, device().memory(), 1);
    const Efficiency reached =
        efficiency_of(call, operators::run(matmul(), call, device()).report, device().soc());
    EXPECT_GT(reached.cube, 0);
    EXPECT_LE(reached.cube, 1);
    EXPECT_LE(reached.memory, 1);
  }
}

TEST(MatmulTiming, TheSameCallTakesTheSameTime) {
  const operators::Call call = mm_call({.m = 300, .n = 500, .k = 700}, device().memory(), 2);
  observe::Cycle cycles[2];
  for (observe::Cycle& taken : cycles) {
    device().flush_l2();
    taken = operators::run(matmul(), call, device()).report.cycles;
  }
  EXPECT_EQ(cycles[0], cycles[1]);
}

TEST(MatmulTiming, Slow1024CubedReaches60PercentOfThePeak) {
  const operators::Call call = matmul().make_case("MM-1024", device().memory());
  const auto result = operators::run(matmul(), call, device());
  EXPECT_GE(efficiency_of(call, result.report, device().soc()).cube, 0.60);
}

// --- in processes of their own, because each needs a device of its own
// ----------------------------------

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/// Runs 8192 cubed on 24 cores; exits with 0 if it is fast enough.
// The children of these death tests end without std::exit: it would never unwind the test's own
// frame, and a leak checker would find what hangs on it.
[[noreturn]] void run_8192() {
  sim::Device large(sim::SocConfig::named("Ascend910B1"));
  const operators::Call call = matmul().make_case("MM-8192", large.memory());
  const auto result = operators::run(matmul(), call, large);
  const double reached = efficiency_of(call, result.report, large.soc()).cube;
  require(reached >= 0.75 && reached <= 1, "reached " + std::to_string(reached) + " of the peak");
  const operators::Call good = operators::validated(matmul(), call, large.soc());
  for (const auto& comparison :
       reference::find_reference("matmul")->compare_results(good, {}, result.outputs)) {
    require(comparison.passed, reference::to_string(comparison));
  }
  std::_Exit(0);
}

TEST(MatmulTiming, Slow8192CubedReaches75PercentOfThePeak) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_8192(), testing::ExitedWithCode(0), "");
}

/// Products of several types and layouts, tails and all.
std::vector<MmSizes> assorted() {
  return {{.m = 200, .n = 300, .k = 500},
          {.m = 33, .n = 65, .k = 129, .input = DType::kBF16, .bias = DType::kF32},
          {.m = 70, .n = 90, .k = 110, .input = DType::kF32, .transpose_a = true},
          {.m = 130, .n = 257, .k = 300, .input = DType::kI8, .bias = DType::kI32, .b_nz = true}};
}

/// Writes the results of `assorted`, one behind the other, to a file.
[[noreturn]] void save_results(sim::Mode mode, const std::filesystem::path& path) {
  sim::DeviceOptions options;
  options.mode = mode;
  sim::Device alone(sim::SocConfig::named(kTestSoc), options);
  std::ofstream file(path, std::ios::binary);
  for (const MmSizes& s : assorted()) {
    const auto result = operators::run(matmul(), mm_call(s, alone.memory(), 4), alone);
    const operators::Tensor& c = result.outputs.at("c");
    file.write(reinterpret_cast<const char*>(c.data()), static_cast<std::streamsize>(c.bytes()));
  }
  require(file.good(), "cannot write " + path.string());
  file.close();
  std::_Exit(0);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(MatmulTiming, TimedAndFunctionalRunsGiveTheSameBytes) {
  GTEST_FLAG_SET(death_test_style, "fast");  // the folder's name is known to both processes
  const ScratchFolder folder;
  const std::filesystem::path timed = folder / "timed", functional = folder / "functional";
  EXPECT_EXIT(save_results(sim::Mode::kTimed, timed), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(save_results(sim::Mode::kFunctional, functional), testing::ExitedWithCode(0), "");
  EXPECT_FALSE(contents(timed).empty());
  EXPECT_EQ(contents(timed), contents(functional));
}

}  // namespace
}  // namespace davsim::test
