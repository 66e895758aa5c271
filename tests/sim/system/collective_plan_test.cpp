// The copies that a collective operation consists of, without a device: which bytes go where, in
// which step.
#include "sim/system/collective_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace davsim::test::collective_plan {
namespace {

using isa::CollectiveKind;
using sim::CollectivePlan;
using sim::PlannedCopy;

constexpr std::uint32_t kRanks = 4;
constexpr std::uint32_t kHalf = 3;  // HCCL_DATA_TYPE_FP16
constexpr std::uint64_t kSend = 1ull << 32, kRecv = 2ull << 32, kWindow = 3ull << 32;
constexpr std::uint64_t kOfRank = 1ull << 40;  // from the memory of a rank to that of the next
constexpr std::uint64_t kOneShot = 4096, kWindowBytes = 1 << 20;

struct Call {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint64_t count = 0, stride = 0;
  const char* reduction = "mesh";
  std::uint64_t window = kWindowBytes;
};

CollectivePlan plan(const Call& call) {
  std::vector<sim::RankCollective> ranks(kRanks);
  sim::PlanWindows windows;
  windows.bytes = call.window;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    ranks[rank].what.kind = call.kind;
    ranks[rank].what.send = kSend + rank * kOfRank;
    ranks[rank].what.recv = kRecv + rank * kOfRank;
    ranks[rank].what.count = call.count;
    ranks[rank].what.stride = call.stride;
    ranks[rank].what.type = kHalf;
    windows.start.push_back(kWindow + rank * kOfRank);
  }
  sim::CollectiveTiming timing;
  timing.one_shot = kOneShot;
  timing.reduction = call.reduction;
  return sim::plan_of(ranks, 0, timing, windows);
}

std::uint64_t bytes_of(const std::vector<PlannedCopy>& step) {
  std::uint64_t sum = 0;
  for (const PlannedCopy& copy : step) sum += copy.bytes;
  return sum;
}

/// Bytes that leave a rank or come to one.
std::uint64_t crossing(const std::vector<PlannedCopy>& step) {
  std::uint64_t sum = 0;
  for (const PlannedCopy& copy : step) sum += copy.from != copy.to ? copy.bytes : 0;
  return sum;
}

/// Operations with a root are one step between it and each other rank.
TEST(CollectivePlan, ARootSendsToOrReceivesFromEachRank) {
  constexpr std::uint64_t kCount = 300, kBytes = 2 * kCount;
  using Copies = std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;
  for (const CollectiveKind kind :
       {CollectiveKind::kReduce, CollectiveKind::kScatter, CollectiveKind::kBroadcast}) {
    Copies expected, found;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const std::uint64_t send = kSend + rank * kOfRank, recv = kRecv + rank * kOfRank;
      if (kind == CollectiveKind::kReduce) expected.insert({send, kRecv, kBytes});
      if (kind == CollectiveKind::kScatter) expected.insert({kSend + rank * kBytes, recv, kBytes});
      if (kind == CollectiveKind::kBroadcast && rank != 0) expected.insert({kSend, recv, kBytes});
    }
    const CollectivePlan made = plan({.kind = kind, .count = kCount});
    ASSERT_EQ(made.steps.size(), 1u);
    for (const PlannedCopy& copy : made.steps[0]) {
      found.insert({copy.source, copy.destination, copy.bytes});
      EXPECT_EQ(copy.from, copy.source / kOfRank);
      EXPECT_EQ(copy.to, copy.destination / kOfRank);
    }
    EXPECT_EQ(found, expected) << static_cast<int>(kind);
    EXPECT_EQ(made.steps[0].size(), expected.size());
  }
}

