// RopeQuantKvcache computes what its page says, whatever the shape.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/operators/rope_quant_kvcache_call.hpp"

namespace davsim::test {
namespace {

using isa::half;

// --- the documented cases
// --------------------------------------------------------------------------

class RopeQuantKvcacheCase : public testing::TestWithParam<const char*> {};

TEST_P(RopeQuantKvcacheCase, MatchesTheReference) {
  run_and_compare(rqk().make_case(GetParam(), device().memory()));
}
INSTANTIATE_TEST_SUITE_P(Documented, RopeQuantKvcacheCase,
                         testing::Values("RQK-1", "RQK-2", "RQK-3", "RQK-5", "RQK-6"));
// Its caches are 512 MiB each, and the comparison looks at every byte.
INSTANTIATE_TEST_SUITE_P(Slow, RopeQuantKvcacheCase, testing::Values("RQK-4"));

TEST(RopeQuantKvcache, DocumentedRefusalsComeWithTheirClassAndWriteNothing) {
  int refusals = 0;
  for (const operators::ExampleCase& example : rqk().cases()) {
    if (!example.refused) continue;
    ++refusals;
    const operators::Call call = rqk().make_case(example.id, device().memory());
    const operators::TensorMap before = reference::copy_in_place(rqk(), call, device().memory());
    if (example.soc.empty()) {
      EXPECT_THROW(operators::run(rqk(), call, device()), operators::Refusal) << example.id;
    }
    EXPECT_EQ(refusal_of(rqk(), call, example.soc.empty() ? kTestSoc : example.soc.c_str()),
              example.refused)
        << example.id;
    for (const auto& [name, tensor] : before) {
      EXPECT_EQ(std::memcmp(tensor.data(), call.tensors.at(name).data(), tensor.bytes()), 0)
          << example.id << " changed " << name;
    }
  }
  EXPECT_EQ(refusals, 6);
}

TEST(RopeQuantKvcache, CasesAreTheSameEveryTime) {
  const operators::Call a = rqk().make_case("RQK-5", device().memory());
  const operators::Call b = rqk().make_case("RQK-5", device().memory());
  for (const auto& [name, tensor] : a.tensors) {
    EXPECT_EQ(std::memcmp(tensor.data(), b.tensors.at(name).data(), tensor.bytes()), 0) << name;
  }
  EXPECT_EQ(a.attributes, b.attributes);
}

// --- shapes
// ----------------------------------------------------------------------------------------

TEST(RopeQuantKvcache, SmallestCall) {
  run_and_compare(rqk_call({}, 7));
}

TEST(RopeQuantKvcache, RandomShapes) {
  operators::SeededData random(device().memory(), 20260101);
  for (int trial = 0; trial < 100; ++trial) {
    RqkSizes n;
    n.batch = random.integer(1, trial % 10 == 0 ? 90 : 12);
    n.seq = random.integer(1, 4);
    n.cache_len = n.seq + random.integer(0, 12);
    n.heads_q = random.integer(1, 20);
    n.heads_kv = random.integer(1, 6);
    n.dim = 32 * random.integer(1, trial % 7 == 0 ? 20 : 5);
    n.kv_output = random.integer(0, 1) == 1;
    SCOPED_TRACE("trial " + std::to_string(trial) + ": B " + std::to_string(n.batch) + " S " +
                 std::to_string(n.seq) + " Smax " + std::to_string(n.cache_len) + " Nq " +
                 std::to_string(n.heads_q) + " Nkv " + std::to_string(n.heads_kv) + " D " +
                 std::to_string(n.dim) + (n.kv_output ? " kv_output" : ""));
    run_and_compare(rqk_call(n, 1000 + static_cast<std::uint64_t>(trial)));
    if (HasFailure()) return;
  }
}

TEST(RopeQuantKvcache, TokenCountsAroundTheCoreCount) {
  for (const std::int64_t batch : {39, 40, 41, 81, 127}) {
    SCOPED_TRACE(batch);
    run_and_compare(rqk_call({.batch = batch, .cache_len = 3, .heads_q = 3, .dim = 64}, 5));
  }
}

TEST(RopeQuantKvcache, ManyTokensOfOneBatchGoThroughUbTogether) {
  run_and_compare(rqk_call({.batch = 2,
                            .seq = 700,
                            .cache_len = 710,
                            .heads_q = 2,
                            .heads_kv = 1,
                            .dim = 64,
                            .kv_output = true},
                           6));
}

TEST(RopeQuantKvcache, MoreHeadsThanUbHolds) {
  run_and_compare(rqk_call(
      {.batch = 3, .cache_len = 2, .heads_q = 700, .heads_kv = 100, .dim = 128, .kv_output = true},
      8));
}

TEST(RopeQuantKvcache, MoreRepeatsThanOneInstructionTakes) {
  run_and_compare(rqk_call({.cache_len = 2, .heads_q = 3000, .heads_kv = 600, .dim = 32}, 9));
}

TEST(RopeQuantKvcache, WideHeads) {
  for (const std::int64_t dim : {256, 288, 1024, 2080, 4096, 5952}) {
    SCOPED_TRACE(dim);
    run_and_compare(rqk_call(
        {.batch = 2, .cache_len = 2, .heads_q = 3, .heads_kv = 2, .dim = dim, .kv_output = true},
        10));
  }
}

// --- interface
// -------------------------------------------------------------------------------------

TEST(RopeQuantKvcache, PutsOutKAndVOnlyIfAsked) {
  const operators::RunResult plain = run_and_compare(rqk_call({}, 11));
  EXPECT_FALSE(plain.outputs.contains("k"));
  EXPECT_FALSE(plain.outputs.contains("v"));
  const operators::RunResult full = run_and_compare(rqk_call({.kv_output = true}, 11));
  EXPECT_EQ(full.outputs.at("k").shape(), (operators::Shape{1, 1, 1, 32}));
  EXPECT_EQ(full.outputs.at("v").shape(), (operators::Shape{1, 1, 1, 32}));
}

TEST(RopeQuantKvcache, LayoutBnsdIsTheSameBytesWhereSIsOne) {
  operators::Call call = rqk_call({.batch = 3, .cache_len = 5, .heads_q = 4}, 12);
  call.attributes["layout"] = "BNSD";
  run_and_compare(call);
}

TEST(RopeQuantKvcache, IndiceMayBeAColumn) {
  operators::Call call = rqk_call({.batch = 3, .cache_len = 5}, 13);
  const operators::Tensor& flat = call.tensors.at("indice");
  operators::Tensor column(device().memory(), isa::DType::kI32, {3, 1}, "indice");
  std::memcpy(column.data(), flat.data(), flat.bytes());
  call.tensors.insert_or_assign("indice", column);
  run_and_compare(call);
}

TEST(RopeQuantKvcache, FirstAndLastCachePosition) {
  operators::Call call = rqk_call({.batch = 2, .seq = 2, .cache_len = 9}, 14);
  call.tensors.at("indice").as<std::int32_t>()[0] = 0;
  call.tensors.at("indice").as<std::int32_t>()[1] = 7;
  run_and_compare(call);
}

// --- numbers
// ---------------------------------------------------------------------------------------

std::int8_t quantised(float value, float scale, std::int32_t offset) {
  const operators::RunResult result = run_and_compare(plain_token(value, scale, offset));
  const auto* k = result.outputs.at("k_cache").as<std::int8_t>();
  const auto* v = result.outputs.at("v_cache").as<std::int8_t>();
  EXPECT_EQ(k[0], v[0]);
  return v[0];
}

TEST(RopeQuantKvcache, TheScaleDividesAndTheOffsetIsAddedAfterIt) {
  EXPECT_EQ(quantised(3.0f, 0.5f, 10), 16);
  EXPECT_EQ(quantised(3.0f, -0.5f, 10), 4);
}

TEST(RopeQuantKvcache, TiesGoToEven) {
  EXPECT_EQ(quantised(2.5f, 1.0f, 0), 2);
  EXPECT_EQ(quantised(3.5f, 1.0f, 0), 4);
  EXPECT_EQ(quantised(-2.5f, 1.0f, 0), -2);
  EXPECT_EQ(quantised(0.5f, 1.0f, 1), 2);
}

TEST(RopeQuantKvcache, IsRoundedOnce) {
  // 3.4999 in fp16 would be 3.5, and that 4.
  EXPECT_EQ(quantised(1.0f, 1.0f / 3.4999f, 0), 3);
}

TEST(RopeQuantKvcache, DividesInsteadOfMultiplyingByTheReciprocal) {
  // Quotients that are ties. By way of the fp32 reciprocal they fall
  // beside: 2.50000024, 1.49999988.
  EXPECT_EQ(quantised(37.5f, 15.0f, 0), 2);
  EXPECT_EQ(quantised(91.5f, 61.0f, 0), 2);
}

TEST(RopeQuantKvcache, SaturatesBothWays) {
  EXPECT_EQ(quantised(1.0f, 1.0f / 127.0f, 0), 127);
  EXPECT_EQ(quantised(1.0f, 1.0f / 127.0f, 1), 127);
  EXPECT_EQ(quantised(-1.0f, 1.0f / 128.0f, 0), -128);
  EXPECT_EQ(quantised(-1.0f, 1.0f / 128.0f, -1), -128);
  // Beyond int16 and int32 on the way.
  EXPECT_EQ(quantised(1.0f, 1e-5f, 0), 127);
  EXPECT_EQ(quantised(-1.0f, 1e-5f, 0), -128);
  EXPECT_EQ(quantised(1.0f, 1e-12f, 0), 127);
  EXPECT_EQ(quantised(0.0f, 1.0f, std::numeric_limits<std::int32_t>::max()), 127);
  EXPECT_EQ(quantised(0.0f, 1.0f, std::numeric_limits<std::int32_t>::min()), -128);
}

TEST(RopeQuantKvcache, InfinityAndNan) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  // cos = 1 and sin = 0 make NaN of an infinite k (inf * 0), but v comes through unrotated.
  const operators::RunResult up = run_and_compare(plain_token(kInf, 1.0f, 0));
  EXPECT_EQ(up.outputs.at("v_cache").as<std::int8_t>()[0], 127);
  EXPECT_EQ(up.outputs.at("k_cache").as<std::int8_t>()[0], 0);
  EXPECT_TRUE(std::isnan(float(up.outputs.at("q").as<half>()[0])));
  const operators::RunResult down = run_and_compare(plain_token(-kInf, 1.0f, 0));
  EXPECT_EQ(down.outputs.at("v_cache").as<std::int8_t>()[0], -128);
  EXPECT_EQ(quantised(std::numeric_limits<float>::quiet_NaN(), 1.0f, 5), 0);
}

TEST(RopeQuantKvcache, ScaleZeroSaturatesAndZeroOverZeroIsZero) {
  EXPECT_EQ(quantised(1.0f, 0.0f, 0), 127);
  EXPECT_EQ(quantised(-1.0f, 0.0f, 0), -128);
  EXPECT_EQ(quantised(0.0f, 0.0f, 0), 0);
}

TEST(RopeQuantKvcache, SpecialNumbersAmongOthersStayInTheirElements) {
  operators::Call call = rqk_call(
      {.batch = 5, .cache_len = 4, .heads_q = 4, .heads_kv = 2, .dim = 64, .kv_output = true}, 15);
  auto* qkv = call.tensors.at("qkv").as<half>();
  const std::uint16_t specials[] = {0x7c00, 0xfc00, 0x7e00, 0x7bff, 0xfbff, 0x0001, 0x8000, 0x03ff};
  operators::SeededData random(device().memory(), 16);
  for (int i = 0; i < 200; ++i) {
    qkv[random.integer(0, call.tensors.at("qkv").elements() - 1)] =
        half::from_bits(specials[i % std::size(specials)]);
  }
  run_and_compare(call);
}

TEST(RopeQuantKvcache, AZeroRowGivesZeroAndTheOffset) {
  operators::Call call = rqk_call({.heads_q = 2, .dim = 64}, 17);
  std::memset(call.tensors.at("qkv").data(), 0, call.tensors.at("qkv").bytes());
  const operators::RunResult result = run_and_compare(call);
  const auto* offset = call.tensors.at("quant_offset").as<std::int32_t>();
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(float(result.outputs.at("q").as<half>()[i]), 0.0f);
    EXPECT_EQ(result.outputs.at("k_cache").as<std::int8_t>()[i], offset[i]);
  }
}

