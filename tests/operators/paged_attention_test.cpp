// paged_attention: documented cases, random calls, edges.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "tests/operators/paged_attention_call.hpp"
#include "tests/operators/paged_attention_random.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using isa::half;

/// `count` random calls, from trial `first` on.
void run_random(int first, int count) {
  PaRandom random(device().memory(), 20261122);
  for (int trial = 0; trial < first + count; ++trial) {
    const Recipe recipe = random.next();
    if (trial < first) continue;
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + to_string(recipe));
    pa_run_and_compare(pa_call(recipe, 500 + static_cast<std::uint64_t>(trial)));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Pa, RandomCallsOfEveryScene) {
  run_random(0, 60);
}

TEST(Pa, SlowRandomCallsOfEveryScene) {
  run_random(60, 340);
}

TEST(Pa, DocumentedRefusals) {
  int refusals = 0;
  for (const operators::ExampleCase& example : paged_attention().cases()) {
    if (!example.refused) continue;
    SCOPED_TRACE(example.id);
    ++refusals;
    const operators::Call call = paged_attention().make_case(example.id, device().memory());
    EXPECT_EQ(pa_verdict(call), operators::error_class_name(*example.refused));
  }
  EXPECT_EQ(refusals, 23);
}

class PaCase : public testing::TestWithParam<const char*> {};
std::string case_name(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
}

TEST_P(PaCase, MatchesTheReference) {
  pa_run_and_compare(paged_attention().make_case(GetParam(), device().memory()));
}

INSTANTIATE_TEST_SUITE_P(Small, PaCase,
                         testing::Values("PA-1", "PA-2", "PA-3", "PA-9", "PA-9N", "PA-11", "PA-11D",
                                         "PA-11R", "PA-12", "PA-15"),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Slow, PaCase,
                         testing::Values("PA-4", "PA-5", "PA-6", "PA-7", "PA-8", "PA-10", "PA-10B",
                                         "PA-10M", "PA-14"),
                         case_name);

// --- edges ---------------------------------------------------------------------------------------

TEST(Pa, OneKeyRowIsTheValueRow) {
  Recipe recipe = pa_base();
  recipe.contexts = {1, 1};
  const operators::Call call = pa_call(recipe);
  const operators::RunResult result = pa_run_and_compare(call);
  const operators::Tensor& value = call.tensors.at("valueCache");
  const auto* table = call.tensors.at("blockTables").as<std::int32_t>();
  const std::int64_t columns = call.tensors.at("blockTables").shape()[1];
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t n = 0; n < 4; ++n) {
      const auto* row = value.as<half>() + (table[b * columns] * 16 * 2 + n / 2) * 64;
      const auto* out = result.outputs.at("attnOut").as<half>() + (b * 4 + n) * 64;
      EXPECT_EQ(std::memcmp(out, row, 64 * sizeof(half)), 0);
    }
  }
}

TEST(Pa, ContextsAroundAPage) {
  for (const std::int64_t page_rows : {16, 128}) {
    for (const std::int64_t context : {127, 128, 129, 255, 256, 257}) {
      SCOPED_TRACE(context);
      Recipe recipe = pa_base();
      recipe.page_rows = page_rows;
      recipe.contexts = {context, 300 - context % 3};
      pa_run_and_compare(pa_call(recipe));
    }
  }
}

TEST(Pa, TheSmallestCall) {
  pa_run_and_compare(pa_call({.width = 16, .contexts = {1}}));
}

TEST(Pa, TenHeadsOnOneOfKeyAndValue) {
  pa_run_and_compare(pa_call({.heads = 10, .contexts = {77, 3}}));
}

TEST(Pa, AZeroQueryIsTheMeanOfTheValues) {
  const operators::Call call = pa_call(pa_base());
  std::memset(call.tensors.at("query").data(), 0, call.tensors.at("query").bytes());
  pa_run_and_compare(call);
}

TEST(Pa, ScoresBeyondHalfPrecisionStayFinite) {
  Recipe recipe = pa_base();
  recipe.scale = 32768;
  const operators::Call call = pa_call(recipe);
  // Whole numbers, so that huge scores are exact whatever the order of the sums.
  operators::SeededData random(device().memory(), 5);
  for (const char* name : {"query", "keyCache"}) {
    const operators::Tensor& tensor = call.tensors.at(name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.as<half>()[i] = half(static_cast<float>(random.integer(-1, 1)));
    }
  }
  pa_run_and_compare(call);
}