TEST(CollectivePlan, PartsBeginAtMultiplesOf512AndCoverAll) {
  const std::uint64_t offsets[] = {0, 512, 1000, 1000}, bytes[] = {512, 488, 0, 0};
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sim::part_of(1000, 4, i).offset, offsets[i]);
    EXPECT_EQ(sim::part_of(1000, 4, i).bytes, bytes[i]);
  }
  for (const std::uint64_t whole : {1u, 511u, 512u, 2048u, 2049u, 100000u}) {
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
      const sim::Part part = sim::part_of(whole, 3, i);
      EXPECT_EQ(part.offset, end);
      EXPECT_TRUE(part.offset % 512 == 0 || part.offset == whole);
      end = part.offset + part.bytes;
    }
    EXPECT_EQ(end, whole);
  }
  EXPECT_EQ(sim::part_of(2048, 4, 1).bytes, 512u);  // not a part more than it takes
}

TEST(CollectivePlan, TypesHaveTheirBytes) {
  const std::uint64_t bytes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2};  // INT8 to BFP16
  for (std::uint32_t type = 0; type < std::size(bytes); ++type) {
    EXPECT_EQ(sim::bytes_of_type(type), bytes[type]) << type;
  }
  EXPECT_EQ(sim::bytes_of_type(18), 0u);
}

TEST(CollectivePlan, SmallAllReduceReadsAllInputsAtOnce) {
  const CollectivePlan small = plan({.count = kOneShot / 2});
  ASSERT_EQ(small.steps.size(), 1u);
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const PlannedCopy& copy : small.steps[0]) {
    EXPECT_NE(copy.from, copy.to);
    EXPECT_EQ(copy.source, kSend + copy.from * kOfRank);
    EXPECT_EQ(copy.destination, kWindow + copy.to * kOfRank + copy.from * kOneShot);
    EXPECT_EQ(copy.bytes, kOneShot);
    pairs.emplace(copy.from, copy.to);
  }
  EXPECT_EQ(pairs.size(), kRanks * (kRanks - 1));
}

TEST(CollectivePlan, LargeAllReduceGoesInTwoSteps) {
  const std::uint64_t n = 4 * kOneShot;
  const CollectivePlan large = plan({.count = n / 2});
  ASSERT_EQ(large.steps.size(), 4u);  // into the windows, parts, sums, out of the windows
  EXPECT_EQ(bytes_of(large.steps[0]), kRanks * n);
  EXPECT_EQ(bytes_of(large.steps[1]), kRanks * n);
  EXPECT_EQ(crossing(large.steps[1]), (kRanks - 1) * n);
  EXPECT_EQ(crossing(large.steps[2]), (kRanks - 1) * n);
  EXPECT_EQ(crossing(large.steps[3]), 0u);
  for (const PlannedCopy& copy : large.steps[1]) {  // part i goes to rank i
    EXPECT_EQ(copy.source % kOfRank - kSend, copy.to * n / kRanks);
    EXPECT_EQ(copy.destination % kOfRank - kWindow, copy.to * n / kRanks);
  }
}

TEST(CollectivePlan, RingsCarryHalfOfEachPartEachWay) {
  const std::uint64_t n = 4 * kOneShot, part = n / kRanks;
  const CollectivePlan ring = plan({.count = n / 2, .reduction = "ring"});
  ASSERT_EQ(ring.steps.size(), 2 + 2 * (kRanks - 1));
  for (std::uint32_t turn = 0; turn + 1 < kRanks; ++turn) {
    const auto& step = ring.steps[1 + turn];
    EXPECT_EQ(step.size(), 2 * kRanks);
    for (const PlannedCopy& copy : step) {
      EXPECT_TRUE(copy.to == (copy.from + 1) % kRanks || copy.from == (copy.to + 1) % kRanks);
      EXPECT_EQ(copy.bytes, part / 2);
      const bool right = copy.to == (copy.from + 1) % kRanks;
      const std::uint64_t index =
          (right ? copy.from + 2 * kRanks - turn - 1 : copy.from + turn + 1) % kRanks;
      EXPECT_EQ(copy.source % kOfRank - kSend, index * part + (right ? 0 : part / 2));
    }
  }
}

