// Dispatch and combine of a mixture of experts: documented cases, and both behind each other.
#include <algorithm>
#include <cstring>
#include <ostream>

#include "tests/operators/moe_distribute.hpp"

namespace davsim::test {
namespace {

struct Documented {
  const char *name, *id;
};
void PrintTo(const Documented& shown, std::ostream* out) {
  *out << shown.id;
}
class MoeDistributeCase : public MoeDistributeTest,
                          public ::testing::WithParamInterface<Documented> {};

TEST_P(MoeDistributeCase, MatchesTheReference) {
  run_case(GetParam().name, GetParam().id);
}
INSTANTIATE_TEST_SUITE_P(
    Dispatch, MoeDistributeCase,
    testing::Values(Documented{"dispatch", "MDD-1"}, Documented{"dispatch", "MDD-3"},
                    Documented{"dispatch_v2", "MDD2-1"}, Documented{"dispatch_v2", "MDD2-2"},
                    Documented{"dispatch_v2", "MDD2-3"}, Documented{"dispatch_v2", "MDD2-4"},
                    Documented{"dispatch_v2", "MDD2-5"}, Documented{"dispatch_v2", "MDD2-6"},
                    Documented{"dispatch_v2", "MDD2-7"}, Documented{"dispatch_v2", "MDD2-9"},
                    Documented{"dispatch", "MDD-11"}, Documented{"dispatch_v2", "MDD2-11"},
                    Documented{"dispatch_v2", "MDD2-12"}, Documented{"dispatch_v2", "MDD2-13"},
                    Documented{"dispatch_v2", "MDD2-14"}, Documented{"dispatch_v2", "MDD2-15"}));
INSTANTIATE_TEST_SUITE_P(
    Combine, MoeDistributeCase,
    testing::Values(Documented{"combine", "MDC-1"}, Documented{"combine", "MDC-3"},
                    Documented{"combine", "MDC-4"}, Documented{"combine_v2", "MDC2-1"},
                    Documented{"combine_v2", "MDC2-2"}, Documented{"combine_v2", "MDC2-3"},
                    Documented{"combine_v2", "MDC2-4"}, Documented{"combine_v2", "MDC2-5"},
                    Documented{"combine_v2", "MDC2-6"}, Documented{"combine_v2", "MDC2-7"},
                    Documented{"combine_v2", "MDC2-9"}, Documented{"combine_v2", "MDC2-10"},
                    Documented{"combine", "MDC-11"}, Documented{"combine_v2", "MDC2-11"},
                    Documented{"combine_v2", "MDC2-12"}, Documented{"combine_v2", "MDC2-13"},
                    Documented{"combine_v2", "MDC2-14"}, Documented{"combine_v2", "MDC2-15"}));
INSTANTIATE_TEST_SUITE_P(Slow, MoeDistributeCase,
                         testing::Values(Documented{"dispatch_v2", "MDD2-8"},
                                         Documented{"combine_v2", "MDC2-8"}));

TEST_F(MoeDistributeTest, RefusalsHaveTheirClass) {
  dies("atlas_a3_server", 16);
  for (const auto* of : operators::all_system_operators()) {
    if (!of->info().name.starts_with("npu_moe_distribute_")) continue;
    for (const operators::SystemCase& each : of->cases()) {
      if (!each.example.refused) continue;
      const sim::SystemConfig system = sim::SystemConfig::named(each.system);
      const std::vector<memory::GlobalMemory*> memories(memories_.begin(),
                                                        memories_.begin() + each.ranks);
      const SystemCall call = of->make_case(each.example.id, memories);
      try {
        operators::validated(*of, call, sim::SocConfig::named(system.soc()));
        ADD_FAILURE() << of->info().name << " " << each.example.id << " was accepted";
      } catch (const operators::Refusal& refusal) {
        EXPECT_EQ(refusal.cls, *each.example.refused) << each.example.id << ": " << refusal.what();
      }
    }
  }
}

/// One expert on each of `ranks` ranks of A2 cards.
TEST_F(MoeDistributeTest, GroupsOfA2CardsHaveAtMost256Ranks) {
  sim::Device& on = dies("atlas_a2_server", 2);
  const auto accepts = [&](std::int64_t ranks) {
    operators::Call part;
    part.tensors = {
        {"x", operators::Tensor(on.memory(0), isa::DType::kF16, {1, 32}, "x")},
        {"expert_ids", operators::Tensor(on.memory(0), isa::DType::kI32, {1, 1}, "expert_ids")}};
    part.attributes = {{"group_ep", "ep"}, {"group_tp", ""},          {"ep_world_size", ranks},
                       {"ep_rank_id", 0},  {"moe_expert_num", ranks}, {"comm_alg", ""}};
    try {
      op("dispatch_v2").validate(part, on.soc(), 0, static_cast<std::uint32_t>(ranks));
      return true;
    } catch (const operators::Refusal& refusal) {
      EXPECT_EQ(refusal.cls, operators::ErrorClass::kUnsupported) << refusal.what();
      return false;
    }
  };
  for (const std::int64_t ranks : {2, 8, 16, 32, 256}) EXPECT_TRUE(accepts(ranks)) << ranks;
  for (const std::int64_t ranks : {9, 24, 272}) EXPECT_FALSE(accepts(ranks)) << ranks;
}

TEST_F(MoeDistributeTest, RowsThatNobodySendsAreRefusedInsteadOfAwaited) {
  dies("atlas_a3_server", 2);
  const auto& combine = op("combine_v2");
  const SystemCall call = combine.make_case("MDC2-1", memories_);
  call[1].tensors.at("assist_info_for_combine").as<std::int32_t>()[1] += 1;
  try {
    operators::run(combine, call, *device_);
    FAIL() << "the call was accepted";
  } catch (const operators::Refusal& refusal) {
    EXPECT_EQ(refusal.cls, operators::ErrorClass::kIndex) << refusal.what();
  }
}

/// What dispatch puts out is what combine takes: experts that give back what they got.
TEST_F(MoeDistributeTest, CombineUndoesDispatch) {
  sim::Device& on = dies("atlas_a3_server", 2);
  for (const bool second : {false, true}) {
    const auto& dispatch = op(second ? "dispatch_v2" : "dispatch");
    const auto& combine = op(second ? "combine_v2" : "combine");
    const std::string info = second ? "assist_info_for_combine" : "expand_idx";
    const SystemCall sent = dispatch.make_case(second ? "MDD2-1" : "MDD-1", memories_);
    const operators::SystemRunResult got = operators::run(dispatch, sent, on);
    SystemCall back(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      back[rank].attributes = sent[rank].attributes;
      auto& tensors = back[rank].tensors;
      tensors.emplace("expand_x", got.outputs[rank].at("expand_x"));
      tensors.emplace("expert_ids", sent[rank].tensors.at("expert_ids"));
      tensors.emplace(info, got.outputs[rank].at(info));
      tensors.emplace("ep_send_counts", got.outputs[rank].at("ep_recv_counts"));
      operators::Tensor weights(on.memory(rank), isa::DType::kF32, {8, 2}, "expert_scales");
      std::fill_n(weights.as<float>(), 16, 0.5f);
      tensors.emplace("expert_scales", weights);
    }
    const operators::SystemRunResult result = operators::run(combine, back, on);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      const operators::Tensor& x = sent[rank].tensors.at("x");
      EXPECT_EQ(std::memcmp(result.outputs[rank].at("x").data(), x.data(), x.bytes()), 0) << rank;
    }
  }
}

/// What dispatch by levels leaves for combine is what combine by levels wants. The weights are
/// those that travelled with the rows.
TEST_F(MoeDistributeTest, CombineByLevelsUndoesDispatchByLevels) {
  constexpr std::uint32_t kRanks = 16;
  constexpr std::int64_t kTokens = 5, kExperts = 4;
  sim::Device& on = dies("atlas_a2_cluster", kRanks);
  // The first version has no comm_alg: the environment decides.
  setenv("HCCL_INTRA_PCIE_ENABLE", "1", 1);
  setenv("HCCL_INTRA_ROCE_ENABLE", "0", 1);
  for (const bool second : {false, true}) {
    const auto& dispatch = op(second ? "dispatch_v2" : "dispatch");
    const auto& combine = op(second ? "combine_v2" : "combine");
    SystemCall sent(kRanks);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      operators::Tensor x(on.memory(rank), isa::DType::kF16, {kTokens, 512}, "x");
      operators::Tensor ids(on.memory(rank), isa::DType::kI32, {kTokens, kExperts}, "expert_ids");
      operators::Tensor weights(on.memory(rank), isa::DType::kF32, {kTokens, kExperts}, "weights");
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        x.as<isa::half>()[i] = isa::half(static_cast<float>(rank * 8 + i % 7));
      }
      for (std::int32_t i = 0; i < ids.elements(); ++i) {
        ids.as<std::int32_t>()[i] = (static_cast<std::int32_t>(rank) + i * 9) % 32;
      }
      std::fill_n(weights.as<float>(), weights.elements(), 0.25f);
      sent[rank].tensors = {{"x", x}, {"expert_ids", ids}, {"expert_scales", weights}};
      sent[rank].attributes = {{"ep_world_size", kRanks}, {"moe_expert_num", 32}};
      if (second) sent[rank].attributes["comm_alg"] = "hierarchy";
    }
    dispatch.number_ranks(sent);
    const operators::SystemRunResult got = operators::run(dispatch, sent, on);
    compare(dispatch, sent, got, on);
    const std::string info = second ? "assist_info_for_combine" : "expand_idx";
    SystemCall back(kRanks);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const operators::TensorMap& outputs = got.outputs[rank];
      back[rank].attributes = sent[rank].attributes;
      back[rank].tensors = {{"expand_x", outputs.at("expand_x")},
                            {"expert_ids", sent[rank].tensors.at("expert_ids")},
                            {info, outputs.at(info)},
                            {"ep_send_counts", outputs.at("ep_recv_counts")},
                            {"expert_scales", sent[rank].tensors.at("expert_scales")},
                            {"expand_scales", outputs.at("expand_scales")}};
    }
    for (int times = 0; times < 2; ++times) {
      const operators::SystemRunResult result = operators::run(combine, back, on);
      for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        const operators::Tensor& x = sent[rank].tensors.at("x");
        EXPECT_EQ(std::memcmp(result.outputs[rank].at("x").data(), x.data(), x.bytes()), 0)
            << rank << " of " << combine.info().name;
      }
    }
  }
  unsetenv("HCCL_INTRA_PCIE_ENABLE");
  unsetenv("HCCL_INTRA_ROCE_ENABLE");
}

