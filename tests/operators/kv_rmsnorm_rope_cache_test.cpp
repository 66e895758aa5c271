// kv_rmsnorm_rope_cache computes what its page says, in every mode and whatever the shape.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "tests/operators/kv_rmsnorm_rope_cache_call.hpp"
#include "tests/operators/operator_run.hpp"

namespace davsim::test {
namespace {

using isa::DType;

operators::RunResult run_and_compare(const operators::Call& call) {
  return test::run_and_compare(kvr(), call);
}

/// Results do not depend on time: most of these tests run without.
sim::Device& untimed_device() {
  static sim::Device the_device(sim::SocConfig::named(kTestSoc), {.mode = sim::Mode::kFunctional});
  return the_device;
}
operators::RunResult compute_and_compare(const KvrSizes& sizes, std::uint64_t seed) {
  return test::run_and_compare(kvr(), kvr_call(sizes, seed, untimed_device().memory()),
                               untimed_device());
}

constexpr const char* kModes[] = {"Norm", "PA", "PA_BNSD", "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ"};

// --- the documented cases ------------------------------------------------------------------------

class KvRmsnormRopeCacheCase : public testing::TestWithParam<const char*> {};

TEST_P(KvRmsnormRopeCacheCase, MatchesTheReference) {
  run_and_compare(kvr().make_case(GetParam(), device().memory()));
}
INSTANTIATE_TEST_SUITE_P(Documented, KvRmsnormRopeCacheCase,
                         testing::Values("KVR-1", "KVR-1-INT8", "KVR-2", "KVR-2-INT8", "KVR-3",
                                         "KVR-3-NZ", "KVR-4", "KVR-7"));
INSTANTIATE_TEST_SUITE_P(Slow, KvRmsnormRopeCacheCase, testing::Values("KVR-5", "KVR-6"));

TEST(KvRmsnormRopeCache, DocumentedRefusalsComeWithTheirClassAndWriteNothing) {
  int refusals = 0;
  for (const operators::ExampleCase& example : kvr().cases()) {
    if (!example.refused) continue;
    ++refusals;
    const operators::Call call = kvr().make_case(example.id, untimed_device().memory());
    const operators::TensorMap before =
        reference::copy_in_place(kvr(), call, untimed_device().memory());
    EXPECT_THROW(operators::run(kvr(), call, untimed_device()), operators::Refusal) << example.id;
    EXPECT_EQ(refusal_of(kvr(), call), example.refused) << example.id;
    for (const auto& [name, tensor] : before) {
      EXPECT_EQ(std::memcmp(tensor.data(), call.tensors.at(name).data(), tensor.bytes()), 0)
          << example.id << " changed " << name;
    }
  }
  EXPECT_EQ(refusals, 12);
}

// --- shapes and modes ----------------------------------------------------------------------------

TEST(KvRmsnormRopeCache, OneTokenInEveryMode) {
  for (const char* mode : kModes) {
    SCOPED_TRACE(mode);
    for (const DType dtype : {DType::kF16, DType::kBF16}) {
      compute_and_compare({.mode = mode, .dtype = dtype}, 7);
    }
  }
}

std::string text(const KvrSizes& n) {
  return n.mode + " B " + std::to_string(n.batch) + " S " + std::to_string(n.seq) + " nb " +
         std::to_string(n.pages) + " bs " + std::to_string(n.page_rows) +
         (n.dtype == DType::kF16 ? " half" : " bfloat16") + (n.quantised ? " int8" : "") +
         (n.offsets ? " offsets" : "") + (n.output_kv ? " output_kv" : "") +
         (n.cos_per_token ? "" : " cos for all") + (n.sin_per_token ? "" : " sin for all");
}

KvrSizes random_sizes(operators::SeededData& random) {
  const auto chance = [&](int percent) { return random.integer(0, 99) < percent; };
  KvrSizes n;
  n.mode = kModes[random.integer(0, 5)];
  n.dtype = chance(50) ? DType::kF16 : DType::kBF16;
  n.batch = random.integer(1, chance(10) ? 50 : 4);
  n.seq = random.integer(1, chance(20) ? 70 : 5);
  if (n.batch * n.seq > 300) n.batch = 1;
  n.quantised = !n.norm() && chance(50);
  n.offsets = n.quantised && chance(30);
  n.output_kv = chance(40);
  n.cos_per_token = chance(80);
  n.sin_per_token = chance(80);
  n.page_rows =
      n.norm() ? n.seq + random.integer(0, 5) : (n.quantised ? 32 : 16) * random.integer(1, 3);
  const std::int64_t blocks = (n.seq + n.page_rows - 1) / n.page_rows;
  n.pages = n.batch * blocks + random.integer(0, 3);
  return n;
}

TEST(KvRmsnormRopeCache, RandomShapesModesAndPageOrders) {
  operators::SeededData random(untimed_device().memory(), 20260202);
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    const KvrSizes sizes = random_sizes(random);
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + text(sizes));
    compute_and_compare(sizes, 1000 + trial);
    if (HasFailure()) return;
  }
}

