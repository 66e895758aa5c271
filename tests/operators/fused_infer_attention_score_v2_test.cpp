// fused_infer_attention_score_v2: results beside the scene matrix.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "isa/numeric/half.hpp"
#include "tests/operators/fused_infer_attention_score_v2_call.hpp"
#include "tests/operators/fused_infer_attention_score_v2_random.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using isa::half;
using operators::Call;

constexpr std::uint64_t kSeed = 20261121;

/// Trials [first, end) of the random calls of a seed.
void run_random(int first, int end, const operators::Operator& op = fia(),
                std::uint64_t seed = kSeed, sim::Device& on = device()) {
  FiaRandom random(on.memory(), seed);
  for (int trial = 0; trial < end; ++trial) {
    const Recipe recipe = random.next();
    if (trial < first) continue;
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + to_string(recipe));
    fia_run_and_compare(fia_call(recipe, 100 + static_cast<std::uint64_t>(trial), on.memory()), op,
                        on);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Fia, RandomCallsAskForTheRightProblem) {
  run_random(0, 120, fia_on_host());
}

TEST(Fia, RandomCallsOfEveryScene) {
  run_random(0, 48);
}

TEST(Fia, SlowRandomCallsOfEveryScene) {
  run_random(48, 400);
}

TEST(Fia, SlowRandomCallsOnAnA3) {
  sim::Device a3(sim::SocConfig::named("Ascend910_9392"));
  run_random(0, 400, fia(), kSeed + 1, a3);
}

// Tasks of one product each: the scores of three of them come before any product with value.
TEST(Fia, ManyTasksOfFewColumns) {
  Recipe recipe = fia_prompt();
  recipe.heads = recipe.kv_heads = 64, recipe.kv_rows = 6;
  fia_run_and_compare(fia_call(recipe));
}

// Infinite scores give rows without numbers, which have no angle to what they should be.
TEST(Fia, QuantisedQueriesWithScoresThatNoFloatHolds) {
  Call call = fia_call(fia_mla512_int8());
  call.attributes["softmax_scale"] = 3.4e38;
  fia_run_and_compare(call);
}

TEST(Fia, DocumentedRefusals) {
  int refusals = 0;
  for (const operators::ExampleCase& example : fia().cases()) {
    if (!example.refused) continue;
    SCOPED_TRACE(example.id);
    ++refusals;
    EXPECT_EQ(refusal_of(fia(), fia().make_case(example.id, fia_memory())), example.refused);
  }
  EXPECT_EQ(refusals, 24);
}

class FiaCase : public testing::TestWithParam<const char*> {};

TEST_P(FiaCase, MatchesTheReference) {
  fia_run_and_compare(fia().make_case(GetParam(), fia_memory()));
}