/// A token with all its experts in another server crosses once by levels, and once for each expert
/// without.
TEST_F(MoeDistributeTest, ByLevelsATokenCrossesToAServerOnce) {
  constexpr std::uint32_t kRanks = 16;
  constexpr std::int64_t kTokens = 4, kExperts = 8, kWidth = 1024;
  sim::Device& on = dies("atlas_a2_cluster", kRanks);
  const auto nic_bytes = [&](const char* algorithm) {
    SystemCall sent(kRanks);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      operators::Tensor x(on.memory(rank), isa::DType::kF16, {kTokens, kWidth}, "x");
      operators::Tensor ids(on.memory(rank), isa::DType::kI32, {kTokens, kExperts}, "expert_ids");
      operators::Tensor weights(on.memory(rank), isa::DType::kF32, {kTokens, kExperts}, "weights");
      std::fill_n(x.as<isa::half>(), x.elements(), isa::half(1.0f));
      for (std::int32_t i = 0; i < ids.elements(); ++i) {
        ids.as<std::int32_t>()[i] = (rank < 8 ? 8 : 0) + i % 8;
      }
      std::fill_n(weights.as<float>(), weights.elements(), 1.0f);
      sent[rank].tensors = {{"x", x}, {"expert_ids", ids}, {"expert_scales", weights}};
      sent[rank].attributes = {
          {"ep_world_size", kRanks}, {"moe_expert_num", kRanks}, {"comm_alg", algorithm}};
    }
    const auto& dispatch = op("dispatch_v2");
    dispatch.number_ranks(sent);
    compare(dispatch, sent, operators::run(dispatch, sent, on), on);
    std::uint64_t bytes = 0;
    for (const sim::LinkCounters& link : on.links()) bytes += link.link == "nic" ? link.bytes : 0;
    return static_cast<double>(bytes);
  };
  const double by_levels = nic_bytes("hierarchy"), flat = nic_bytes("fullmesh");
  EXPECT_GT(flat / by_levels, 6);
  EXPECT_LT(flat / by_levels, kExperts);
}

