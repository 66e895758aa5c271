// How long ranks of dispatch and combine say that they waited for each other.
#include <algorithm>
#include <filesystem>

#include "tests/operators/moe_distribute.hpp"

namespace davsim::test {
namespace {

class MoeWaits : public MoeDistributeTest {};

/// The ranks of a call that wait for each other are those of the case; `times` are what they say.
struct Waits {
  std::vector<std::vector<std::int64_t>> times;
  double longest_us = 0;
};

Waits waits_of(const operators::SystemRunResult& result) {
  Waits waits;
  for (const operators::TensorMap& outputs : result.outputs) {
    const operators::Tensor& info = outputs.at("performance_info");
    const auto* first = info.as<std::int64_t>();
    waits.times.emplace_back(first, first + info.elements());
  }
  for (const auto& report : result.reports) {
    waits.longest_us = std::max(waits.longest_us, report.time_us());
  }
  return waits;
}

/// Rank 2 has so many tokens that its rows come last. It does not wait for the others so long.
TEST_F(MoeWaits, PerformanceInfoNamesTheRankThatIsAwaited) {
  constexpr std::uint32_t kRanks = 4, kLate = 2;
  constexpr std::int64_t kMost = 256, kBefore = 1'000'000;
  const std::string system = without_spread();
  sim::Device& on = dies(system, kRanks);
  std::filesystem::remove(system);
  SystemCall sent(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const std::int64_t tokens = rank == kLate ? kMost : 4;
    operators::Tensor x(on.memory(rank), isa::DType::kBF16, {tokens, 2048}, "x");
    operators::Tensor ids(on.memory(rank), isa::DType::kI32, {tokens, 4}, "expert_ids");
    operators::Tensor info(on.memory(rank), isa::DType::kI64, {kRanks}, "performance_info");
    std::fill_n(x.as<isa::bfloat16_t>(), x.elements(), isa::bfloat16_t(1.0f));
    for (std::int32_t i = 0; i < ids.elements(); ++i) ids.as<std::int32_t>()[i] = i % 4;
    std::fill_n(info.as<std::int64_t>(), kRanks, kBefore);
    sent[rank].tensors = {{"x", x}, {"expert_ids", ids}, {"performance_info", info}};
    sent[rank].attributes = {
        {"ep_world_size", kRanks}, {"moe_expert_num", 4}, {"global_bs", kMost * kRanks}};
  }
  const auto& dispatch = op("dispatch_v2");
  dispatch.number_ranks(sent);
  const Waits first = waits_of(operators::run(dispatch, sent, on));
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t source = 0; source < kRanks; ++source) {
      const auto waited = static_cast<double>(first.times[rank][source] - kBefore);
      EXPECT_GE(waited, 0);
      EXPECT_LT(waited, first.longest_us);
      if (source == kLate || rank == kLate) continue;
      EXPECT_GT(first.times[rank][kLate], first.times[rank][source] + 5) << rank << source;
    }
  }
  const Waits second = waits_of(operators::run(dispatch, sent, on));
  EXPECT_GT(second.times[0][kLate] - first.times[0][kLate], 5)
      << "the second call adds to the first";
}

/// All tokens have the experts of rank 2, which sends all rows back.
TEST_F(MoeWaits, PerformanceInfoOfCombineNamesTheRankThatIsAwaited) {
  constexpr std::uint32_t kRanks = 4, kLate = 2;
  constexpr std::int64_t kTokens = 48;
  sim::Device& on = dies("atlas_a3_server", kRanks);
  SystemCall sent(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    operators::Tensor x(on.memory(rank), isa::DType::kBF16, {kTokens, 4096}, "x");
    operators::Tensor ids(on.memory(rank), isa::DType::kI32, {kTokens, 2}, "expert_ids");
    for (std::int32_t i = 0; i < ids.elements(); ++i) {
      ids.as<std::int32_t>()[i] = 2 * static_cast<std::int32_t>(kLate) + i % 2;
    }
    sent[rank].tensors = {{"x", x}, {"expert_ids", ids}};
    sent[rank].attributes = {{"ep_world_size", kRanks}, {"moe_expert_num", 2 * kRanks}};
  }
  const auto &dispatch = op("dispatch_v2"), &combine = op("combine_v2");
  dispatch.number_ranks(sent);
  const operators::SystemRunResult got = operators::run(dispatch, sent, on);
  SystemCall back(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const operators::TensorMap& outputs = got.outputs[rank];
    back[rank].attributes = sent[rank].attributes;
    back[rank].tensors = {{"expand_x", outputs.at("expand_x")},
                          {"expert_ids", sent[rank].tensors.at("expert_ids")},
                          {"assist_info_for_combine", outputs.at("assist_info_for_combine")},
                          {"ep_send_counts", outputs.at("ep_recv_counts")},
                          {"expert_scales", operators::Tensor(on.memory(rank), isa::DType::kF32,
                                                              {kTokens, 2}, "expert_scales")},
                          {"performance_info", operators::Tensor(on.memory(rank), isa::DType::kI64,
                                                                 {kRanks}, "performance_info")}};
  }
  const Waits waits = waits_of(operators::run(combine, back, on));
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t source = 0; source < kRanks; ++source) {
      const std::int64_t waited = waits.times[rank][source];
      if (source != kLate) {
        EXPECT_EQ(waited, 0) << rank << " for " << source;
      } else if (rank != kLate) {
        EXPECT_GT(waited, 2) << rank;
      }
      EXPECT_LT(static_cast<double>(waited), waits.longest_us);
    }
  }
}

}  // namespace
}  // namespace davsim::test
