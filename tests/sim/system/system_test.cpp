// Several dies: memory of each other, links, and collective operations.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/sim/system/system_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::CollectiveKind;

/// A kernel's program: die 0 writes data and then a flag into die 1, which polls its own memory.
void data_before_flag(std::uint32_t die, std::int32_t* data, std::int32_t* flag,
                      std::int32_t* result, std::uint32_t count) {
  const auto block = ub<std::int32_t>(0, count);
  const auto word = ub<std::int32_t>(count * 4, 8);
  if (die == 0) {
    Duplicate(block, 7, count);
    Duplicate(word, 1, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(data, count), block, count);
    PipeBarrier<PIPE_MTE3>();
    DataCopy(gm(flag, 8), word, 8);
    return;
  }
  std::int32_t seen = 0;
  while (seen != 1) {
    DataCopy(word, gm(flag, 8), 8);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    seen = word.GetValue(0);
  }
  DataCopy(block, gm(data, count), count);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(gm(result, count), block, count);
}

TEST_F(SystemTest, AFlagWrittenBehindDataIsSeenBehindThem) {
  device("ascend_910c", 2);
  constexpr std::uint32_t kCount = 4096;
  auto* data = shared<std::int32_t>(1, kCount);
  auto* flag = shared<std::int32_t>(1, 8);
  auto* result = shared<std::int32_t>(1, kCount);
  const auto reports =
      on_dies([=](std::uint32_t die) { data_before_flag(die, data, flag, result, kCount); });
  EXPECT_TRUE(std::all_of(result, result + kCount, [](std::int32_t x) { return x == 7; }));
  // Data and flag each cross the link once, in 200 ns, at 1850 MHz.
  EXPECT_GT(reports[1].cycles, 2u * 370u);
  std::uint64_t crossed = 0;
  for (const sim::LinkCounters& link : device_->links()) crossed += link.out ? link.bytes : 0;
  EXPECT_EQ(crossed, kCount * 4 + 32u);
}

TEST_F(SystemTest, PeersOfAMeshHaveLinksOfTheirOwn) {
  device("atlas_a2_server", 4);
  constexpr std::uint32_t kCount = 16384, kCores = 16;
  std::vector<float*> remote;
  for (std::uint32_t die = 0; die < 4; ++die) remote.push_back(shared<float>(die, kCount));
  // Half of the cores of die 0 read from die 1, the others from `second`.
  const auto read = [&](std::uint32_t second) {
    const auto reports = on_dies(
        [&, second](std::uint32_t die) {
          if (die != 0) return;
          const std::uint32_t from = GetBlockIdx() < kCores / 2 ? 1 : second;
          DataCopy(ub<float>(0, kCount), gm(remote[from], kCount), kCount);
        },
        kCores);
    return static_cast<double>(reports[0].cycles);
  };
  const double rate = 26.2e3 / device_->soc().frequency_mhz();  // of a link, in bytes a cycle
  const double half = kCores / 2 * kCount * 4.0 / rate;
  read(2);  // brings the lines to L2
  const double apart = read(2), together = read(1);
  EXPECT_GT(apart, half);
  EXPECT_LT(apart, 1.1 * half + 3000);
  EXPECT_NEAR(together - apart, half, 0.1 * half);
}

TEST_F(SystemTest, MemoryThatIsNotSharedIsRefused) {
  device("ascend_910c", 2);
  auto* secret =
      reinterpret_cast<float*>(device_->memory(1).allocate(256, "secret of the other die"));
  try {
    on_dies([=](std::uint32_t die) {
      if (die == 0) DataCopy(ub<float>(0, 64), gm(secret, 64), 64);
    });
    FAIL() << "the access went through";
  } catch (const isa::Fault& fault) {
    EXPECT_EQ(fault.cls, isa::FaultClass::kAddress);
    EXPECT_NE(fault.message.find("lies on die 1"), std::string::npos) << fault.message;
    EXPECT_NE(fault.message.find("the allocation is not shared"), std::string::npos)
        << fault.message;
  }
}

/// Two shots over a full mesh move twice a part of the bytes over each link, and copies through
/// windows take some time at both ends.
TEST_F(SystemTest, AllReduceOverAMeshTakesTheTimeOfItsLinks) {
  device("atlas_a2_server", 8);
  constexpr std::uint64_t kBytes = 8 << 20;
  communicator(8, "group", kBytes);
  std::vector<isa::Collective> ranks;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    isa::Collective& of = ranks.emplace_back();
    of.kind = CollectiveKind::kAllReduce;
    of.send = reinterpret_cast<std::uint64_t>(shared<std::byte>(rank, kBytes));
    of.recv = of.send;
    of.count = kBytes / 2;
    of.type = HCCL_DATA_TYPE_FP16;
  }
  device_->communicators()->run("group", ranks);
  const double us =
      static_cast<double>(device_->finish_transfers()) / device_->soc().frequency_mhz();
  const double share = device_->communicators()->system().collectives().link_share;
  const double links_us = 2 * (kBytes / 8.0) / (26.2e9 * share) * 1e6;
  EXPECT_GT(us, links_us);
  EXPECT_LT(us, 1.6 * links_us + 40);
}

}  // namespace
}  // namespace davsim::test