TEST_F(MoeDistributeTest, ListsOfAnotherCallAreRefusedByLevels) {
  dies("atlas_a2_cluster", 16);
  const auto& combine = op("combine_v2");
  const SystemCall call = combine.make_case("MDC2-13", memories_);
  operators::Tensor info = call[3].tensors.at("assist_info_for_combine");
  // Behind the origins of the rows, six tokens of 16 ranks to at most two experts each.
  std::int32_t* const lists = info.as<std::int32_t>() + 3 * 6 * 16 * 2;
  for (int i = 0; i < 6 * 2 * 4; ++i) lists[i] = -1;
  try {
    operators::run(combine, call, *device_);
    FAIL() << "the call was accepted";
  } catch (const operators::Refusal& refusal) {
    EXPECT_EQ(refusal.cls, operators::ErrorClass::kIndex) << refusal.what();
  }
}

/// Rank 1 of 4 has failed: the others have 6 of the 8 experts, as ranks 0, 1 and 2.
TEST_F(MoeDistributeTest, RanksThatAreLeftGoOn) {
  constexpr std::uint32_t kRanks = 4, kGone = 1;
  sim::Device& on = dies("atlas_a3_server", kRanks);
  constexpr std::int32_t kInfo[] = {1, 3, 0, 6, 0, -1, 1, 2, 0, 2, 3, -1};
  SystemCall sent(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    operators::Tensor x(on.memory(rank), isa::DType::kBF16, {5, 1024}, "x");
    operators::Tensor ids(on.memory(rank), isa::DType::kI32, {5, 2}, "expert_ids");
    operators::Tensor info(on.memory(rank), isa::DType::kI32, {12}, "elastic_info");
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      x.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(static_cast<float>(rank * 8 + i % 7));
    }
    for (std::int32_t i = 0; i < 10; ++i) {
      ids.as<std::int32_t>()[i] = (static_cast<std::int32_t>(rank) + i * 5) % 6;
    }
    std::copy_n(kInfo, 12, info.as<std::int32_t>());
    sent[rank].tensors = {{"x", x}, {"expert_ids", ids}, {"elastic_info", info}};
    sent[rank].attributes = {{"ep_world_size", kRanks}, {"moe_expert_num", 8}};
  }
  const auto &dispatch = op("dispatch_v2"), &combine = op("combine_v2");
  dispatch.number_ranks(sent);
  const operators::SystemRunResult got = operators::run(dispatch, sent, on);
  compare(dispatch, sent, got, on);
  SystemCall back(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const operators::TensorMap& outputs = got.outputs[rank];
    operators::Tensor weights(on.memory(rank), isa::DType::kF32, {5, 2}, "expert_scales");
    std::fill_n(weights.as<float>(), 10, 0.5f);
    back[rank].attributes = sent[rank].attributes;
    back[rank].tensors = {{"expand_x", outputs.at("expand_x")},
                          {"expert_ids", sent[rank].tensors.at("expert_ids")},
                          {"assist_info_for_combine", outputs.at("assist_info_for_combine")},
                          {"ep_send_counts", outputs.at("ep_recv_counts")},
                          {"expert_scales", weights},
                          {"elastic_info", sent[rank].tensors.at("elastic_info")}};
  }
  const operators::SystemRunResult result = operators::run(combine, back, on);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const operators::Tensor& x = sent[rank].tensors.at("x");
    const bool same = std::memcmp(result.outputs[rank].at("x").data(), x.data(), x.bytes()) == 0;
    EXPECT_EQ(same, rank != kGone) << rank;
  }
  const SystemCall together = sent;
  sent[2].tensors.emplace("performance_info",
                          operators::Tensor(on.memory(2), isa::DType::kI64, {kRanks}, "waits"));
  EXPECT_THROW(operators::validated(dispatch, sent, on.soc()), operators::Refusal);
  sent = together;
  sent[2].tensors.at("elastic_info").as<std::int32_t>()[1] = 4;
  EXPECT_THROW(operators::validated(dispatch, sent, on.soc()), operators::Refusal);
}

}  // namespace
}  // namespace davsim::test