TEST(RopeQuantKvcache, EveryFp16RoundingIsKept) {
  const operators::Call call = rqk_call({}, 18);
  const auto* x = call.tensors.at("qkv").as<half>();
  const auto* cos = call.tensors.at("cos").as<half>();
  const auto* sin = call.tensors.at("sin").as<half>();
  const operators::RunResult result = operators::run(rqk(), call, device());
  const auto* q = result.outputs.at("q").as<half>();
  int differs_from_one_rounding = 0;
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(q[i].bits, half(x[i + 16] * (-sin[i]) + x[i] * cos[i]).bits) << i;
    EXPECT_EQ(q[i + 16].bits, half(x[i] * sin[i + 16] + x[i + 16] * cos[i + 16]).bits) << i;
    const float once = float(x[i]) * float(cos[i]) - float(x[i + 16]) * float(sin[i]);
    differs_from_one_rounding += q[i].bits != half(once).bits;
  }
  EXPECT_GT(differs_from_one_rounding, 0) << "the data cannot tell the two apart";
}

// --- cost and time
// ---------------------------------------------------------------------------------

TEST(RopeQuantKvcache, CostIsThatOfThePage) {
  // 64 tokens: 20480 bytes of qkv, 512 of tables, 16384 of q, 2048 of cache rows each; scale and
  // offset; 64 indices.
  const operators::Call call =
      operators::validated(rqk(), rqk().make_case("RQK-4", device().memory()), device().soc());
  EXPECT_DOUBLE_EQ(rqk().cost(call).min_bytes, 64 * (20480 + 512 + 16384 + 2048) + 1024 + 256);
  EXPECT_DOUBLE_EQ(rqk().cost(call).vector_flops, 64 * (72 * 128 * 3 + 16 * 128 * 2));
}

TEST(RopeQuantKvcache, MovesAtLeastTheLeastBytesAndIsNoFasterThanTheRoofline) {
  const operators::Call call =
      operators::validated(rqk(), rqk().make_case("RQK-3", device().memory()), device().soc());
  const operators::Cost cost = rqk().cost(call);
  device().flush_l2();
  const observe::LaunchReport report = operators::run(rqk(), call, device()).report;
  double moved = 0;
  for (const observe::CoreCounters& core : report.cores) {
    moved += static_cast<double>(core.path_bytes[static_cast<std::size_t>(observe::Path::kGmToUb)]);
    moved += static_cast<double>(core.path_bytes[static_cast<std::size_t>(observe::Path::kUbToGm)]);
  }
  // indice goes through the scalar unit's cache, not through the DMA engines.
  EXPECT_GE(moved, cost.min_bytes - 32 * 4);
  const double peak = device().soc().constant("Timing.Hbm", "peak", "bytes/s");
  EXPECT_GE(report.time_us(), cost.min_bytes / 2 / peak * 1e6) << "reads alone must come from HBM";
  EXPECT_EQ(report.cores.size(), 40u);
}

}  // namespace
}  // namespace davsim::test
