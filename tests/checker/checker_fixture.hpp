// Small kernels with one planted bug each, and the same kernels mended.
#pragma once

#include <string>
#include <vector>

#include "checker/checker.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {

using checker::Class;

/// A kernel in both forms; it leaves out what mends it unless `mended`.
using Planted = std::function<void(bool mended)>;

class CheckerTest : public DeviceTest {
 protected:
  static constexpr std::uint32_t kCount = 256;

  void SetUp() override { device().check(&checker_); }

  /// The kernel with its bug is reported as `cls`, and for nothing else, at the line of `file` that
  /// says "BUG <name of the test>"; mended it is clean.
  void expect_on(isa::KernelType type, std::uint32_t blocks, Class cls, const Planted& kernel,
                 const char* file = __builtin_FILE()) {
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    run(type, blocks, [&] { kernel(false); });
    expect_only(cls, line_with(file, "BUG " + test));
    checker_.forget_findings();
    run(type, blocks, [&] { kernel(true); });
    EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n") << "the mended kernel";
  }
  void expect_vector(Class cls, const Planted& kernel, const char* file = __builtin_FILE()) {
    expect_on(isa::KernelType::kAivOnly, 1, cls, kernel, file);
  }
  void expect_cube(Class cls, const Planted& kernel, const char* file = __builtin_FILE()) {
    expect_on(isa::KernelType::kAicOnly, 1, cls, kernel, file);
  }

  void run(isa::KernelType type, std::uint32_t blocks, const std::function<void()>& kernel) {
    const auto aic = type == isa::KernelType::kAivOnly ? std::function<void()>() : kernel;
    const auto aiv = type == isa::KernelType::kAicOnly ? std::function<void()>() : kernel;
    try {
      launch(type, blocks, aic, aiv);
    } catch (const isa::Fault&) {
      // It is a finding too.
    }
  }

  /// A flag of its own right after what has to come first; without it, the bug.
  template <AscendC::HardEvent event>
  static void order(bool really = true) {
    if (!really) return;
    AscendC::SetFlag<event>(EVENT_ID0);
    AscendC::WaitFlag<event>(EVENT_ID0);
  }
  static bool on_aic() { return isa::current_core().identity().type == isa::CoreType::AIC; }

  const std::vector<checker::Finding>& findings() const { return checker_.findings().all(); }
  checker::Checker checker_;

  float* in_ = global<float>(4096, "in", [](std::size_t i) { return static_cast<float>(i % 7); });
  float* out_ = global<float>(4096, "out", [](std::size_t) { return 0.0f; });

  AscendC::GlobalTensor<float> in() const { return gm(in_, 4096); }
  AscendC::GlobalTensor<float> out() const { return gm(out_, 4096); }

 private:
  static std::uint32_t line_with(const char* file, const std::string& text) {
    const std::vector<std::string>& lines = checker::source_lines(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].ends_with(text)) return static_cast<std::uint32_t>(i + 1);
    }
    ADD_FAILURE() << "no line ends with " << text;
    return 0;
  }

  void expect_only(Class cls, std::uint32_t line) const {
    const std::string text = checker::text_of(checker_.findings());
    bool found = false;
    for (const checker::Finding& finding : findings()) {
      EXPECT_EQ(checker::class_name(finding.cls), checker::class_name(cls)) << text;
      found = found || finding.first.where.line() == line || finding.second.where.line() == line;
    }
    EXPECT_TRUE(found) << "nothing at line " << line << ":\n" << text;
  }
};

}  // namespace davsim::test