TEST(KvRmsnormRopeCache, RandomShapesInTime) {
  // A forgotten flag shows only here.
  operators::SeededData random(device().memory(), 20260203);
  for (std::uint64_t trial = 0; trial < 25; ++trial) {
    const KvrSizes sizes = random_sizes(random);
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + text(sizes));
    run_and_compare(kvr_call(sizes, 5000 + trial));
    if (HasFailure()) return;
  }
}

TEST(KvRmsnormRopeCache, TokenCountsAroundTheCoreCount) {
  for (const std::int64_t batch : {39, 40, 41, 79, 81, 127}) {
    SCOPED_TRACE(batch);
    compute_and_compare({.batch = batch, .pages = 128, .page_rows = 16, .mode = "PA_NZ"}, 5);
  }
}

TEST(KvRmsnormRopeCache, ManyChunksACore) {
  for (const bool quantised : {false, true}) {
    run_and_compare(kvr_call({.batch = 1,
                              .seq = 3000,
                              .pages = 48,
                              .page_rows = 64,
                              .mode = "PA_BLK_NZ",
                              .quantised = quantised},
                             6));
  }
}

TEST(SlowKvRmsnormRopeCache, EightThousandTokens) {
  for (const char* mode : {"PA_NZ", "PA_BLK_NZ", "PA_BNSD"}) {
    SCOPED_TRACE(mode);
    run_and_compare(
        kvr_call({.batch = 2, .seq = 4096, .pages = 80, .page_rows = 128, .mode = mode}, 6));
  }
}

TEST(KvRmsnormRopeCache, RowsInOrderRowsBackwardsAndAcrossPages) {
  for (const char* mode : {"PA", "PA_NZ"}) {
    operators::Call call = kvr_call({.seq = 60, .pages = 4, .page_rows = 16, .mode = mode}, 9);
    auto* index = call.tensors.at("index").as<std::int64_t>();
    for (int i = 0; i < 60; ++i) index[i] = i + 3;
    run_and_compare(call);
    for (int i = 0; i < 60; ++i) index[i] = 63 - i;
    run_and_compare(call);
  }
}

TEST(KvRmsnormRopeCache, PagesEdges) {
  for (const char* mode : {"PA", "PA_NZ"}) {
    operators::Call call = kvr_call({.batch = 4, .pages = 4, .page_rows = 32, .mode = mode}, 10);
    const std::int64_t rows[] = {31, 32, 0, 127};
    std::copy(rows, rows + 4, call.tensors.at("index").as<std::int64_t>());
    run_and_compare(call);
  }
}

TEST(KvRmsnormRopeCache, LargePages) {
  // A page of NZ is further from piece to piece than a 16-bit stride of DataBlocks reaches.
  compute_and_compare({.pages = 1, .page_rows = 66560, .mode = "PA_NZ", .quantised = true}, 11);
}

// --- interface -----------------------------------------------------------------------------------

TEST(KvRmsnormRopeCache, PutsOutBothPartsOnlyIfAskedInAPagedMode) {
  EXPECT_EQ(compute_and_compare({}, 11).outputs.size(), 2u);
  EXPECT_EQ(compute_and_compare({.mode = "Norm", .output_kv = true}, 11).outputs.size(), 2u);
  const auto outputs =
      compute_and_compare({.batch = 2, .seq = 3, .pages = 2, .output_kv = true}, 11).outputs;
  EXPECT_EQ(outputs.at("k_embed_out").shape(), (operators::Shape{2, 1, 3, 64}));
  EXPECT_EQ(outputs.at("y_out").shape(), (operators::Shape{2, 1, 3, 512}));
}

