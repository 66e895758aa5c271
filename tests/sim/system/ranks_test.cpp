// Kernels on dies that are dealt to several processes: reads, writes, atomic adds and scalar
// accesses to each other's memory give the same values and cycles however the dies are dealt.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "lib/hccl/hccl.h"
#include "sim/system/communicators.hpp"
#include "tests/sim/device_fixture.hpp"
#include "tests/sim/system/socket_group.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kDies = 4, kCount = 4096, kBlocks = 2, kPart = 256;

/// What a die has at the end, and when its kernel was over.
struct DieResult {
  std::array<float, kCount> sums, copied;
  std::array<std::int32_t, 32> words;
  std::uint64_t cycles, reads;
  std::array<std::int32_t, kDies * kPart> gathered;
  std::array<std::int32_t, kDies * kPart> batch;  ///< what the others wrote
  std::uint64_t server_cycles;
  std::size_t told[2];  ///< digests of what each rank knows of all dies after each launch
};

/// The shared memory of a die: sums of all dies, own numbers, a flag of each die, and scalars.
struct DieShared {
  float* sums = nullptr;
  float* own = nullptr;
  std::int32_t* flags = nullptr;
  std::int32_t* words = nullptr;
};

void wait_for(std::int32_t* flags, const LocalTensor<std::int32_t>& word) {
  for (std::uint32_t die = 0; die < kDies; ++die) {
    std::int32_t seen = 0;
    while (seen < static_cast<std::int32_t>(kBlocks)) {
      DataCopy(word, gm(flags + die * 8, 8), 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
      seen = word.GetValue(0);
    }
  }
}

/// Every die adds its numbers to the sums of all, sets their flags behind that, writes a scalar to
/// the next die, waits for its own flags, and reads what the next die has.
void talk(std::uint32_t die, const std::array<DieShared, kDies>& dies, float* copied) {
  const std::uint32_t next = (die + 1) % kDies, half = kCount / kBlocks;
  const std::uint32_t from = static_cast<std::uint32_t>(GetBlockIdx()) * half;
  const auto numbers = ub<float>(0, half);
  const auto word = ub<std::int32_t>(half * 4, 8);
  Duplicate(numbers, static_cast<float>(die + 1), half);
  Duplicate(word, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetAtomicAdd<float>();
  for (std::uint32_t i = 0; i < kDies; ++i) {
    DataCopy(gm(dies[(die + i) % kDies].sums + from, half), numbers, half);
  }
  SetAtomicNone();
  PipeBarrier<PIPE_MTE3>();
  SetAtomicAdd<std::int32_t>();
  for (const DieShared& other : dies) DataCopy(gm(other.flags + die * 8, 8), word, 8);
  SetAtomicNone();
  const GlobalTensor<std::int32_t> theirs = gm(dies[next].words, 32);
  const auto place = static_cast<std::uint64_t>(GetBlockIdx()) * 16;
  theirs.SetValue(place, static_cast<std::int32_t>(100 + die));
  DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE>(theirs[place]);
  PipeBarrier<PIPE_ALL>();
  wait_for(dies[die].flags, word);
  const auto read = ub<float>(half * 4 + 64, half);
  const auto scalar = static_cast<float>(gm(dies[next].own, 16).GetValue(3));
  DataCopy(read, gm(dies[next].own + from, half), half);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Adds(read, read, scalar, half);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  DataCopy(gm(copied + from, half), read, half);
}

/// An item of BatchWrite on an A3.
struct WriteItem {
  std::uint64_t type = 0;
  std::uint32_t reserved[5] = {}, bytes = 0;
  std::uint64_t from = 0, to = 0;
  std::uint32_t more[4] = {};
};

/// What a die asks the servers for: sums, which are gathered behind that in another group, and
/// writes of the own numbers to all others.
struct DieCalls {
  GM_ADDR first = nullptr, second = nullptr;  ///< contexts
  std::int32_t *own = nullptr, *sums = nullptr, *gathered = nullptr;
  WriteItem* items = nullptr;
};

void ask_servers(const DieCalls& calls) {
  const auto bytes = [](auto* data) { return reinterpret_cast<GM_ADDR>(data); };
  SetHcclContext<0>(calls.first);
  Hccl sums, gathers;
  sums.Init(calls.first);
  gathers.Init(calls.second);
  const HcclHandle sum = sums.AllReduce(bytes(calls.own), bytes(calls.sums), kPart,
                                        HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM);
  EXPECT_TRUE(gathers.InterHcclGroupSync(0, sum));
  const HcclHandle gather = gathers.AllGather<true>(bytes(calls.sums), bytes(calls.gathered), kPart,
                                                    HCCL_DATA_TYPE_INT32, 0);
  sums.Commit(sum);
  EXPECT_EQ(gathers.Wait(gather), 0);
  EXPECT_EQ(sums.Wait(sum), 0);
  const HcclHandle batch = sums.BatchWrite<true>(bytes(calls.items), kDies - 1);
  EXPECT_EQ(sums.Wait(batch), 0);
}

/// What a rank can tell of a launch, of its own dies and of others: every one has to ask for it.
std::size_t told_by(const sim::Device& device, const std::vector<observe::LaunchReport>& reports,
                    sim::Communicators& communicators) {
  std::ostringstream all;
  for (const observe::LaunchReport& report : reports) {
    const observe::MemoryCounters& of = report.memory;
    all << report.soc << report.kernel << report.frequency_mhz << ' ' << report.block_dim << ' '
        << report.start << ' ' << report.cycles << ' ' << report.launch_overhead_us;
    for (const std::uint64_t count :
         {of.l2_read_hits, of.l2_read_misses, of.l2_write_hits, of.l2_write_misses, of.l2_bytes,
          of.hbm_read_bytes, of.hbm_write_bytes}) {
      all << ' ' << count;
    }
    all << '\n';
  }
  const auto port = [&all](const sim::LinkCounters& of) {
    all << of.link << ' ' << of.die << ' ' << of.peer << ' ' << of.out << ' ' << of.bytes << ' '
        << of.messages << ' ' << of.busy << ' ' << of.waited << '\n';
  };
  for (const sim::LinkCounters& of : device.links()) port(of);
  for (const sim::LinkUse& use : communicators.link_uses()) {
    port(use.port);
    all << use.other << ' ' << use.bytes << ' ' << use.came << ' ' << use.began << ' ' << use.ended;
  }
  return std::hash<std::string>()(all.str());
}

void simulate_servers(sim::Device& device, DieResult* results) {
  std::vector<std::uint32_t> all(kDies);
  for (std::uint32_t die = 0; die < kDies; ++die) all[die] = die;
  const sim::Communicator group = device.communicators()->create("first", all, 1 << 20);
  const auto& first = group.contexts;
  const auto second = device.communicators()->create("second", all, 1 << 20).contexts;
  std::array<DieCalls, kDies> calls;
  for (std::uint32_t die = 0; die < kDies; ++die) {
    const auto numbers = [&](std::size_t count) {
      std::byte* const start = device.memory(die).allocate(count * 4, "numbers");
      device.memory(die).share(start);
      return reinterpret_cast<std::int32_t*>(start);
    };
    calls[die] = {reinterpret_cast<GM_ADDR>(first[die]),
                  reinterpret_cast<GM_ADDR>(second[die]),
                  numbers(kPart),
                  numbers(kPart),
                  numbers(kDies * kPart),
                  reinterpret_cast<WriteItem*>(numbers(kDies * sizeof(WriteItem) / 4))};
    for (std::uint32_t other = 0, i = 0; other < kDies; ++other) {
      if (other == die) continue;
      WriteItem& item = calls[die].items[i++];
      item = {};
      item.bytes = kPart * 4;
      item.from = reinterpret_cast<std::uint64_t>(calls[die].own);
      item.to = group.windows_in[other] + std::uint64_t{die} * kPart * 4;
    }
    for (std::uint32_t i = 0; i < kPart; ++i) {
      calls[die].own[i] = device.has_die(die) ? static_cast<std::int32_t>(10 * die + i) : -1;
    }
  }
  const isa::KernelEntry entry{"ask", isa::KernelType::kAivOnly, nullptr, nullptr};
  std::vector<sim::DieLaunch> launches;
  for (std::uint32_t die = 0; die < kDies; ++die) {
    launches.push_back({die, &entry, 1, 0, {}, [&, die] { ask_servers(calls[die]); }});
  }
  const auto reports = device.launch(std::move(launches));
  const std::size_t told = told_by(device, reports, *device.communicators());
  for (std::uint32_t die = 0; die < kDies; ++die) {
    if (!device.has_die(die)) continue;
    results[die].told[1] = told;
    std::memcpy(results[die].gathered.data(), calls[die].gathered, kDies * kPart * 4);
    std::memcpy(results[die].batch.data(), reinterpret_cast<const void*>(group.windows_in[die]),
                kDies * kPart * 4);
    results[die].server_cycles = reports[die].cycles;
  }
}

/// Runs the dies of one process, and puts down what they end with.
void simulate(sim::RankGroup* group, DieResult* results) {
  sim::SystemConfig system = sim::SystemConfig::named("atlas_a3_server");
  system.use_dies(kDies);
  sim::DeviceOptions options;
  options.max_cycles = 5'000'000;
  options.group = group;
  sim::Device device(without_code(system.soc()), system, options);
  std::array<DieShared, kDies> dies;
  std::vector<float*> copied;
  for (std::uint32_t die = 0; die < kDies; ++die) {
    const auto shared = [&](std::size_t bytes) {
      std::byte* const start = device.memory(die).allocate(bytes, "shared");
      device.memory(die).share(start);
      return start;
    };
    dies[die].sums = reinterpret_cast<float*>(shared(kCount * 4));
    dies[die].own = reinterpret_cast<float*>(shared(kCount * 4));
    dies[die].flags = reinterpret_cast<std::int32_t*>(shared(kDies * 32));
    dies[die].words = reinterpret_cast<std::int32_t*>(shared(128));
    copied.push_back(reinterpret_cast<float*>(shared(kCount * 4)));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      // What other processes believe of this die's numbers is nobody's concern.
      dies[die].own[i] = device.has_die(die) ? static_cast<float>(1000 * die + i) : -1;
    }
  }
  const isa::KernelEntry entry{"talk", isa::KernelType::kAivOnly, nullptr, nullptr};
  std::vector<sim::DieLaunch> launches;
  for (std::uint32_t die = 0; die < kDies; ++die) {
    launches.push_back({die, &entry, kBlocks, 0, {}, [&, die] { talk(die, dies, copied[die]); }});
  }
  device.communicators()->keep_link_uses();
  const auto reports = device.launch(std::move(launches));
  const std::size_t told = told_by(device, reports, *device.communicators());
  for (std::uint32_t die = 0; die < kDies; ++die) {
    if (!device.has_die(die)) continue;
    results[die].told[0] = told;
    std::memcpy(results[die].sums.data(), dies[die].sums, kCount * 4);
    std::memcpy(results[die].copied.data(), copied[die], kCount * 4);
    std::memcpy(results[die].words.data(), dies[die].words, 128);
    results[die].cycles = reports[die].cycles;
    // Reports of all dies are on all ranks.
    results[die].reads = reports[(die + 1) % kDies].memory.l2_bytes;
  }
  simulate_servers(device, results);
}

/// Results of kDies dies that `ranks` processes simulate.
std::unique_ptr<DieResult[]> results_of(std::uint32_t ranks) {
  return results_of_ranks<DieResult>(ranks, kDies, simulate);
}

TEST(SystemRanks, KernelsOnDiesOfAnyNumberOfProcessesDoTheSame) {
  const auto alone = results_of(1);
  for (std::uint32_t die = 0; die < kDies; ++die) {
    const std::uint32_t next = (die + 1) % kDies, before = (die + kDies - 1) % kDies;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(alone[die].sums[i], 1 + 2 + 3 + 4) << die << ", " << i;
      ASSERT_EQ(alone[die].copied[i], 1000.0f * next + i + (1000.0f * next + 3)) << die;
    }
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      EXPECT_EQ(alone[die].words[block * 16], static_cast<std::int32_t>(100 + before));
    }
    EXPECT_GT(alone[die].reads, 0u);
    for (std::uint32_t i = 0; i < kPart; ++i) {
      const auto number = static_cast<std::int32_t>(i);
      ASSERT_EQ(alone[die].gathered[kPart + i], 10 * (0 + 1 + 2 + 3) + 4 * number);
      ASSERT_EQ(alone[die].batch[next * kPart + i], static_cast<std::int32_t>(10 * next) + number);
    }
  }
  for (const std::uint32_t ranks : {2u, 3u, 4u}) {
    const auto dealt = results_of(ranks);
    for (std::uint32_t die = 0; die < kDies; ++die) {
      EXPECT_EQ(dealt[die].cycles, alone[die].cycles) << die << " of " << ranks << " ranks";
      EXPECT_EQ(std::memcmp(&dealt[die], &alone[die], sizeof(DieResult)), 0)
          << "die " << die << ", " << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace davsim::test
