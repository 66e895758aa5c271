// Loops over single elements, which run ahead of simulated time with a checker as they do without.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedElements : public CheckerTest {
 protected:
  static constexpr int kElements = 304;

  /// Each of four cores has a loop of another length, which starts behind a load.
  void loops() {
    on_vector_cores([&] {
      const auto x = ub<float>(0, kElements), sum = ub<float>(4096, 8);
      DataCopyPad(x, in(), {1, kElements * sizeof(float), 0, 0, 0}, {false, 0, 0, 0});
      order<HardEvent::MTE2_S>();
      float total = 0;
      for (int i = 0; i < kElements - 50 * GetBlockIdx(); ++i) {
        total += x.GetValue(i);
        x.SetValue(i, total);
      }
      sum.SetValue(0, total);
      order<HardEvent::S_MTE3>();
      DataCopyPad(out()[GetBlockIdx() * 8], sum, {1, sizeof(float), 0, 0, 0});
    });
  }
  void on_vector_cores(const std::function<void()>& kernel) {
    cycles_.push_back(on_vector(4, kernel).cycles);
  }

  std::vector<std::uint64_t> cycles_;
};

TEST_F(CheckedElements, TakeTheirTime) {
  loops();  // brings code and data to L2
  loops();
  device().check(nullptr);
  loops();
  EXPECT_EQ(cycles_[1], cycles_[2]);
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
  for (int core = 0; core < 4; ++core) {
    float total = 0;
    for (int i = 0; i < kElements - 50 * core; ++i) total += in_[i];
    EXPECT_EQ(out_[core * 8], total);
  }
}

TEST_F(CheckedElements, OneThatNobodyWroteIsFound) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    const auto x = ub<float>(0, 64);
    for (int i = 0; i < 64; ++i) {
      if (i != 21) x.SetValue(i, 1.0f);
    }
    for (int i = 0; i < 64; ++i) (void)x.GetValue(i);
  });
  ASSERT_EQ(findings().size(), 1u);
  const checker::Finding& finding = findings().front();
  EXPECT_EQ(finding.cls, Class::kUninitialised);
  EXPECT_EQ(finding.addr, 84u);
  EXPECT_EQ(finding.bytes, 4u);
}

TEST_F(CheckedElements, RaceWithALoadOfTheSameBytes) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    const auto x = ub<float>(0, 64);
    for (int i = 0; i < 64; ++i) x.SetValue(i, 1.0f);
    DataCopy(x[8], in(), 8);
  });
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings().front().cls, Class::kRace);
}

}  // namespace
}  // namespace davsim::test
