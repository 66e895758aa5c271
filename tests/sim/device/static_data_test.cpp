// Variables of a kernel's file that instructions access: the device keeps them in global memory.
#include <algorithm>
#include <iterator>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kWords = 64;
__gm__ const std::int32_t g_table[kWords] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
alignas(64) __gm__ std::int32_t g_state[kWords];

class StaticData : public DeviceTest, public testing::WithParamInterface<sim::Mode> {
 protected:
  StaticData() {
    device("Ascend910B3", {.mode = GetParam()});
    std::fill(std::begin(g_state), std::end(g_state), 0);
  }
};

TEST_P(StaticData, ATableIsCopiedAndRead) {
  std::int32_t* const out = global<std::int32_t>(kWords, "out", [](auto) { return 0; });
  std::int32_t seen = 0;
  on_vector(1, [&] {
    GlobalTensor<std::int32_t> table;
    table.SetGlobalBuffer(const_cast<__gm__ std::int32_t*>(g_table), kWords);
    const auto copy = ub<std::int32_t>(0, kWords);
    DataCopy(copy, table, kWords);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm(out, kWords), copy, kWords);
    seen = table.GetValue(5);
  });
  EXPECT_TRUE(std::equal(std::begin(g_table), std::end(g_table), out));
  EXPECT_EQ(seen, 9);
}

TEST_P(StaticData, AVariableIsAddedToAndKeepsItsValue) {
  for (int launch = 1; launch <= 2; ++launch) {
    on_vector(4, [&] {
      const auto ones = ub<std::int32_t>(0, kWords);
      Duplicate(ones, 1, kWords);
      PipeBarrier<PIPE_ALL>();
      SetAtomicAdd<std::int32_t>();
      DataCopy(gm(g_state, kWords), ones, kWords);
      SetAtomicNone();
    });
    EXPECT_EQ(g_state[0], 4 * launch);
    EXPECT_EQ(g_state[kWords - 1], 4 * launch);
  }
}

INSTANTIATE_TEST_SUITE_P(, StaticData, testing::Values(sim::Mode::kTimed, sim::Mode::kFunctional),
                         [](const auto& info) {
                           return info.param == sim::Mode::kTimed ? "Timed" : "Functional";
                         });

}  // namespace
}  // namespace davsim::test
