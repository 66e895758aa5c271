// How a launch is dealt out to cores, whatever the lengths, and what L1 holds.
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

/// One batch of dense keys and values for each pair of query and key rows; nothing is read.
Problem dense(std::int64_t heads, std::int64_t group, std::int64_t width,
              const std::vector<std::pair<std::int64_t, std::int64_t>>& batches) {
  Problem p;
  p.query_heads = heads * group;
  p.kv_heads = heads;
  p.key_width = p.value_width = width;
  p.query.type = p.out.type = p.key.type = p.value.type = isa::DType::kF16;
  p.query.data = p.out.data = reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 40);
  p.key.data = p.value.data = {reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 41)};
  const std::int64_t row = heads * width;
  p.query.strides = p.out.strides = {4096 * row * group, width, row * group};
  p.key.strides = p.value.strides = {4096 * row, width, row};
  for (const auto& [query_rows, kv_rows] : batches) p.batches.push_back({query_rows, kv_rows});
  return p;
}

Plan planned(const Problem& problem) {
  return operators::attention::plan(problem, Machine::of(sim::SocConfig::named("Ascend910B3")));
}

/// A load of whole rows needs three places of them, and room in L0C for the sums of value.
TEST(AttentionPlan, LoadsAreWholeRowsWhereTheyFit) {
  struct Case {
    std::int64_t query_rows, width;
    std::uint32_t key_blocks, value_blocks;
  };
  for (const Case& c : {Case{1, 128, 1, 1}, Case{1, 256, 2, 2}, Case{1, 512, 4, 4},
                        Case{64, 256, 2, 2}, Case{128, 256, 1, 1}, Case{128, 512, 1, 1}}) {
    SCOPED_TRACE(std::to_string(c.query_rows) + " rows of " + std::to_string(c.width));
    const AttentionL1 l1 = planned(dense(4, 1, c.width, {{c.query_rows, 600}})).tiling.l1;
    EXPECT_EQ(l1.key_blocks, c.key_blocks);
    EXPECT_EQ(l1.value_blocks, c.value_blocks);
  }
}

/// 21 units of four tiles for 20 cores: the first core that cannot take one alone takes two.
TEST(AttentionPlan, CoresTakeWholeUnitsInOrder) {
  Problem p = dense(3, 1, 64, std::vector<std::pair<std::int64_t, std::int64_t>>(7, {512, 256}));
  p.unit_tiles = 4;
  const Schedule schedule = planned(p).schedule;
  ASSERT_EQ(schedule.tasks.size(), 21U * 4);
  std::uint32_t most = 0;
  for (std::size_t core = 0; core + 1 < schedule.first.size(); ++core) {
    EXPECT_EQ(schedule.first[core] % 4, 0U) << "core " << core;
    most = std::max(most, schedule.first[core + 1] - schedule.first[core]);
  }
  EXPECT_EQ(schedule.first.back(), 21U * 4);
  EXPECT_EQ(most, 8U);
  for (std::size_t i = 1; i < schedule.tasks.size(); ++i) {
    EXPECT_TRUE(schedule.tasks[i - 1].key <= schedule.tasks[i].key) << "task " << i;
  }
}

}  // namespace
}  // namespace davsim::test
