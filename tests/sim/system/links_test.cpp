// Every use of a port of a die: what waits, how long it takes, and when what left a die arrives at
// the other. The times are those of the rules of sim/system/fabric.hpp and of the description.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "kernel_operator.h"
#include "observe/whole_cycles.hpp"
#include "sim/system/communicators.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using observe::whole_cycles;
using sim::LinkClass;
using sim::LinkCounters;
using sim::LinkUse;

class Links : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kDies = 4, kBlocks = 3, kCount = 4096;
  /// Elements of moves, below and above what an engine may have on its way.
  static constexpr std::uint32_t kMoves[] = {8, 64, 1000, 4096, 16, 2048};

  /// Two packages of two dies, whose messages cost something beside their bytes. Between packages
  /// writes have a bandwidth of their own.
  static sim::SystemConfig slow_messages() {
    const ScratchFolder folder;
    std::ofstream(folder / "system.ini") << "include = atlas_a3_server.ini\n"
                                            "[Link.sio]\n"
                                            "message = 3 ns | assumed: a test\n"
                                            "[Link.ub_l1]\n"
                                            "message = 7 ns | assumed: a test\n"
                                            "write_bandwidth = 90 GB/s | assumed: a test\n"
                                            "outstanding = 4800 bytes | assumed: a test\n";
    sim::SystemConfig system = sim::SystemConfig::from_file(folder / "system.ini");
    system.use_dies(kDies);
    return system;
  }
  void SetUp() override {
    system_ = std::make_unique<sim::SystemConfig>(slow_messages());
    sim::DeviceOptions options;
    options.max_cycles = 5'000'000;
    device_ = std::make_unique<sim::Device>(without_code(system_->soc()), *system_, options);
    device_->communicators()->keep_link_uses();
    for (std::uint32_t die = 0; die < kDies; ++die) {
      std::byte* const start =
          device_->memory(die).allocate(std::uint64_t{kDies} * kBlocks * kCount * 4, "shared");
      device_->memory(die).share(start);
      shared_.push_back(reinterpret_cast<float*>(start));
    }
  }
  /// The reports of `kernel(die)` on these blocks of each die.
  std::vector<observe::LaunchReport> launch(std::uint32_t blocks,
                                            const std::function<void(std::uint32_t)>& kernel) {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t die = 0; die < kDies; ++die) {
      launches.push_back({die, &entry_, blocks, 0, {}, [kernel, die] { kernel(die); }});
    }
    return device_->launch(std::move(launches));
  }
  /// Every block of a die moves to or from all other dies.
  observe::LaunchReport move_all(bool write) {
    return launch(kBlocks, [this, write](std::uint32_t die) {
      const auto local = ub<float>(0, kCount);
      Duplicate(local, 1.0f, kCount);
      PipeBarrier<PIPE_ALL>();
      for (const std::uint32_t count : kMoves) {
        for (std::uint32_t other = 0; other < kDies; ++other) {
          if (other == die) continue;
          const auto place = (die * kBlocks + static_cast<std::uint32_t>(GetBlockIdx())) * kCount;
          const auto remote = gm(shared_[other] + place, kCount);
          if (write) DataCopy(remote, local, count);
          if (!write) DataCopy(local, remote, count);
        }
      }
    })[0];
  }
  std::vector<LinkUse> uses_since(double cycle) const {
    std::vector<LinkUse> uses = device_->communicators()->link_uses();
    std::erase_if(uses, [cycle](const LinkUse& use) { return use.came < cycle; });
    return uses;
  }
  double cycles(double seconds) const { return seconds * device_->soc().frequency_mhz() * 1e6; }

  enum class Kind { kWrites, kReads, kCopies };
  double bandwidth(const LinkClass& link, Kind kind) const {
    switch (kind) {
      case Kind::kWrites:
        return link.name == "ub_l1" ? 90e9 : link.bytes_per_second;
      case Kind::kReads:
        return link.bytes_per_second;
      case Kind::kCopies:
        return link.bytes_per_second * system_->collectives().link_share;
    }
    return 0;
  }
  /// A port serves one after the other, each for its bytes and the cost of a message.
  void expect_ports_in_turn(const std::vector<LinkUse>& uses, Kind kind) const {
    ASSERT_FALSE(uses.empty());
    const LinkUse* before = nullptr;
    for (const LinkUse& use : uses) {
      const LinkClass& link = system_->link(use.port.die, use.other);
      EXPECT_EQ(use.port.link, link.port);
      EXPECT_EQ(use.port.peer, link.port_for_each_peer ? std::int64_t{use.other} : -1);
      const bool same = before != nullptr && before->port.link == use.port.link &&
                        before->port.die == use.port.die && before->port.peer == use.port.peer &&
                        before->port.out == use.port.out;
      ASSERT_DOUBLE_EQ(use.began, same ? std::max(use.came, before->ended) : use.came);
      const double takes =
          static_cast<double>(use.bytes) / bandwidth(link, kind) + link.message_seconds;
      ASSERT_NEAR(use.ended - use.began, cycles(takes), 1e-6);
      before = &use;
    }
  }
  /// What comes to a port from several dies in one cycle passes in the order of the dies that
  /// asked.
  static void expect_order_of_dies(const std::vector<LinkUse>& uses, bool read) {
    std::size_t together = 0;
    for (std::size_t i = 1; i < uses.size(); ++i) {
      const LinkUse &before = uses[i - 1], &use = uses[i];
      const bool same = before.port.link == use.port.link && before.port.die == use.port.die &&
                        before.port.out == use.port.out && before.came == use.came;
      if (!same || use.port.out != read) continue;
      EXPECT_LE(before.other, use.other);
      together += before.other != use.other;
    }
    EXPECT_GT(together, 0u);
  }
  /// What leaves a die arrives at the other one after the time of the way.
  void expect_arrivals(const std::vector<LinkUse>& uses, bool read) const {
    using Came = std::vector<std::pair<double, std::uint64_t>>;  // with bytes
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Came, Came>> ways;
    for (const LinkUse& use : uses) {
      const LinkClass& link = system_->link(use.port.die, use.other);
      const double way = cycles(read ? link.read_seconds / 2 : link.write_seconds);
      if (use.port.out) {
        const auto there = static_cast<double>(whole_cycles(use.began) + whole_cycles(way));
        ways[{use.port.die, use.other}].first.emplace_back(there, use.bytes);
      } else {
        ways[{use.other, use.port.die}].second.emplace_back(use.came, use.bytes);
      }
    }
    EXPECT_EQ(ways.size(), kDies * (kDies - 1));
    for (auto& [dies, came] : ways) {
      std::sort(came.first.begin(), came.first.end());
      std::sort(came.second.begin(), came.second.end());
      EXPECT_EQ(came.first, came.second) << dies.first << " to " << dies.second;
    }
  }
  /// The counters of the last launch are the sums of its uses.
  void expect_counters(const std::vector<LinkUse>& uses) const {
    std::size_t ports = 0;
    for (const LinkCounters& port : device_->links()) {
      LinkCounters sum;
      for (const LinkUse& use : uses) {
        if (use.port.link != port.link || use.port.die != port.die || use.port.peer != port.peer ||
            use.port.out != port.out) {
          continue;
        }
        ++sum.messages;
        sum.bytes += use.bytes;
        sum.busy += use.ended - use.began;
        sum.waited += use.began - use.came;
      }
      ++ports;
      EXPECT_EQ(port.messages, sum.messages);
      EXPECT_EQ(port.bytes, sum.bytes);
      EXPECT_NEAR(port.busy, sum.busy, 1e-6 * sum.busy);
      EXPECT_NEAR(port.waited, sum.waited, 1e-6 * sum.waited);
    }
    // A port to the die of the same package and one to all others, in two directions.
    EXPECT_EQ(ports, kDies * 2u * 2u);
  }

  std::unique_ptr<sim::SystemConfig> system_;
  std::unique_ptr<sim::Device> device_;
  std::vector<float*> shared_;
  isa::KernelEntry entry_{"test_kernel", isa::KernelType::kAivOnly, nullptr, nullptr};
};

