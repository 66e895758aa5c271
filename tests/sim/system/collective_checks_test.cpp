// What a collective operation is refused for, and which bytes of each rank it needs.
#include "sim/system/collective_checks.hpp"

#include <gtest/gtest.h>

namespace davsim::test {
namespace {

using isa::Collective;
using isa::CollectiveKind;

constexpr std::uint32_t kFloatType = 4, kMembers = 4;

Collective operation(CollectiveKind kind) {
  Collective made;
  made.kind = kind;
  made.count = 10;
  made.type = kFloatType;
  made.send = 0x1000;
  made.recv = 0x2000;
  return made;
}

TEST(CollectiveChecks, NumbersThatNoMemoryHasAreRefused) {
  Collective asked = operation(CollectiveKind::kAllToAll);
  EXPECT_EQ(sim::wrong_with(asked, kMembers), "");
  asked.stride = std::uint64_t{1} << 60;
  EXPECT_NE(sim::wrong_with(asked, kMembers).find("AlltoAll has a stride of"), std::string::npos);
  asked = operation(CollectiveKind::kAllReduce);
  asked.count = std::uint64_t{1} << 62;
  EXPECT_NE(sim::wrong_with(asked, kMembers).find("elements, more than any memory"),
            std::string::npos);
}

/// Bytes that a rank sends and receives.
struct Needs {
  CollectiveKind kind;
  std::uint32_t rank;
  std::uint64_t sends, receives;
};

/// A block has 10 floats. The root is rank 2.
TEST(CollectiveChecks, BuffersReachFromTheFirstBlockToTheLast) {
  const Needs all[] = {
      {CollectiveKind::kAllReduce, 0, 40, 40},      {CollectiveKind::kAllGather, 0, 40, 160},
      {CollectiveKind::kReduceScatter, 0, 160, 40}, {CollectiveKind::kAllToAll, 0, 160, 160},
      {CollectiveKind::kBroadcast, 2, 40, 0},       {CollectiveKind::kBroadcast, 1, 0, 40},
      {CollectiveKind::kReduce, 2, 40, 40},         {CollectiveKind::kReduce, 1, 40, 0},
      {CollectiveKind::kScatter, 2, 160, 40},       {CollectiveKind::kScatter, 1, 0, 40},
  };
  for (const Needs& needs : all) {
    sim::RankCollective request;
    request.what = operation(needs.kind);
    request.what.root = 2;
    std::uint64_t sends = 0, receives = 0;
    for (const sim::CollectiveBuffer& buffer : sim::buffers_of(request, needs.rank, kMembers)) {
      const bool sent = std::string(buffer.use) == "sends";
      EXPECT_EQ(buffer.start, sent ? 0x1000u : 0x2000u);
      (sent ? sends : receives) += buffer.bytes;
    }
    EXPECT_EQ(sends, needs.sends) << sim::name_of(needs.kind) << " of rank " << needs.rank;
    EXPECT_EQ(receives, needs.receives) << sim::name_of(needs.kind) << " of rank " << needs.rank;
  }
}

/// Blocks that lie apart end with the last block, not with its gap.
TEST(CollectiveChecks, StridesAndRoundsCount) {
  sim::RankCollective request;
  request.what = operation(CollectiveKind::kAllToAll);
  request.what.stride = 100;
  request.what.rounds = 2;
  for (const sim::CollectiveBuffer& buffer : sim::buffers_of(request, 0, kMembers)) {
    EXPECT_EQ(buffer.bytes, (3 * 100 + 20) * sizeof(float));
  }
}

}  // namespace
}  // namespace davsim::test