INSTANTIATE_TEST_SUITE_P(Small, FiaCase, testing::Values("FIA-5", "FIA-13", "FIA-14"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// --- edges
// ---------------------------------------------------------------------------------------

/// Row i of batch b and head n of a BNSD output.
const half* out_row(const operators::RunResult& result, std::int64_t b, std::int64_t n,
                    std::int64_t i) {
  const operators::Tensor& out = result.outputs.at("attention_out");
  const operators::Shape& shape = out.shape();
  return out.as<half>() + ((b * shape[1] + n) * shape[2] + i) * shape[3];
}

TEST(Fia, OneKeyRowIsTheValueRow) {
  for (const bool paged : {false, true}) {
    Recipe recipe = fia_decode();
    recipe.kv_lengths = {1};
    if (paged) recipe.cache = "BnNBsD", recipe.page_rows = 16;
    const Call call = fia_call(recipe);
    const operators::RunResult result = fia_run_and_compare(call);
    const operators::Tensor& value = call.tensors.at("value");
    for (std::int64_t b = 0; b < 2; ++b) {
      std::int64_t page = b;
      if (paged) page = call.tensors.at("block_table").as<std::int32_t>()[b * 5];
      for (std::int64_t n = 0; n < 4; ++n) {
        const auto* row =
            value.as<half>() + (page * 2 + n / 2) * value.shape()[2] * value.shape()[3];
        EXPECT_EQ(std::memcmp(out_row(result, b, n, 0), row, 64 * sizeof(half)), 0);
      }
    }
  }
}

/// Scores that a float does not hold are infinite, as IEEE has it, in the kernel and the reference.
TEST(Fia, ScalesAtTheEndsOfAFloat) {
  Recipe masked = fia_prompt(), biased = fia_prompt(), int8_out = fia_prompt();
  masked.sparse_mode = 1, masked.mask = "full", masked.lse = true;
  biased.pse = true;
  int8_out.out_quant = "tensor", int8_out.out_offset = true;
  Recipe split = fia_decode();
  split.kv_rows = 2000, split.lse = true;
  for (const Recipe& recipe : {masked, biased, int8_out, split, fia_antiquant(kI8, 1)}) {
    Call call = fia_call(recipe);
    for (const double scale : {3.4e38, -3.4e38, 1e37, -1e30, 1e-38, 0.0}) {
      SCOPED_TRACE(to_string(recipe) + ", scale " + std::to_string(scale));
      call.attributes["softmax_scale"] = scale;
      fia_run_and_compare(call);
    }
  }
}

TEST(Fia, ABatchWithoutKeyRowsIsZeroAndInfinite) {
  Recipe recipe = fia_decode();
  recipe.kv_lengths = {0, 40}, recipe.lse = true;
  const operators::RunResult result = fia_run_and_compare(fia_call(recipe));
  const auto* lse = result.outputs.at("softmax_lse").as<float>();
  for (int n = 0; n < 4; ++n) {
    EXPECT_EQ(lse[n], std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isfinite(lse[4 + n]));
    for (int d = 0; d < 64; ++d) EXPECT_EQ(float(out_row(result, 0, n, 0)[d]), 0.0f);
  }
}

TEST(Fia, LengthsAroundAPage) {
  for (const std::int64_t length : {127, 128, 129, 255, 256, 257}) {
    SCOPED_TRACE(length);
    Recipe recipe = fia_decode();
    recipe.kv_rows = 300, recipe.kv_lengths = {length, 300 - length % 3};
    recipe.cache = "BnNBsD", recipe.page_rows = 128;
    fia_run_and_compare(fia_call(recipe));
  }
}

TEST(Fia, NanBehindLengthsMasksAndPseDoesNotMatter) {
  // Recipes poison what no batch reads of caches and of key and value; here the rest.
  Recipe recipe = fia_prompt();
  recipe.kv_lengths = {7, 19}, recipe.query_lengths = {20, 4}, recipe.pse = true;
  Call call = fia_call(recipe);
  put("pse_shift", DType::kF16, {1, 4, 22, 40})(call);
  const operators::Tensor& pse = call.tensors.at("pse_shift");
  for (std::int64_t i = 0; i < pse.elements(); ++i) {
    const bool read = i % 40 < 19 && i / 40 % 22 < 20;
    pse.as<half>()[i] = read ? half(0.25f) : half::from_bits(0x7e00);
  }
  auto* query = call.tensors.at("query").as<half>();
  for (std::int64_t n = 0; n < 4; ++n) {
    for (std::int64_t i = 4 * 64; i < 20 * 64; ++i) {
      query[(4 + n) * 20 * 64 + i] = half::from_bits(0x7e00);
    }
  }
  fia_run_and_compare(call);
}

TEST(Fia, NanInMaskedRowsOfKeyAndValueDoesNotMatter) {
  Recipe recipe = fia_decode();
  recipe.mask = "full";
  Call call = fia_call(recipe);
  const operators::Tensor& mask = call.tensors.at("atten_mask");
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t j = 0; j < 64; ++j) {
      const bool hidden = mask.as<std::uint8_t>()[b * mask.shape()[1] + j] != 0;
      if (!hidden) continue;
      for (std::int64_t n = 0; n < 2; ++n) {
        for (std::int64_t d = 0; d < 64; ++d) {
          const std::int64_t at = ((b * 2 + n) * 64 + j) * 64 + d;
          call.tensors.at("key").as<half>()[at] = half(3.0f);
          call.tensors.at("value").as<half>()[at] = half(1000.0f);
        }
      }
    }
  }
  fia_run_and_compare(call);
}

TEST(Fia, AZeroQueryIsTheMeanOfTheValues) {
  Call call = fia_call(fia_decode());
  std::memset(call.tensors.at("query").data(), 0, call.tensors.at("query").bytes());
  fia_run_and_compare(call);
}

TEST(Fia, ScoresBeyondHalfPrecisionStayFinite) {
  Recipe recipe = fia_prompt();
  recipe.scale = 32768, recipe.width = 128;
  Call call = fia_call(recipe);
  // Whole numbers, so that huge scores are exact whatever the order of the sums.
  operators::SeededData random(fia_memory(), 5);
  for (const char* name : {"query", "key"}) {
    const operators::Tensor& tensor = call.tensors.at(name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.as<half>()[i] = half(static_cast<float>(random.integer(-1, 1)));
    }
  }
  const operators::RunResult result = fia_run_and_compare(call);
  const operators::Tensor& out = result.outputs.at("attention_out");
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    ASSERT_TRUE(std::isfinite(float(out.as<half>()[i])));
  }
}