TEST(KvRmsnormRopeCache, TokensThatGoNowhereArePutOutAllTheSame) {
  for (const char* mode : {"PA", "PA_BLK_NZ"}) {
    operators::Call call =
        kvr_call({.batch = 3, .seq = 2, .pages = 3, .mode = mode, .output_kv = true}, 12);
    auto* index = call.tensors.at("index").as<std::int64_t>();
    for (std::int64_t i = 0; i < call.tensors.at("index").elements(); ++i) index[i] = -1;
    const operators::RunResult result = run_and_compare(call);
    double sum = 0;
    for (const double y : reference::elements(result.outputs.at("y_out"))) sum += std::abs(y);
    EXPECT_GT(sum, 0);
  }
}

TEST(KvRmsnormRopeCache, PartialQuantisation) {
  for (const char* mode : {"PA", "PA_NZ"}) {
    for (const char* without : {"k_rope_scale", "c_kv_scale"}) {
      for (const bool output_kv : {false, true}) {
        SCOPED_TRACE(std::string(mode) + " without " + without);
        operators::Call call = kvr_call({.batch = 3,
                                         .seq = 2,
                                         .pages = 3,
                                         .mode = mode,
                                         .quantised = true,
                                         .output_kv = output_kv},
                                        13);
        call.attributes["partial_quant"] = true;
        call.tensors.erase(without);
        const char* cache = without[0] == 'k' ? "k_cache" : "ckv_cache";
        const operators::Tensor& int8 = call.tensors.at(cache);
        call.tensors.insert_or_assign(
            cache, operators::Tensor(device().memory(), DType::kBF16, int8.shape(), cache));
        run_and_compare(call);
      }
    }
  }
}

/// The reference lets the last token stay.
TEST(KvRmsnormRopeCache, TheLastTokenOfARowStays) {
  for (const char* mode : {"Norm", "PA", "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ"}) {
    SCOPED_TRACE(mode);
    const std::string name = mode;
    operators::Call call = kvr_call(
        {.batch = 50, .seq = 3, .pages = 50, .mode = name, .quantised = name != "Norm"}, 14);
    const operators::Tensor& tensor = call.tensors.at("index");
    auto* index = tensor.as<std::int64_t>();
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      if (name == "Norm") {
        index[i] = i % 2;
      } else if (i % 3 == 1) {
        index[i] = 7;
      }
    }
    run_and_compare(call);
  }
}

// --- numbers -------------------------------------------------------------------------------------

TEST(KvRmsnormRopeCache, AZeroTokenIsZero) {
  operators::Call call = kvr_call({.quantised = true, .output_kv = true}, 15);
  std::memset(call.tensors.at("kv").data(), 0, call.tensors.at("kv").bytes());
  call.tensors.at("index").as<std::int64_t>()[0] = 4;
  const operators::RunResult result = run_and_compare(call);
  for (const double y : reference::elements(result.outputs.at("y_out"))) EXPECT_EQ(y, 0);
  for (int i = 0; i < 512; ++i) {
    EXPECT_EQ(result.outputs.at("ckv_cache").as<std::int8_t>()[4 * 512 + i], 0);
  }
}

TEST(KvRmsnormRopeCache, EpsilonCounts) {
  operators::Call call = kvr_call({.dtype = DType::kF16, .output_kv = true}, 16);
  auto* kv = call.tensors.at("kv").as<isa::half>();
  for (int i = 0; i < 576; ++i) kv[i] = isa::half(0.5f);
  auto* gamma = call.tensors.at("gamma").as<isa::half>();
  for (int i = 0; i < 512; ++i) gamma[i] = isa::half(1.0f);
  // 0.5 / sqrt(0.25 + eps)
  for (const auto& [epsilon, y] : {std::pair{0.75, 0.5}, {3.75, 0.25}, {0.0, 1.0}}) {
    call.attributes["epsilon"] = epsilon;
    EXPECT_EQ(reference::element(run_and_compare(call).outputs.at("y_out"), 17), y) << epsilon;
  }
}

TEST(KvRmsnormRopeCache, EvenAndOddRopeValuesAreRotatedTogether) {
  operators::Call call = kvr_call({.dtype = DType::kF16, .output_kv = true}, 17);
  auto* rope = call.tensors.at("kv").as<isa::half>() + 512;
  for (int i = 0; i < 64; ++i) rope[i] = isa::half(static_cast<float>(i));
  for (int i = 0; i < 64; ++i) {
    call.tensors.at("cos").as<isa::half>()[i] = isa::half(i < 32 ? 1.0f : 2.0f);
    call.tensors.at("sin").as<isa::half>()[i] = isa::half(i < 32 ? 3.0f : 4.0f);
  }
  const operators::Tensor out = run_and_compare(call).outputs.at("k_embed_out");
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(reference::element(out, i), 2 * i * 1 - (2 * i + 1) * 3) << i;
    EXPECT_EQ(reference::element(out, i + 32), (2 * i + 1) * 2 + 2 * i * 4) << i;
  }
}