TEST(CollectivePlan, ReduceScatterGoesAroundARingOnlyIfItIsLarge) {
  for (const char* reduction : {"mesh", "ring"}) {
    const CollectivePlan small =
        plan({CollectiveKind::kReduceScatter, kOneShot / 2 / kRanks, 0, reduction});
    ASSERT_EQ(small.steps.size(), 1u) << reduction;
    EXPECT_EQ(crossing(small.steps[0]), (kRanks - 1) * kOneShot) << reduction;
  }
  const std::uint64_t block = 2 * kOneShot;
  const CollectivePlan mesh = plan({CollectiveKind::kReduceScatter, block / 2, 0, "mesh"});
  ASSERT_EQ(mesh.steps.size(), 3u);
  for (const PlannedCopy& copy : mesh.steps[1]) {  // block i of each rank goes to rank i
    EXPECT_EQ(copy.source, kSend + copy.from * kOfRank + copy.to * block);
    EXPECT_EQ(copy.destination, kRecv + copy.to * kOfRank);
  }
  const CollectivePlan ring = plan({CollectiveKind::kReduceScatter, block / 2, 0, "ring"});
  EXPECT_EQ(ring.steps.size(), 2 + kRanks - 1);
}

TEST(CollectivePlan, GathersPutTheBlockOfARankInItsPlace) {
  const std::uint64_t block = 2 * kOneShot;
  const CollectivePlan mesh = plan({CollectiveKind::kAllGather, block / 2});
  ASSERT_EQ(mesh.steps.size(), 3u);
  for (const PlannedCopy& copy : mesh.steps[1]) {
    EXPECT_EQ(copy.source, kSend + copy.from * kOfRank);
    EXPECT_EQ(copy.destination, kRecv + copy.to * kOfRank + copy.from * block);
  }
  const CollectivePlan ring = plan({CollectiveKind::kAllGather, block / 2, 0, "ring"});
  EXPECT_EQ(ring.steps.size(), 2 + 1 + kRanks - 1);  // its own block first
}

TEST(CollectivePlan, BlocksThatLieApartAreStagedOneByOne) {
  const std::uint64_t block = 2 * kOneShot, apart = 3 * kOneShot;
  const CollectivePlan dense = plan({CollectiveKind::kAllToAll, block / 2});
  ASSERT_EQ(dense.steps.size(), 3u);
  EXPECT_EQ(dense.steps[0].size(), kRanks);
  const CollectivePlan strided = plan({CollectiveKind::kAllToAll, block / 2, apart / 2});
  ASSERT_EQ(strided.steps.size(), 3u);
  ASSERT_EQ(strided.steps[0].size(), kRanks * kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint64_t i = 0; i < kRanks; ++i) {
      const PlannedCopy& in = strided.steps[0][rank * kRanks + i];
      EXPECT_EQ(in.source, kSend + rank * kOfRank + i * apart);
      EXPECT_EQ(in.destination, kWindow + rank * kOfRank + i * block);
      const PlannedCopy& out = strided.steps[2][rank * kRanks + i];
      EXPECT_EQ(out.source, kWindow + kWindowBytes + rank * kOfRank + i * block);
      EXPECT_EQ(out.destination, kRecv + rank * kOfRank + i * apart);
    }
  }
}

TEST(CollectivePlan, WhatDoesNotFitIntoTheWindowsGoesPieceByPiece) {
  const CollectivePlan pieces = plan({.count = 5 * kWindowBytes / 4});  // 2.5 windows
  ASSERT_EQ(pieces.steps.size(), 3u * 4u);
  std::uint64_t moved = 0;
  for (std::size_t piece = 0; piece < 3; ++piece) {
    const auto& in = pieces.steps[4 * piece];
    ASSERT_EQ(in.size(), kRanks);
    EXPECT_EQ(in[0].source, kSend + moved);
    EXPECT_EQ(in[0].destination, kWindow);
    moved += in[0].bytes;
  }
  EXPECT_EQ(moved, 5 * kWindowBytes / 2);
}