TEST_F(Links, WritesAndReadsTakeTheTimesOfPortsAndWays) {
  const std::uint64_t bytes =
      4 * std::uint64_t{kBlocks} * std::accumulate(std::begin(kMoves), std::end(kMoves), 0u);
  for (const bool write : {true, false, true, false}) {
    const observe::LaunchReport report = move_all(write);
    const std::vector<LinkUse> uses = uses_since(static_cast<double>(report.start));
    expect_ports_in_turn(uses, write ? Kind::kWrites : Kind::kReads);
    expect_arrivals(uses, !write);
    expect_order_of_dies(uses, !write);
    expect_counters(uses);
    std::uint64_t sent = 0;
    for (const LinkUse& use : uses) sent += use.port.out ? use.bytes : 0;
    EXPECT_EQ(sent, bytes * kDies * (kDies - 1));
  }
}

/// What observers hear of a launch on several dies is the sum of its reports.
TEST_F(Links, ObserversHearOneLaunch) {
  struct Ends : observe::Observer {
    void launch_ends(const observe::LaunchReport& report) override { heard = report; }
    observe::LaunchReport heard;
  } ends;
  device_->attach(&ends);
  const auto reports = launch(kBlocks, [this](std::uint32_t die) {
    const auto local = ub<float>(0, kCount);
    DataCopy(local, gm(shared_[die], kCount), (die + 1) * 512);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm(shared_[die], kCount), local, (die + 2) * 256);
  });
  device_->attach(nullptr);
  using Memory = observe::MemoryCounters;
  for (std::uint64_t Memory::*count :
       {&Memory::l2_read_hits, &Memory::l2_read_misses, &Memory::l2_write_hits,
        &Memory::l2_write_misses, &Memory::l2_bytes, &Memory::hbm_read_bytes,
        &Memory::hbm_write_bytes}) {
    std::uint64_t sum = 0;
    for (const observe::LaunchReport& report : reports) sum += report.memory.*count;
    EXPECT_EQ(ends.heard.memory.*count, sum);
  }
  EXPECT_GT(ends.heard.memory.l2_bytes, 0u);
  EXPECT_EQ(ends.heard.cores.size(), kDies * kBlocks);
  observe::Cycle last = 0;
  for (const observe::LaunchReport& report : reports) last = std::max(last, report.cycles);
  EXPECT_EQ(ends.heard.cycles, last);
}