TEST(Fia, AnEmptyQueryGivesEmptyOutputs) {
  Call call = fia_call(fia_prompt());
  put("query", DType::kF16, {2, 4, 0, 64})(call);
  const operators::RunResult rows = fia_run_and_compare(call);
  EXPECT_EQ(rows.outputs.at("attention_out").shape(), (operators::Shape{2, 4, 0, 64}));
  Call tnd = fia_call(fia_tnd());
  put("query", DType::kBF16, {0, 4, 128})(tnd);
  EXPECT_TRUE(fia_run_and_compare(tnd).outputs.at("attention_out").empty());
}

TEST(Fia, EmptyKeyAndValueGiveZeros) {
  Call call = fia_call(fia_prompt());
  for (const char* name : {"key", "value"}) put(name, DType::kF16, {2, 2, 0, 64})(call);
  call.attributes["return_softmax_lse"] = true;
  fia_run_and_compare(call);
}

TEST(Fia, TheSmallestCall) {
  fia_run_and_compare(fia_call({.kv_rows = 1, .width = 16}));
}

// --- outputs and cost
// ---------------------------------------------------------------------------------------

TEST(Fia, OutputShapesAndTypes) {
  const auto outputs = [](const Recipe& recipe) {
    return fia().infer(operators::validated(fia(), fia_call(recipe), device().soc()));
  };
  Recipe recipe = fia_prompt();
  recipe.layout = "BNSD_BSND", recipe.lse = true;
  EXPECT_EQ(outputs(recipe)[0].shape, (operators::Shape{2, 20, 4, 64}));
  EXPECT_EQ(outputs(recipe)[1].shape, (operators::Shape{2, 4, 20, 1}));
  recipe = fia_mla512(3);
  recipe.layout = "BSH_NBSD";
  EXPECT_EQ(outputs(recipe)[0].shape, (operators::Shape{32, 2, 3, 512}));
  EXPECT_EQ(outputs(recipe)[1].shape, (operators::Shape{1}));
  recipe = fia_mla512_tnd();
  recipe.layout = "TND_NTD";
  EXPECT_EQ(outputs(recipe)[0].shape, (operators::Shape{32, 3, 512}));
  recipe = fia_tnd(192);
  recipe.layout = "NTD_TND", recipe.lse = true;
  EXPECT_EQ(outputs(recipe)[0].shape, (operators::Shape{24, 4, 128}));
  EXPECT_EQ(outputs(recipe)[1].shape, (operators::Shape{24, 4, 1}));
  EXPECT_EQ(outputs(fia_mla512_int8())[0].dtype, DType::kBF16);
  recipe = fia_prompt();
  recipe.out_quant = "tensor";
  EXPECT_EQ(outputs(recipe)[0].dtype, DType::kI8);
}

TEST(Fia, CostIsThatOfThePage) {
  const auto cost = [](const Recipe& recipe) {
    return fia().cost(operators::validated(fia(), fia_call(recipe), device().soc()));
  };
  // 2 batches, 4 heads, 20 rows, 32 columns; D 64.
  EXPECT_DOUBLE_EQ(cost(fia_prompt()).cube_flops_16bit, 2.0 * 2 * 4 * 20 * 32 * 128);
  EXPECT_DOUBLE_EQ(cost(fia_prompt()).min_bytes, 2 * (2 * 4 * 20 * 64 * 2 + 2 * 2 * 32 * 64 * 2.0));
  // Causal, right-down: row i sees 13 + i columns.
  EXPECT_DOUBLE_EQ(cost(fia_causal()).cube_flops_16bit, 2.0 * 2 * 4 * (20 * 13 + 190) * 128);
  // Latent rows count once: 512 + 64 wide.
  const operators::Cost mla = cost(fia_mla512());
  const double kv_rows = 71 + 140;
  EXPECT_DOUBLE_EQ(mla.cube_flops_16bit, 2 * 32 * kv_rows * (512 + 64 + 512));
  EXPECT_DOUBLE_EQ(mla.min_bytes, kv_rows * 576 * 2 + 2 * 32 * (576 + 512) * 2 + kv_rows / 128 * 4);
  const operators::Cost int8 = cost(fia_mla512_int8());
  EXPECT_DOUBLE_EQ(int8.cube_flops_8bit, 2 * 32 * kv_rows * 1024);
  EXPECT_DOUBLE_EQ(int8.cube_flops_16bit, 2 * 32 * kv_rows * 64);
}

}  // namespace
}  // namespace davsim::test