/// Scores that a float does not hold are infinite, as IEEE has it, in the kernel and the reference.
TEST(Pa, ScalesAtTheEndsOfAFloat) {
  for (const Recipe& recipe :
       {pa_base(), pa_masked(pa_base(DType::kBF16), "norm"), pa_masked(pa_base(), "alibi"),
        pa_razor(2), pa_dequant(), pa_full_quant(2), pa_full_quant(3), pa_logn()}) {
    operators::Call call = pa_call(recipe);
    for (const double scale : {3.4e38, -3.4e38, 1e37, -1e30, 1e-38, 0.0}) {
      SCOPED_TRACE(to_string(recipe) + ", scale " + std::to_string(scale));
      call.attributes["qkScale"] = scale;
      pa_run_and_compare(call);
    }
  }
}

/// A product that is infinite, and one that is a number although each scale alone is too large.
TEST(Pa, TwoScalesAtTheEndsOfAFloat) {
  for (Recipe recipe : {pa_base(), pa_razor(2)}) {
    for (const double query_scale : {1e30, 1e-38}) {
      recipe.scale = 1e38, recipe.query_scale = query_scale;
      SCOPED_TRACE(to_string(recipe));
      pa_run_and_compare(pa_call(recipe));
    }
  }
}

TEST(Pa, StoppedBatchesAtBothEnds) {
  Recipe recipe = pa_base();
  recipe.batch_run = true;
  recipe.contexts = {0, 2028, 0, 707, 0, 15, 1, 0};
  recipe.mask = "alibi";
  pa_run_and_compare(pa_call(recipe));
}

TEST(Pa, NanBehindTheContextInMaskAndCacheDoesNotMatter) {
  Recipe recipe = pa_base();
  recipe.mask = "norm";
  const operators::Call call = pa_call(recipe);
  const operators::Tensor& mask = call.tensors.at("mask");
  const std::int64_t max = mask.shape()[2];
  for (std::size_t b = 0; b < recipe.contexts.size(); ++b) {
    for (std::int64_t j = recipe.contexts[b]; j < max; ++j) {
      mask.as<half>()[static_cast<std::int64_t>(b) * max + j] = half::from_bits(0x7e00);
    }
  }
  pa_run_and_compare(call);
}

/// A mask of 0 and 1 hides in bfloat16 and is added in float16.
TEST(Pa, TheSpecMaskOfLatentRowsInBothTypes) {
  for (const DType type : {DType::kF16, DType::kBF16}) {
    Recipe recipe = pa_merged_parallel(type);
    const operators::Call call = pa_call(recipe);
    const operators::Tensor& mask = call.tensors.at("mask");
    for (std::int64_t i = 0; i < mask.elements(); ++i) {
      if (type == DType::kF16) mask.as<half>()[i] = half(i % 3 == 0 ? 1.0f : 0.0f);
      if (type == DType::kBF16) {
        mask.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(i % 3 == 0 ? 1.0f : 0.0f);
      }
    }
    pa_run_and_compare(call);
  }
}

/// Probabilities of few bits: what is rounded away shows.
TEST(Pa, OfflineQuantisationRoundsAndSaturatesProbabilities) {
  Recipe recipe = pa_full_quant(2);
  recipe.contexts = {60, 100, 16};
  for (const float scale : {2.0f, 300.0f}) {
    const operators::Call call = pa_call(recipe);
    for (const char* name : {"pScale", "vDescale"}) {
      auto* numbers = call.tensors.at(name).as<float>();
      const bool of_p = name == std::string("pScale");
      for (int h = 0; h < 4; ++h) numbers[h] = of_p ? scale : 1.0f / 128 / scale;
    }
    pa_run_and_compare(call);
  }
}

TEST(Pa, CostIsThatOfThePage) {
  const auto cost = [](const Recipe& recipe) {
    return paged_attention().cost(
        operators::validated(paged_attention(), pa_call(recipe), device().soc()));
  };
  const double context = 37 + 150 + 16;
  const operators::Cost base = cost(pa_base());
  EXPECT_DOUBLE_EQ(base.cube_flops_16bit, 2 * 4 * context * 128);
  EXPECT_DOUBLE_EQ(base.min_bytes, context * 2 * 128 * 2 + 3 * 4 * 128 * 2 + context / 16 * 4 + 12);
  const operators::Cost merged = cost(pa_merged());
  EXPECT_DOUBLE_EQ(merged.cube_flops_16bit, 2 * 16 * context * (576 + 512));
  EXPECT_DOUBLE_EQ(merged.min_bytes,
                   context * 576 * 2 + 3 * 16 * (576 + 512) * 2.0 + context / 128 * 4 + 12);
  EXPECT_DOUBLE_EQ(cost(pa_full_quant(3)).cube_flops_8bit, 2 * 4 * context * 128);
}

}  // namespace
}  // namespace davsim::test
