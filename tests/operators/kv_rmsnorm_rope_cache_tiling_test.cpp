// The plan of kv_rmsnorm_rope_cache: every core that can have work has some, and everything fits in
// UB.
#include <gtest/gtest.h>

#include "kernels/common/seeded_data.hpp"
#include "kernels/kv_rmsnorm_rope_cache/tiling.hpp"

namespace davsim::operators::kv_rmsnorm_rope_cache {
namespace {

constexpr std::uint64_t kUb = 192 * 1024;
constexpr std::uint32_t kCores = 40;

/// What the kernel's InitBuffers() asks of TPipe.
std::uint64_t ub_bytes(const Problem& p, std::uint64_t rows, std::uint64_t slots) {
  const auto lines = [](std::uint64_t bytes) { return (bytes + 511) / 512 * 512; };
  const std::uint64_t numbers = (rows + 7) / 8 * 8, folds = (rows * 512 / 7 + 8) / 8 * 8;
  std::uint64_t bytes = 2 * lines(rows * 576 * 2) + 2 * lines(rows * 128 * 2);
  bytes += lines(256 + (512 + 2 * 576) * 4) + lines(512 * 4);
  bytes += lines(rows * 576 * 4) + lines(256 + (rows * 512 + folds + 9 * numbers) * 4);
  const bool caches_t = !p.k_quantised || !p.ckv_quantised;
  if (p.output_kv || (caches_t && !p.mode.nz)) bytes += slots * lines(rows * 576 * 2);
  if (caches_t && p.mode.nz) bytes += slots * lines(rows * 576 * 2);
  if (p.k_quantised || p.ckv_quantised) bytes += slots * lines(rows * 576);
  return bytes;
}

Problem problem(std::int64_t batch, std::int64_t seq_len) {
  Problem p;
  p.batch = batch;
  p.seq_len = seq_len;
  p.mode = *cache_mode_named("PA");
  p.pages = 64;
  p.page_rows = 128;
  return p;
}

TEST(KvRmsnormRopeCacheTiling, BlocksFollowTheTokens) {
  EXPECT_EQ(plan(problem(1, 1), kCores, kUb).block_dim, 1u);
  EXPECT_EQ(plan(problem(3, 1), kCores, kUb).block_dim, 2u);
  EXPECT_EQ(plan(problem(64, 1), kCores, kUb).block_dim, 32u);
  EXPECT_EQ(plan(problem(128, 4), kCores, kUb).block_dim, kCores);
  EXPECT_EQ(plan(problem(1, 8192), 48, kUb).block_dim, 48u);
}

TEST(KvRmsnormRopeCacheTiling, UbIsFullAndNoFuller) {
  for (const char* mode : {"Norm", "PA", "PA_NZ", "PA_BLK_NZ"}) {
    for (int bits = 0; bits < 8; ++bits) {
      Problem p = problem(1, 4096);
      p.mode = *cache_mode_named(mode);
      p.k_quantised = (bits & 1) != 0;
      p.ckv_quantised = (bits & 2) != 0;
      p.output_kv = (bits & 4) != 0;
      const KvRmsnormRopeCacheTiling tiling = plan(p, kCores, kUb).tiling;
      const std::uint32_t rows = tiling.chunk_rows;
      EXPECT_LE(ub_bytes(p, rows, tiling.output_slots), kUb) << mode << " " << bits;
      EXPECT_GT(ub_bytes(p, rows + 1, tiling.output_slots), kUb) << mode << " " << bits;
    }
  }
}

}  // namespace
}  // namespace davsim::operators::kv_rmsnorm_rope_cache
