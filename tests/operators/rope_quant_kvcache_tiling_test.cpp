// The plan of rope_quant_kvcache: every core that can have work has some, and everything fits in
// UB.
#include <gtest/gtest.h>

#include "kernels/common/seeded_data.hpp"
#include "kernels/rope_quant_kvcache/tiling.hpp"

namespace davsim::operators::rope_quant_kvcache {
namespace {

constexpr std::uint64_t kUb = 192 * 1024;
constexpr std::uint32_t kCores = 40;

/// What the kernel's Init() asks of TPipe.
std::uint64_t ub_bytes(const RopeQuantKvcacheTiling& t) {
  const std::uint64_t chunk = std::uint64_t{t.chunk_heads} * t.head_dim;
  const std::uint64_t tables = std::uint64_t{t.chunk_tokens} * t.head_dim;
  const auto lines = [](std::uint64_t bytes) { return (bytes + 511) / 512 * 512; };
  return 2 * lines(2 * chunk) + 2 * lines(4 * tables) + lines(8 * t.head_dim + 256) +
         2 * lines(2 * chunk) + 2 * lines(chunk) + lines(2 * chunk + 256) + lines(4 * chunk);
}

TEST(RopeQuantKvcacheTiling, AllCoresWorkOnRqk3AndRqk4) {
  EXPECT_EQ(plan({32, 1, 4096, 32, 8, 128, false}, kCores, kUb).block_dim, kCores);
  EXPECT_EQ(plan({64, 1, 8192, 64, 8, 128, false}, kCores, kUb).block_dim, kCores);
}

TEST(RopeQuantKvcacheTiling, OneBlockForTheSmallestCall) {
  EXPECT_EQ(plan({1, 1, 1, 1, 1, 32, false}, kCores, kUb).block_dim, 1u);
}

TEST(RopeQuantKvcacheTiling, SmallCallsTakeFewBlocks) {
  // 10 heads of 256 bytes: one block a token.
  EXPECT_EQ(plan({4, 1, 2048, 8, 1, 128, false}, kCores, kUb).block_dim, 4u);
  EXPECT_EQ(plan({1, 1, 16, 8, 1, 128, false}, kCores, kUb).block_dim, 1u);
  // 8 tokens of 1 KiB: two tokens a block.
  EXPECT_EQ(plan({2, 4, 64, 4, 2, 64, false}, kCores, kUb).block_dim, 4u);
}

TEST(RopeQuantKvcacheTiling, NoMoreBlocksThanHeads) {
  EXPECT_EQ(plan({1, 1, 1, 1, 1, 4096, false}, kCores, kUb).block_dim, 3u);
}

TEST(RopeQuantKvcacheTiling, EverythingFitsInUb) {
  std::mt19937_64 bits(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto pick = [&](std::uint64_t most) {
      return static_cast<std::int64_t>(1 + bits() % most);
    };
    const Problem p = {pick(300),
                       pick(trial % 3 == 0 ? 2000 : 3),
                       4096,
                       pick(trial % 5 == 0 ? 900 : 40),
                       pick(trial % 7 == 0 ? 300 : 8),
                       32 * pick(trial % 4 == 0 ? 186 : 6),
                       false};
    const Plan plan = rope_quant_kvcache::plan(p, kCores, kUb);
    ASSERT_LE(ub_bytes(plan.tiling), kUb) << "D " << p.head_dim << " Nq " << p.query_heads;
    ASSERT_GE(plan.tiling.chunk_heads, 1u);
    ASSERT_GE(plan.tiling.chunk_tokens, 1u);
    ASSERT_GE(plan.block_dim, 1u);
    ASSERT_LE(plan.block_dim, kCores);
    if (plan.tiling.chunk_tokens > 1) {
      ASSERT_GE(plan.tiling.chunk_heads, plan.tiling.chunk_tokens * p.token_heads());
    }
  }
}

TEST(RopeQuantKvcacheTiling, TheWidestHeadUsesUbToTheLastBlock) {
  const std::int64_t widest = max_head_dim(kUb);
  const Plan plan = rope_quant_kvcache::plan({1, 1, 1, 1, 1, widest, false}, kCores, kUb);
  EXPECT_LE(ub_bytes(plan.tiling), kUb);
  EXPECT_GT(ub_bytes(plan.tiling) + 32 * 32 + 12 * 512, kUb);
}

}  // namespace
}  // namespace davsim::operators::rope_quant_kvcache
