// Every kind of collective operation on dies that are dealt to several processes: the same values
// and cycles however the dies are dealt.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "kernel_operator.h"
#include "lib/hccl/hccl.h"
#include "sim/system/communicators.hpp"
#include "tests/sim/device_fixture.hpp"
#include "tests/sim/system/socket_group.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kParties = 4;
constexpr std::uint64_t kWords = 1 << 16;
enum class Kind { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kAllToAllV };
constexpr Kind kKinds[] = {Kind::kAllReduce, Kind::kAllGather, Kind::kReduceScatter,
                           Kind::kAllToAll, Kind::kAllToAllV};
/// Below and above what takes one step.
constexpr std::uint64_t kCounts[] = {8, 6000};
constexpr std::uint8_t kRounds = 2;
constexpr std::size_t kOperations = std::size(kKinds) * std::size(kCounts);

/// Of a die: digests of what it received, and when all of it was over.
struct PartyResult {
  std::array<std::size_t, kOperations> received;
  std::array<std::uint64_t, kOperations> cycles;
};

/// Elements from each rank to each other one, and where they lie: different for each pair.
struct Parts {
  std::uint64_t sent[kParties], sent_at[kParties], received[kParties], received_at[kParties];

  Parts(std::uint64_t count, std::uint32_t rank) {
    for (std::uint32_t other = 0; other < kParties; ++other) {
      sent[other] = count + 5 * rank + 3 * other;
      received[other] = count + 5 * other + 3 * rank;
      sent_at[other] = other * 2 * (count + 64);
      received_at[other] = (kParties - 1 - other) * 2 * (count + 64);
    }
  }
};

/// The buffers of a die.
struct Party {
  std::int32_t* send = nullptr;
  std::int32_t* recv = nullptr;
};

/// What a kernel on each die asks for. The rounds lie behind each other, blocks of ranks apart.
HcclHandle ask(Hccl<>& hccl, Kind kind, const Party& party, std::uint64_t count,
               const Parts& parts) {
  const auto send = reinterpret_cast<GM_ADDR>(party.send);
  const auto recv = reinterpret_cast<GM_ADDR>(party.recv);
  const std::uint64_t stride = kRounds * count + 11;
  constexpr auto kType = HCCL_DATA_TYPE_INT32;
  switch (kind) {
    case Kind::kAllReduce:
      return hccl.AllReduce<true>(send, recv, count, kType, HCCL_REDUCE_SUM, kRounds);
    case Kind::kAllGather:
      return hccl.AllGather<true>(send, recv, count, kType, stride, kRounds);
    case Kind::kReduceScatter:
      return hccl.ReduceScatter<true>(send, recv, count, kType, HCCL_REDUCE_MAX, stride, kRounds);
    case Kind::kAllToAll:
      return hccl.AlltoAll<true>(send, recv, count, kType, stride, kRounds);
    default: {
      Parts of = parts;
      return hccl.AlltoAllV<true>(send, of.sent, of.sent_at, kType, recv, of.received,
                                  of.received_at, kType, kRounds);
    }
  }
}

/// The cycles of the dies.
std::vector<observe::LaunchReport> run_kind(sim::Device& device,
                                            const std::vector<std::uint64_t>& contexts,
                                            const std::array<Party, kParties>& parties, Kind kind,
                                            std::uint64_t count) {
  const isa::KernelEntry entry{"ask", isa::KernelType::kAivOnly, nullptr, nullptr};
  std::vector<sim::DieLaunch> launches;
  for (std::uint32_t die = 0; die < kParties; ++die) {
    for (std::uint64_t i = 0; i < kWords; ++i) {
      // What other processes believe of this die's numbers is nobody's concern.
      const auto number = static_cast<std::int32_t>(1000 * die + i % 997);
      parties[die].send[i] = device.has_die(die) ? number : -1;
      parties[die].recv[i] = -2;
    }
    launches.push_back({die, &entry, 1, 0, {}, [&, die, kind, count] {
                          Hccl<> hccl;
                          hccl.Init(reinterpret_cast<GM_ADDR>(contexts[die]));
                          const HcclHandle handle =
                              ask(hccl, kind, parties[die], count, Parts(count, die));
                          for (int i = 0; i < kRounds; ++i) EXPECT_EQ(hccl.Wait(handle), 0);
                          hccl.Finalize();
                        }});
  }
  return device.launch(std::move(launches));
}

void run_kinds(sim::RankGroup* group, PartyResult* results) {
  sim::SystemConfig system = sim::SystemConfig::named("atlas_a3_server");
  system.use_dies(kParties);
  sim::DeviceOptions options;
  options.group = group;
  sim::Device device(without_code(system.soc()), system, options);
  const auto contexts = device.communicators()->create("group", {0, 1, 2, 3}, 1 << 16).contexts;
  std::array<Party, kParties> parties;
  for (std::uint32_t die = 0; die < kParties; ++die) {
    const auto words = [&](const char* name) {
      std::byte* const start = device.memory(die).allocate(kWords * 4, name);
      device.memory(die).share(start);
      return reinterpret_cast<std::int32_t*>(start);
    };
    parties[die].send = words("send");
    parties[die].recv = words("recv");
  }
  std::size_t at = 0;
  for (const Kind kind : kKinds) {
    for (const std::uint64_t count : kCounts) {
      const auto reports = run_kind(device, contexts, parties, kind, count);
      for (std::uint32_t die = 0; die < kParties; ++die) {
        if (!device.has_die(die)) continue;
        const std::int32_t* const received = parties[die].recv;
        const std::string_view bytes(reinterpret_cast<const char*>(received), kWords * 4);
        results[die].received[at] = std::hash<std::string_view>()(bytes);
        results[die].cycles[at] = reports[die].cycles;
        const auto words = std::count(received, received + kWords, -2);
        EXPECT_GE(kWords - words, count * kRounds) << "operation " << at << " of die " << die;
        EXPECT_EQ(std::count(received, received + kWords, -1), 0) << at;
      }
      ++at;
    }
  }
}

TEST(SystemRankKinds, OperationsOnDiesOfAnyNumberOfProcessesDoTheSame) {
  const auto alone = results_of_ranks<PartyResult>(1, kParties, run_kinds);
  for (const std::uint32_t ranks : {2u, 3u, 4u}) {
    const auto dealt = results_of_ranks<PartyResult>(ranks, kParties, run_kinds);
    for (std::uint32_t die = 0; die < kParties; ++die) {
      EXPECT_EQ(dealt[die].received, alone[die].received) << die << " of " << ranks << " ranks";
      EXPECT_EQ(dealt[die].cycles, alone[die].cycles) << die << " of " << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace davsim::test
