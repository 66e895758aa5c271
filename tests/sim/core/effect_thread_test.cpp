// Instructions take effect behind the clock, in a thread of their own: nobody may notice.
#include <filesystem>
#include <iterator>
#include <utility>

#include "isa/exec/execute.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::FaultClass;

constexpr std::uint32_t kElements = 8192;

class EffectThread : public DeviceTest {
 protected:
  /// Some hundred additions of 1, one behind the other: results that take long to come.
  static void count_to(LocalTensor<float>& x, int n) {
    Duplicate(x, 0.0f, kElements);
    for (int i = 0; i < n; ++i) {
      PipeBarrier<PIPE_V>();
      Adds(x, x, 1.0f, kElements);
    }
  }
};

TEST_F(EffectThread, TheScalarUnitReadsWhatPipesWroteToUb) {
  std::vector<float> seen(2);
  on_vector(1, [&] {
    auto x = ub<float>(0, kElements);
    for (float& value : seen) {
      count_to(x, 300);
      SetFlag<HardEvent::V_S>(EVENT_ID0);
      WaitFlag<HardEvent::V_S>(EVENT_ID0);
      value = x.GetValue(kElements - 1);
      x.SetValue(0, 5.0f);
      SetFlag<HardEvent::S_V>(EVENT_ID0);
      WaitFlag<HardEvent::S_V>(EVENT_ID0);
    }
  });
  EXPECT_EQ(seen, std::vector<float>(2, 300.0f));
}

TEST_F(EffectThread, TheScalarUnitReadsWhatPipesWroteToGlobalMemory) {
  float* data = global<float>(kElements, "data", [](auto) { return 0; });
  float cached = 0, direct = 0;
  on_vector(1, [&, data] {
    auto x = ub<float>(0, kElements);
    count_to(x, 300);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(data, kElements), x, kElements);
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    cached = gm(data, kElements).GetValue(kElements - 1);
    count_to(x, 200);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm(data, kElements), x, kElements);
    PipeBarrier<PIPE_ALL>();
    direct = data[0];  // a pointer to global memory, read as it is
  });
  EXPECT_EQ(cached, 300.0f);
  EXPECT_EQ(direct, 200.0f);
}

TEST_F(EffectThread, AStoreOfTheScalarUnitComesBehindWhatWasReadBefore) {
  float* from = global<float>(kElements, "from", [](auto) { return 1; });
  float* to = global<float>(kElements, "to", [](auto) { return 0; });
  on_vector(1, [=] {
    auto x = ub<float>(0, kElements);
    auto y = ub<float>(kElements * sizeof(float), kElements);
    count_to(y, 300);
    DataCopy(x, gm(from, kElements), kElements);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    gm(from, kElements).SetValue(0, 2.0f);
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(
        gm(from, kElements));
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    DataCopy(gm(to, kElements), x, kElements);
  });
  EXPECT_EQ(from[0], 2.0f);
  EXPECT_EQ(to[0], 1.0f);
}

/// Far more effects than may be under way at once, so that both threads compute some of them.
TEST_F(EffectThread, CoresThatAddToTheSameBytesLoseNothing) {
  constexpr int kCores = 8, kRounds = 150, kAdds = 16;
  float* sum = global<float>(kElements, "sum", [](auto) { return 0; });
  on_vector(kCores, [=] {
    auto x = ub<float>(0, kElements);
    auto one = ub<float>(kElements * sizeof(float), 64);
    Duplicate(one, 0.0f, 64);
    for (int round = 0; round < kRounds; ++round) {
      count_to(x, 1);
      for (int i = 0; i < kAdds; ++i) {
        PipeBarrier<PIPE_V>();
        Adds(one, one, 1.0f, 64);
      }
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      SetAtomicAdd<float>();
      DataCopy(gm(sum, kElements), x, kElements);
      SetAtomicNone();
      SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetAtomicAdd<float>();
    DataCopy(gm(sum, 64), one, 64);
    SetAtomicNone();
  });
  EXPECT_EQ(sum[0], kCores * (kRounds + kRounds * kAdds));
  EXPECT_EQ(sum[64], kCores * kRounds);
  EXPECT_EQ(sum[kElements - 1], kCores * kRounds);
}

std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

/// Effects from the 256th on are worth a thread. It ends with its launch.
TEST_F(EffectThread, AShortLaunchStartsNoThread) {
  const std::ptrdiff_t before = threads();
  for (const auto& [additions, started] : {std::pair(100, 0), {1000, 1}, {100, 0}}) {
    std::ptrdiff_t during = 0;
    on_vector(1, [&, count = additions] {
      auto x = ub<float>(0, 64);
      for (int i = 0; i < count; ++i) Adds(x, x, 1.0f, 64);
      PipeBarrier<PIPE_ALL>();
      during = threads();
    });
    EXPECT_EQ(during - before, started) << additions;
    EXPECT_EQ(threads(), before) << additions;
  }
}

/// Takes offsets that lead out of UB, behind work that takes the other thread long.
void gather_astray(LocalTensor<float>& x) {
  auto offsets = ub<std::uint32_t>(65536, 64);
  Duplicate(offsets, std::uint32_t{1} << 20, 64);
  PipeBarrier<PIPE_V>();
  Gather(x, ub<float>(131072, 64), offsets, 0u, 64u);
}

TEST_F(EffectThread, TheFirstFaultIsReportedWhateverComesBehindIt) {
  const auto fault = fault_of([&] {
    on_vector(2, [] {
      auto x = ub<float>(0, kElements);
      if (GetBlockIdx() == 1) {
        count_to(x, 100);
        gather_astray(x);
      }
      SetFlag<HardEvent::V_MTE3>(EVENT_ID3);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);
      if (GetBlockIdx() == 1) WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);  // never set
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kAddress);
  EXPECT_EQ(fault.core, "core0.veccore1");
  EXPECT_EQ(fault.instruction, "VGATHER");
  EXPECT_EQ(fault.pipe, "V");
  EXPECT_EQ(fault.kernel, "test_kernel");
  EXPECT_NE(fault.where.line(), 0u);
}

TEST_F(EffectThread, NothingHappensBehindAFault) {
  float* data = global<float>(kElements, "data", [](auto) { return 7; });
  const auto fault = fault_of([&] {
    on_vector(1, [=] {
      auto x = ub<float>(0, kElements);
      gather_astray(x);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(gm(data, kElements), x, kElements);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kAddress);
  EXPECT_EQ(data[0], 7.0f);
  on_vector(1, [=] {  // the device goes on
    auto x = ub<float>(0, kElements);
    count_to(x, 3);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm(data, kElements), x, kElements);
  });
  EXPECT_EQ(data[0], 3.0f);
}

}  // namespace
}  // namespace davsim::test
