// LocalTensors that a kernel uses without having given them a place: as on the device they lie at
// byte 0 of UB.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class Placeless : public DeviceTest {
 protected:
  static constexpr std::int32_t kLength = 64;
};

TEST_F(Placeless, VectorInstructionsFindThemAtTheStartOfUb) {
  std::vector<float> seen;
  on_vector(1, [&] {
    const LocalTensor<float> first = ub<float>(0, kLength), second = ub<float>(1024, kLength);
    const LocalTensor<float> none;
    Duplicate(second, 2.0f, kLength);
    PipeBarrier<PIPE_V>();
    Adds(none, second, 1.0f, kLength);
    PipeBarrier<PIPE_V>();
    Mul(second, none, second, kLength);
    PipeBarrier<PIPE_V>();
    Adds(none[8], second, 1.0f, 8);
    PipeBarrier<PIPE_ALL>();
    seen = {first.GetValue(0), first.GetValue(8), second.GetValue(0)};
  });
  EXPECT_EQ(seen, (std::vector<float>{3.0f, 7.0f, 6.0f}));
}

TEST_F(Placeless, SoDoesTheScalarUnit) {
  std::vector<float> seen;
  on_vector(1, [&] {
    LocalTensor<float> none;
    none.SetValue(3, 5.0f);
    seen = {ub<float>(0, kLength).GetValue(3), none.GetValue(3)};
  });
  EXPECT_EQ(seen, (std::vector<float>{5.0f, 5.0f}));
}

TEST_F(Placeless, AHalfAndItsWidenedFloatsAreTheSameBytes) {
  // What kernels of the field do: both tensors of a conversion were never allocated.
  std::vector<float> seen;
  on_vector(1, [&] {
    const LocalTensor<half> narrow;
    const LocalTensor<float> wide;
    Duplicate(narrow, half(3.0f), kLength);
    PipeBarrier<PIPE_V>();
    Cast(wide, narrow, RoundMode::CAST_NONE, kLength);
    PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < kLength; ++i) seen.push_back(wide.GetValue(i));
  });
  EXPECT_EQ(seen, std::vector<float>(kLength, 3.0f));
}

TEST_F(Placeless, ALaunchSaysWhereOneWasUsed) {
  on_vector(1, [] { Duplicate(LocalTensor<float>(), 1.0f, kLength); });
  const std::string said = device().suspicion();
  EXPECT_NE(said.find("core0.veccore0 uses a LocalTensor that was never allocated"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("placeless_test.cpp:"), std::string::npos) << said;
  on_vector(1, [this] { Duplicate(ub<float>(0, kLength), 1.0f, kLength); });
  EXPECT_EQ(device().suspicion(), "");
}

TEST_F(Placeless, NoCopyKnowsAPathToThem) {
  const auto in = gm(global<float>(kLength, "x", [](std::size_t) { return 3.0f; }), kLength);
  const auto fault =
      fault_of([&] { on_vector(1, [&] { DataCopy(LocalTensor<float>(), in, kLength); }); });
  EXPECT_NE(fault.message.find("was never allocated"), std::string::npos) << fault.message;
}

}  // namespace
}  // namespace davsim::test
