// How a launch in two passes is dealt out to cores, whatever the lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "kernels/attention/tiling.hpp"
#include "kernels/sparse_flash_attention_quant/sparse_flash_attention_tiling.h"

namespace davsim::test {
namespace {

using namespace operators::attention;

constexpr std::int64_t kWidth = 512;

/// Tokens as sparse attention has them: 128 heads, and these numbers of keys.
Problem tokens_with(const std::vector<std::int64_t>& keys) {
  Problem p;
  p.query_heads = 128;
  p.kv_heads = 1;
  p.key_width = p.value_width = kWidth;
  p.rope_width = 64;
  p.query.type = p.out.type = isa::DType::kBF16;
  // Addresses tell the tokens apart; nothing is read.
  p.query.data = p.out.data = reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 40);
  p.query.strides = p.out.strides = {128 * kWidth, kWidth, kWidth};
  p.key.type = isa::DType::kBF16;
  p.key.storage = Storage::kFed;
  p.key_rope = p.value = p.key;
  for (const std::int64_t count : keys) p.batches.push_back({1, count});
  p.two_pass = true;
  p.feed_rows = 256;
  p.feed_bytes = SparseUb::All(true);
  p.split.grain = 32;
  return p;
}

std::vector<std::int64_t> repeated(std::size_t count, std::int64_t keys) {
  return std::vector<std::int64_t>(count, keys);
}

void expect_sound(const std::vector<std::int64_t>& keys, const char* soc) {
  const Plan plan =
      operators::attention::plan(tokens_with(keys), Machine::of(sim::SocConfig::named(soc)));
  const Schedule& schedule = plan.schedule;
  EXPECT_LE(plan.tiling.parts.places, kAttentionLogSums);
  std::map<std::uint64_t, std::vector<std::pair<std::int32_t, std::int32_t>>> seen;
  for (std::size_t core = 0; core + 1 < schedule.first.size(); ++core) {
    bool whole_before = false;
    for (std::uint32_t i = schedule.first[core]; i < schedule.first[core + 1]; ++i) {
      const AttentionTask& task = schedule.tasks[i];
      EXPECT_EQ(task.partial != 0, task.parts > 1);
      EXPECT_FALSE(whole_before && task.parts > 1) << "a part behind a whole task, core " << core;
      whole_before |= task.parts <= 1;
      seen[task.query].emplace_back(task.kv_begin, task.kv_end);
    }
  }
  // Every key of every token once.
  EXPECT_EQ(seen.size() + schedule.fills.size(), keys.size());
  for (auto& [query, stretches] : seen) {
    std::sort(stretches.begin(), stretches.end());
    const auto token = (query - (std::uint64_t{1} << 40)) / (128 * kWidth * 2);
    std::int32_t at = 0;
    for (const auto& [begin, end] : stretches) {
      EXPECT_EQ(begin, at) << "token " << token;
      at = end;
    }
    EXPECT_EQ(at, keys[token]) << "token " << token;
  }
}

TEST(AttentionPlan, PartsComeFirstAndEveryKeyOnce) {
  for (const char* soc : {"Ascend910B3", "Ascend910_9392"}) {
    SCOPED_TRACE(soc);
    for (const auto& keys : {repeated(1, 1), repeated(1, 2048), repeated(8, 2048),
                             repeated(21, 2048), repeated(256, 2048), repeated(3, 0)}) {
      expect_sound(keys, soc);
    }
  }
}

/// Long tokens of which a core gets two parts, 16 steps together, and short ones behind them: 18
/// are under way at a time.
TEST(AttentionPlan, ShortTasksBehindLongParts) {
  std::mt19937 random(8);
  std::vector<std::int64_t> keys;
  for (int i = 0; i < 62; ++i) keys.push_back(1200 + static_cast<std::int64_t>(random() % 849));
  keys.insert(keys.end(), 51, 30);
  for (const char* soc : {"Ascend910B3", "Ascend910_9392"}) expect_sound(keys, soc);
}

TEST(AttentionPlan, AnyLengths) {
  std::mt19937 random(7);
  for (int run = 0; run < 60; ++run) {
    std::vector<std::int64_t> keys(1 + random() % 120);
    const std::int64_t most = run % 3 == 0 ? 2049 : 300;
    for (std::int64_t& count : keys) {
      count = static_cast<std::int64_t>(random() % (random() % 4 == 0 ? most : 64));
    }
    SCOPED_TRACE(run);
    expect_sound(keys, run % 2 == 0 ? "Ascend910B3" : "Ascend910_9392");
  }
}

}  // namespace
}  // namespace davsim::test