/// Carries the copies of a plan out, byte by byte. A step reads all before it writes. Copies
/// through windows are traffic: the values go from buffer to buffer, and nobody wrote what lies
/// there.
class Memory {
 public:
  void run(const CollectivePlan& plan) {
    for (const auto& step : plan.steps) {
      std::map<std::uint64_t, int> written;
      for (const PlannedCopy& copy : step) {
        for (std::uint64_t i = 0; i < copy.bytes; ++i) {
          const auto found = bytes.find(copy.source + i);
          if (found != bytes.end()) written[copy.destination + i] = found->second;
        }
      }
      for (const auto& [at, value] : written) bytes[at] = value;
    }
  }
  std::map<std::uint64_t, int> bytes;
};

TEST(CollectivePlan, BlocksArriveWhateverTheirSizeAndHoweverManyPiecesTheyTake) {
  for (const CollectiveKind kind : {CollectiveKind::kAllGather, CollectiveKind::kAllToAll}) {
    const bool gathers = kind == CollectiveKind::kAllGather;
    for (const std::uint64_t block : {2u, 600u, 4098u, 10000u}) {
      for (const std::uint64_t stride : {block, block + 1024}) {
        const std::uint64_t apart = stride == block ? 0 : stride / 2;
        Memory memory;
        const auto value = [&](std::uint64_t from, std::uint64_t to, std::uint64_t i) {
          return static_cast<int>((from * kRanks + (gathers ? 0 : to)) * block + i);
        };
        for (std::uint64_t from = 0; from < kRanks; ++from) {
          for (std::uint64_t to = 0; to < (gathers ? 1 : kRanks); ++to) {
            for (std::uint64_t i = 0; i < block; ++i) {
              memory.bytes[kSend + from * kOfRank + to * stride + i] = value(from, to, i);
            }
          }
        }
        memory.run(plan({kind, block / 2, apart, "mesh", 20480}));
        for (std::uint64_t to = 0; to < kRanks; ++to) {
          for (std::uint64_t from = 0; from < kRanks; ++from) {
            for (std::uint64_t i = 0; i < block; ++i) {
              ASSERT_EQ(memory.bytes[kRecv + to * kOfRank + from * stride + i], value(from, to, i))
                  << (gathers ? "AllGather of " : "AllToAll of ") << block << " bytes, every "
                  << stride << ": byte " << i << " of " << from << " in " << to;
            }
          }
        }
      }
    }
  }
}

TEST(CollectivePlan, ARankCopiesItsOwnBlockOfAGatherInARingPieceByPiece) {
  const std::uint64_t block = 20000, window = 20480;
  const CollectivePlan ring = plan({CollectiveKind::kAllGather, block / 2, 0, "ring", window});
  std::vector<std::uint64_t> copied(kRanks);
  for (const auto& step : ring.steps) {
    for (const PlannedCopy& copy : step) {
      if (copy.source % kOfRank < kSend || copy.source % kOfRank >= kRecv) continue;
      if (copy.destination % kOfRank < kRecv || copy.destination % kOfRank >= kWindow) continue;
      EXPECT_EQ(copy.from, copy.to);
      EXPECT_EQ(copy.source, kSend + copy.from * kOfRank + copied[copy.from]);
      EXPECT_EQ(copy.destination,
                kRecv + copy.from * kOfRank + copy.from * block + copied[copy.from]);
      copied[copy.from] += copy.bytes;
    }
  }
  EXPECT_EQ(copied, std::vector<std::uint64_t>(kRanks, block));
  EXPECT_GT(ring.steps.size(), 2 * (2 + 1 + kRanks - 1)) << "pieces";
}

}  // namespace
}  // namespace davsim::test::collective_plan