/// A core of another die than the first waits for a flag that a core of its own die would set.
TEST_F(Links, ADeadlockNamesTheCoresOfItsDie) {
  try {
    launch(2, [](std::uint32_t die) {
      if (die == 2 && GetBlockIdx() == 1) return;
      if (die == 2) CrossCoreWaitFlag(3);
    });
    FAIL() << "the launch went through";
  } catch (const isa::Fault& fault) {
    EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock);
    EXPECT_NE(fault.message.find("die2.core0.veccore0"), std::string::npos) << fault.message;
    EXPECT_EQ(fault.message.find("die0."), std::string::npos) << fault.message;
  }
}

/// What an engine has on its way fills its room, and is never more.
TEST_F(Links, AnEngineSendsAsMuchAsMayBeOnItsWay) {
  for (const std::uint32_t other : {1u, 2u}) {
    const auto report = launch(1, [this, other](std::uint32_t die) {
      if (die == 0) DataCopy(gm(shared_[other], kCount), ub<float>(0, kCount), kCount);
    })[0];
    std::vector<LinkUse> out, in;
    for (const LinkUse& use : uses_since(static_cast<double>(report.start))) {
      (use.port.out ? out : in).push_back(use);
    }
    ASSERT_EQ(out.size(), in.size());
    const std::uint64_t room = system_->link(0, other).outstanding;
    std::uint64_t at_first = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::uint64_t on_the_way = out[i].bytes;
      for (std::size_t j = 0; j < i; ++j) {
        on_the_way += in[j].ended > out[i].came ? out[j].bytes : 0;
      }
      EXPECT_LE(on_the_way, room) << i;
      if (out[i].came < in[0].ended) at_first += out[i].bytes;
    }
    EXPECT_GT(at_first + out[0].bytes, room);
  }
}

/// A launch that is given up leaves nothing on its way and no port busy.
TEST_F(Links, ALaunchBehindOneThatFailedTakesItsTime) {
  move_all(true);
  const observe::Cycle usual = move_all(true).cycles;
  auto* const secret = reinterpret_cast<float*>(device_->memory(1).allocate(256, "not shared"));
  EXPECT_THROW(launch(kBlocks,
                      [&](std::uint32_t die) {
                        const auto local = ub<float>(0, kCount);
                        for (int i = 0; i < 20; ++i) {
                          DataCopy(gm(shared_[(die + 2) % kDies], kCount), local, kCount);
                        }
                        if (die == 0) DataCopy(local, gm(secret, 64), 64);
                      }),
               isa::Fault);
  EXPECT_EQ(move_all(true).cycles, usual);
}

/// Copies of a collective operation go in pieces, at their share of the links' bandwidth.
TEST_F(Links, PiecesOfCollectiveOperationsTakeTheirShareOfTheLinks) {
  constexpr std::uint64_t kBytes = 1 << 20;
  device_->communicators()->create("group", {0, 1, 2, 3}, kBytes);
  std::vector<isa::Collective> ranks;
  for (std::uint32_t rank = 0; rank < kDies; ++rank) {
    const auto place = [&](std::uint64_t bytes) {
      std::byte* const start = device_->memory(rank).allocate(bytes, "shared");
      device_->memory(rank).share(start);
      return reinterpret_cast<std::uint64_t>(start);
    };
    isa::Collective& of = ranks.emplace_back();
    of.kind = isa::CollectiveKind::kAllGather;
    of.send = place(kBytes);
    of.recv = place(kBytes * kDies);
    of.count = kBytes / 2;
    of.type = HCCL_DATA_TYPE_FP16;
  }
  device_->communicators()->run("group", ranks);
  device_->finish_transfers();
  const std::vector<LinkUse> uses = uses_since(0);
  const sim::CollectiveTiming& timing = system_->collectives();
  expect_ports_in_turn(uses, Kind::kCopies);
  for (const LinkUse& use : uses) EXPECT_EQ(use.bytes, timing.piece);
}

}  // namespace
}  // namespace davsim::test