TEST(KvRmsnormRopeCache, TheScaleMultipliesTheUnroundedValue) {
  operators::Call call = kvr_call({.quantised = true}, 18);
  // z = 258 * 1.0078125 = 260.015625, in bfloat16 260: their products with the scale fall on
  // different sides of 62.5.
  for (int i = 0; i < 64; ++i) {
    call.tensors.at("kv").as<isa::bfloat16_t>()[512 + i] = isa::bfloat16_t(258.0f);
    call.tensors.at("cos").as<isa::bfloat16_t>()[i] = isa::bfloat16_t(1.0078125f);
    call.tensors.at("sin").as<isa::bfloat16_t>()[i] = isa::bfloat16_t(0.0f);
    call.tensors.at("k_rope_scale").as<float>()[i] = 62.5f / 260.01f;
  }
  call.tensors.at("index").as<std::int64_t>()[0] = 0;
  EXPECT_EQ(run_and_compare(call).outputs.at("k_cache").as<std::int8_t>()[0], 63);
}

TEST(KvRmsnormRopeCache, SaturatesBothWays) {
  operators::Call call = kvr_call({.pages = 2, .quantised = true}, 19);
  for (int i = 0; i < 512; ++i) call.tensors.at("c_kv_scale").as<float>()[i] = i % 2 ? 1e6f : -1e6f;
  call.tensors.at("index").as<std::int64_t>()[0] = 1;
  const operators::RunResult result = run_and_compare(call);
  int extremes = 0;
  for (int i = 0; i < 512; ++i) {
    const int value = result.outputs.at("ckv_cache").as<std::int8_t>()[512 + i];
    extremes += value == 127 || value == -128 ? 1 : 0;
  }
  EXPECT_GT(extremes, 500);
}

TEST(KvRmsnormRopeCache, InfinityAndNanStayInTheirTokens) {
  for (const bool quantised : {false, true}) {
    operators::Call call =
        kvr_call({.batch = 6, .pages = 6, .quantised = quantised, .output_kv = true}, 20);
    auto* kv = call.tensors.at("kv").as<isa::bfloat16_t>();
    kv[0 * 576 + 5] = isa::bfloat16_t(std::numeric_limits<float>::infinity());
    kv[2 * 576 + 7] = isa::bfloat16_t(std::numeric_limits<float>::quiet_NaN());
    kv[3 * 576 + 530] = isa::bfloat16_t(-std::numeric_limits<float>::infinity());
    kv[4 * 576 + 1] = isa::bfloat16_t(3e38f);  // its square is beyond fp32
    run_and_compare(call);
  }
}

// --- cost and time -------------------------------------------------------------------------------

TEST(KvRmsnormRopeCache, CostIsThatOfThePage) {
  const operators::Call call =
      operators::validated(kvr(), kvr().make_case("KVR-6", device().memory()), device().soc());
  const operators::Cost cost = kvr().cost(call);
  EXPECT_DOUBLE_EQ(cost.min_bytes, 512 * (1152 + 256 + 8 + 576) + 1024 + 2304);
  EXPECT_DOUBLE_EQ(cost.min_written_bytes, 512 * 576);
  EXPECT_DOUBLE_EQ(cost.vector_flops, 512 * (2048 + 192 + 576));
}

TEST(KvRmsnormRopeCache, MovesAtLeastTheLeastBytes) {
  const operators::Call call =
      operators::validated(kvr(), kvr().make_case("KVR-3", device().memory()), device().soc());
  const observe::LaunchReport report = operators::run(kvr(), call, device()).report;
  double moved = 0;
  for (const observe::CoreCounters& core : report.cores) {
    moved += static_cast<double>(core.path_bytes[static_cast<std::size_t>(observe::Path::kGmToUb)]);
    moved += static_cast<double>(core.path_bytes[static_cast<std::size_t>(observe::Path::kUbToGm)]);
  }
  // index goes through the scalar unit's cache, not through the DMA engines.
  EXPECT_GE(moved, kvr().cost(call).min_bytes - 64 * 8);
  EXPECT_EQ(report.cores.size(), 32u) << "two tokens a block";
}

}  // namespace
}  // namespace davsim::test
