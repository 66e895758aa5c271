// One mistake is one finding, however many accesses show it.
#include "tests/checker/flow.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class OneFinding : public CheckerTest {};

/// The messages of all findings, in order.
std::vector<std::string> messages(const std::vector<checker::Finding>& findings) {
  std::vector<std::string> texts;
  for (const checker::Finding& finding : findings) {
    texts.push_back(finding.message.substr(0, finding.message.find(" between")));
  }
  return texts;
}

TEST_F(OneFinding, OneMissingOrderBetweenPipesIsOneFinding) {
  // The second load waits for nobody: neither for who reads the first, nor for the first load.
  run(isa::KernelType::kAivOnly, 1, [&] {
    const LocalTensor<float> x = ub<float>(0, 256);
    DataCopy(x, in(), 256);
    order<HardEvent::MTE2_MTE3>();
    DataCopy(out(), x, 256);
    DataCopy(x, in()[256], 256);
    order<HardEvent::MTE2_MTE3>();
    DataCopy(out()[256], x, 256);
  });
  EXPECT_EQ(messages(findings()), std::vector<std::string>{"no flag from MTE3 to MTE2"});
  checker_.forget_findings();

  // What the scalar unit waits for holds up the second instruction too.
  run(isa::KernelType::kAivOnly, 1, [&] {
    const LocalTensor<float> x = ub<float>(0, 64), z = ub<float>(1024, 64);
    Duplicate(x, 1.0f, 64);
    const float value = x.GetValue(3);
    Adds(z, x, value, 64);
  });
  EXPECT_EQ(messages(findings()), std::vector<std::string>{"no flag from V to S"});
  checker_.forget_findings();

  // Without queues in a loop, the way back is there.
  run(isa::KernelType::kAivOnly, 1, [&] {
    const LocalTensor<float> x = ub<float>(0, 256), z = ub<float>(1024, 256);
    for (std::uint32_t i = 0; i < kTiles; ++i) {
      DataCopy(x, in()[i * kTile], kTile);
      Adds(z, x, 1.0f, kTile);
      order<HardEvent::V_MTE2>();
      PipeBarrier<PIPE_V>();
    }
  });
  EXPECT_EQ(messages(findings()), std::vector<std::string>{"no flag from MTE2 to V"});
}

TEST_F(OneFinding, AnOverrunIsOneFinding) {
  // The store reads the other buffer, which is being written.
  run(isa::KernelType::kAivOnly, 1, [&] {
    Flow f;
    for (std::uint32_t i = 0; i < kTiles; ++i) {
      LocalTensor<float> z = f.out_z.AllocTensor<float>();
      Duplicate(z, 1.0f, kTile);
      f.out_z.EnQue(z);
      z = f.out_z.DeQue<float>();
      DataCopy(out()[i * 2 * kTile], z, kTile + 64);
      f.out_z.FreeTensor(z);
    }
  });
  ASSERT_EQ(findings().size(), 1u) << checker::text_of(checker_.findings());
  EXPECT_EQ(findings().front().cls, Class::kOverrun);
}

TEST_F(OneFinding, TwoMissingOrdersAreTwoFindings) {
  const std::vector<std::string> both = {"no flag from V to MTE3", "no PipeBarrier<PIPE_V>"};
  // A reader on another pipe that does not lead back, before and behind the second instruction.
  for (const bool before : {false, true}) {
    run(isa::KernelType::kAivOnly, 1, [&] {
      const LocalTensor<float> x = ub<float>(0, 64), z = ub<float>(1024, 64);
      Duplicate(x, 1.0f, 64);
      if (before) DataCopy(out(), x, 64);
      Adds(z, x, 1.0f, 64);
      if (!before) DataCopy(out(), x, 64);
    });
    EXPECT_EQ(messages(findings()), both);
    checker_.forget_findings();
  }
}

}  // namespace
}  // namespace davsim::test
