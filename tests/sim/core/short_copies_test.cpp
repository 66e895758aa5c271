// Copies of elements that fill no whole DataBlocks: as on the device they move those that they
// fill.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class ShortCopies : public DeviceTest {
 protected:
  static constexpr std::uint32_t kLength = 64;

  GlobalTensor<float> counted() {
    return gm(global<float>(kLength, "x", [](std::size_t i) { return static_cast<float>(i + 1); }),
              kLength);
  }
};

TEST_F(ShortCopies, MoveTheDataBlocksThatTheirElementsFill) {
  const auto in = counted();
  std::vector<float> seen;
  on_vector(1, [&] {
    const LocalTensor<float> x = ub<float>(0, kLength);
    Duplicate(x, 0.0f, kLength);
    PipeBarrier<PIPE_ALL>();
    DataCopy(x, in, 29);
    PipeBarrier<PIPE_ALL>();
    seen = {x.GetValue(23), x.GetValue(24)};
  });
  EXPECT_EQ(seen, (std::vector<float>{24.0f, 0.0f}));
}

TEST_F(ShortCopies, ALaunchSaysWhereOneWas) {
  const auto in = counted();
  on_vector(1, [&] { DataCopy(ub<float>(0, kLength), in, 29); });
  const std::string said = device().suspicion();
  EXPECT_NE(said.find("core0.veccore0 copies 96 of 116 bytes at"), std::string::npos) << said;
  EXPECT_NE(said.find("short_copies_test.cpp:"), std::string::npos) << said;
  on_vector(1, [&] { DataCopy(ub<float>(0, kLength), in, 32); });
  EXPECT_EQ(device().suspicion(), "");
}

}  // namespace
}  // namespace davsim::test
