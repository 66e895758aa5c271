// One call per rule of kv_rmsnorm_rope_cache that breaks just this rule.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/operators/kv_rmsnorm_rope_cache_call.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using operators::ErrorClass;

const KvrSizes kPaged = {.batch = 3, .seq = 2, .pages = 5, .page_rows = 32};
const KvrSizes kQuantised = {
    .batch = 3, .seq = 2, .pages = 5, .page_rows = 32, .mode = "PA_NZ", .quantised = true};
const KvrSizes kNorm = {.batch = 3, .seq = 2, .page_rows = 7, .mode = "Norm"};
/// Two pages a batch.
const KvrSizes kBlocks = {
    .batch = 3, .seq = 40, .pages = 8, .page_rows = 32, .mode = "PA_BLK_BNSD"};

operators::Call legal(const KvrSizes& sizes) {
  return kvr_call(sizes, 3, host_memory());
}

void replace(operators::Call& call, const char* name, DType dtype, operators::Shape shape) {
  call.tensors.insert_or_assign(name,
                                operators::Tensor(host_memory(), dtype, std::move(shape), name));
}
/// The tensor with another shape, its dtype kept.
void reshape(operators::Call& call, const char* name, operators::Shape shape) {
  replace(call, name, call.tensors.at(name).dtype(), std::move(shape));
}

struct Breach {
  const char* what;
  std::function<void(operators::Call&)> make;
};

void expect_refused(const KvrSizes& sizes, ErrorClass cls, const std::vector<Breach>& breaches) {
  ASSERT_EQ(refusal_of(kvr(), legal(sizes)), std::nullopt);
  for (const Breach& breach : breaches) {
    operators::Call call = legal(sizes);
    breach.make(call);
    EXPECT_EQ(refusal_of(kvr(), call), cls) << sizes.mode << ": " << breach.what;
  }
}

TEST(KvRmsnormRopeCacheCheck, EveryModeOfA2AndA3IsLegal) {
  for (const char* mode : {"Norm", "PA", "PA_BNSD", "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ"}) {
    KvrSizes sizes = kBlocks;
    sizes.page_rows = 64;
    sizes.mode = mode;
    const operators::Call call = legal(sizes);
    for (const char* soc : {"Ascend910B1", "Ascend910B3", "Ascend910_9392", "Ascend910_9362"}) {
      EXPECT_EQ(refusal_of(kvr(), call, soc), std::nullopt) << mode << " " << soc;
    }
  }
}

TEST(KvRmsnormRopeCacheCheck, EveryInputIsRequired) {
  for (const char* name : {"kv", "gamma", "cos", "sin", "index", "k_cache", "ckv_cache"}) {
    operators::Call call = legal(kPaged);
    call.tensors.erase(name);
    EXPECT_EQ(refusal_of(kvr(), call), ErrorClass::kNull) << name;
  }
}

TEST(KvRmsnormRopeCacheCheck, Ranks) {
  for (const char* name : {"kv", "gamma", "cos", "sin"}) {
    expect_refused(kPaged, ErrorClass::kRank, {{name, [&](auto& c) {
                                                  operators::Shape shape =
                                                      c.tensors.at(name).shape();
                                                  shape.push_back(1);
                                                  reshape(c, name, shape);
                                                }}});
  }
}

TEST(KvRmsnormRopeCacheCheck, RanksComeBeforeDtypes) {
  operators::Call call = legal(kPaged);
  replace(call, "kv", DType::kF32, {3, 2, 576});
  EXPECT_EQ(refusal_of(kvr(), call), ErrorClass::kRank);
}

TEST(KvRmsnormRopeCacheCheck, Dtypes) {
  const auto cast = [](const char* name, DType dtype) {
    return Breach{name,
                  [=](operators::Call& c) { replace(c, name, dtype, c.tensors.at(name).shape()); }};
  };
  expect_refused(kPaged, ErrorClass::kDtype,
                 {cast("kv", DType::kF32), cast("kv", DType::kF16), cast("gamma", DType::kF16),
                  cast("cos", DType::kF16), cast("sin", DType::kF32), cast("index", DType::kI32),
                  cast("k_cache", DType::kF16), cast("ckv_cache", DType::kF16)});
  expect_refused(kQuantised, ErrorClass::kDtype,
                 {cast("k_rope_scale", DType::kF16), cast("c_kv_scale", DType::kBF16)});
}

TEST(KvRmsnormRopeCacheCheck, ShapesOfTheInputs) {
  const auto shape = [](const char* name, operators::Shape as) {
    return Breach{name, [=](operators::Call& c) { reshape(c, name, as); }};
  };
  expect_refused(
      kPaged, ErrorClass::kShape,
      {shape("kv", {3, 2, 1, 576}), shape("kv", {3, 1, 2, 577}), shape("kv", {3, 1, 2, 575}),
       shape("kv", {0, 1, 2, 576}), shape("kv", {3, 1, 0, 576}), shape("gamma", {511}),
       shape("cos", {3, 1, 2, 32}), shape("sin", {3, 1, 2, 65}), shape("cos", {2, 1, 2, 64}),
       shape("sin", {3, 1, 3, 64}), shape("sin", {3, 2, 1, 64}), shape("cos", {1, 1, 1, 64})});
}

TEST(KvRmsnormRopeCacheCheck, IndexCounts) {
  const auto count = [](std::int64_t elements) {
    return Breach{"index", [=](operators::Call& c) { reshape(c, "index", {elements}); }};
  };
  expect_refused(kPaged, ErrorClass::kShape, {count(5), count(7), count(0)});
  expect_refused(kNorm, ErrorClass::kShape, {count(5), count(7)});
  expect_refused(kBlocks, ErrorClass::kShape, {count(3), count(5), count(7), count(120)});
  operators::Call column = legal(kPaged);
  reshape(column, "index", {6, 1});
  EXPECT_EQ(refusal_of(kvr(), column), std::nullopt) << "only the count is documented";
}

TEST(KvRmsnormRopeCacheCheck, ShapesOfTheCaches) {
  const auto both = [](operators::Shape k, operators::Shape ckv) {
    return Breach{"caches", [=](operators::Call& c) {
                    reshape(c, "k_cache", k);
                    reshape(c, "ckv_cache", ckv);
                  }};
  };
  expect_refused(
      kPaged, ErrorClass::kShape,
      {both({5, 32, 64}, {5, 32, 512}), both({5, 32, 1, 64}, {5, 32, 512}),
       both({5, 32, 2, 64}, {5, 32, 2, 512}), both({5, 32, 1, 32}, {5, 32, 1, 512}),
       both({5, 32, 1, 64}, {5, 32, 1, 576}), both({5, 32, 1, 64}, {6, 32, 1, 512}),
       both({5, 32, 1, 64}, {5, 48, 1, 512}), both({5, 0, 1, 64}, {5, 0, 1, 512}),
       both({0, 32, 1, 64}, {0, 32, 1, 512}), both({5, 24, 1, 64}, {5, 24, 1, 512}),  // bs
       both({2, 32, 1, 64}, {2, 32, 1, 512})});  // nb below ceil(S, bs) * B
  expect_refused(kNorm, ErrorClass::kShape,
                 {both({4, 1, 7, 64}, {4, 1, 7, 512}), both({3, 2, 7, 64}, {3, 2, 7, 512}),
                  both({3, 1, 7, 64}, {3, 1, 8, 512}), both({3, 1, 7, 63}, {3, 1, 7, 512}),
                  both({3, 1, 1, 64}, {3, 1, 1, 512})});  // Smax below S
  expect_refused(kQuantised, ErrorClass::kShape, {both({5, 48, 1, 64}, {5, 48, 1, 512})});
  expect_refused(kBlocks, ErrorClass::kShape, {both({5, 32, 1, 64}, {5, 32, 1, 512})});
  operators::Call rows48 = legal(kPaged);
  reshape(rows48, "k_cache", {5, 48, 1, 64});
  reshape(rows48, "ckv_cache", {5, 48, 1, 512});
  EXPECT_EQ(refusal_of(kvr(), rows48), std::nullopt) << "48 is a multiple of 16";
}

TEST(KvRmsnormRopeCacheCheck, ShapesOfScalesAndOffsets) {
  KvrSizes sizes = kQuantised;
  sizes.offsets = true;
  const auto shape = [](const char* name, operators::Shape as) {
    return Breach{name, [=](operators::Call& c) { reshape(c, name, as); }};
  };
  expect_refused(sizes, ErrorClass::kShape,
                 {shape("k_rope_scale", {1}), shape("k_rope_scale", {64, 1}),
                  shape("c_kv_scale", {576}), shape("c_kv_scale", {1, 1, 512}),
                  shape("k_rope_offset", {512}), shape("c_kv_offset", {64})});
  for (const char* name : {"k_rope_scale", "c_kv_scale", "k_rope_offset", "c_kv_offset"}) {
    const std::int64_t width = std::string(name).starts_with("k_") ? 64 : 512;
    for (const operators::Shape& form : {operators::Shape{width}, operators::Shape{1, width}}) {
      operators::Call call = legal(sizes);
      reshape(call, name, form);
      EXPECT_EQ(refusal_of(kvr(), call), std::nullopt) << name;
    }
  }
}

void add_scales(operators::Call& call) {
  replace(call, "k_rope_scale", DType::kF32, {64});
  replace(call, "c_kv_scale", DType::kF32, {512});
}

TEST(KvRmsnormRopeCacheCheck, Attributes) {
  const auto set = [](const char* name, boost::json::value value) {
    return Breach{name, [=](operators::Call& c) { c.attributes[name] = value; }};
  };
  expect_refused(kPaged, ErrorClass::kAttr,
                 {set("cache_mode", "PA_BLK"), set("cache_mode", "pa"), set("cache_mode", ""),
                  set("cache_mode", 1), set("is_output_kv", 1), set("epsilon", "small"),
                  set("partial_quant", "yes"), set("mode", "PA")});
}

TEST(KvRmsnormRopeCacheCheck, NormDoesNotQuantise) {
  expect_refused(kNorm, ErrorClass::kAttr,
                 {{"both scales", add_scales},
                  {"one scale", [](auto& c) { replace(c, "c_kv_scale", DType::kF32, {512}); }}});
}

TEST(KvRmsnormRopeCacheCheck, ScalesAndOffsetsComeInPairs) {
  const auto erase = [](const char* name) {
    return Breach{name, [=](operators::Call& c) { c.tensors.erase(name); }};
  };
  KvrSizes sizes = kQuantised;
  expect_refused(sizes, ErrorClass::kAttr, {erase("k_rope_scale"), erase("c_kv_scale")});
  sizes.offsets = true;
  expect_refused(
      sizes, ErrorClass::kAttr,
      {erase("k_rope_scale"), erase("c_kv_scale"), erase("k_rope_offset"), erase("c_kv_offset")});
  expect_refused(kPaged, ErrorClass::kAttr, {{"offsets without scales", [](auto& c) {
                                                replace(c, "k_rope_offset", DType::kF32, {64});
                                                replace(c, "c_kv_offset", DType::kF32, {512});
                                              }}});
}

TEST(KvRmsnormRopeCacheCheck, PartialQuantTakesThemOneByOne) {
  KvrSizes sizes = kQuantised;
  sizes.offsets = true;
  operators::Call call = legal(sizes);
  call.attributes["partial_quant"] = true;
  call.tensors.erase("k_rope_offset");
  EXPECT_EQ(refusal_of(kvr(), call), std::nullopt) << "one offset";
  call.tensors.erase("k_rope_scale");
  EXPECT_EQ(refusal_of(kvr(), call), ErrorClass::kDtype) << "an int8 k_cache without a scale";
  replace(call, "k_cache", DType::kBF16, call.tensors.at("k_cache").shape());
  EXPECT_EQ(refusal_of(kvr(), call), std::nullopt) << "one scale";
  call.tensors.erase("c_kv_scale");
  EXPECT_EQ(refusal_of(kvr(), call), ErrorClass::kAttr) << "an offset without its scale";
}

TEST(KvRmsnormRopeCacheCheck, CachesAreInt8WhereThereIsAScale) {
  expect_refused(kPaged, ErrorClass::kDtype,
                 {{"16-bit caches with scales", add_scales},
                  {"an int8 cache without", [](auto& c) {
                     replace(c, "k_cache", DType::kI8, c.tensors.at("k_cache").shape());
                   }}});
  expect_refused(kQuantised, ErrorClass::kDtype, {{"one 16-bit cache", [](auto& c) {
                                                     replace(c, "ckv_cache", DType::kBF16,
                                                             c.tensors.at("ckv_cache").shape());
                                                   }}});
}

TEST(KvRmsnormRopeCacheCheck, OutputsWithNormAreNoError) {
  KvrSizes sizes = kNorm;
  sizes.output_kv = true;
  EXPECT_EQ(refusal_of(kvr(), legal(sizes)), std::nullopt);
}

TEST(KvRmsnormRopeCacheCheck, Indices) {
  const auto at = [](const KvrSizes& sizes, std::int64_t entry, std::int64_t value) {
    operators::Call call = legal(sizes);
    call.tensors.at("index").as<std::int64_t>()[entry] = value;
    return refusal_of(kvr(), call);
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const KvrSizes& sizes : {kPaged, kQuantised, kBlocks}) {
    EXPECT_EQ(at(sizes, 5, -1), std::nullopt);
    EXPECT_EQ(at(sizes, 5, -2), ErrorClass::kIndex);
    EXPECT_EQ(at(sizes, 5, sizes.rows() - 1), std::nullopt);
    EXPECT_EQ(at(sizes, 5, sizes.rows()), ErrorClass::kIndex);
    EXPECT_EQ(at(sizes, 0, most), ErrorClass::kIndex);
    EXPECT_EQ(at(sizes, 0, -most - 1), ErrorClass::kIndex);
  }
  EXPECT_EQ(at(kNorm, 5, 6), std::nullopt);
  EXPECT_EQ(at(kNorm, 5, 7), ErrorClass::kIndex);
  EXPECT_EQ(at(kNorm, 0, -2), ErrorClass::kIndex);
}

TEST(KvRmsnormRopeCacheCheck, TheMessageNamesThePosition) {
  operators::Call call = legal(kPaged);
  call.tensors.at("index").as<std::int64_t>()[4] = 160;
  try {
    operators::validated(kvr(), call, sim::SocConfig::named(kTestSoc));
    FAIL() << "accepted";
  } catch (const operators::Refusal& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("index[4] is 160"), std::string::npos)
        << refusal.what();
  }
}

std::vector<std::string> warnings_of(const operators::Call& call, bool thorough) {
  const operators::Call good = operators::validated(kvr(), call, sim::SocConfig::named(kTestSoc));
  return kvr().warnings(good, thorough);
}

TEST(KvRmsnormRopeCacheCheck, TokensThatMeetAreWarnedOfWhenAsked) {
  operators::Call call = legal(kPaged);
  auto* index = call.tensors.at("index").as<std::int64_t>();
  for (int i = 0; i < 6; ++i) index[i] = 10 * i;
  EXPECT_TRUE(warnings_of(call, true).empty());
  index[1] = index[4];
  EXPECT_TRUE(warnings_of(call, false).empty());
  const std::vector<std::string> found = warnings_of(call, true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("tokens 1 and 4 (b*S + s) both go to cache row 40"), std::string::npos)
      << found[0];
  index[1] = index[4] = -1;
  EXPECT_TRUE(warnings_of(call, true).empty()) << "tokens that go nowhere do not meet";
}

TEST(KvRmsnormRopeCacheCheck, RowsOfDifferentBatchesDoNotMeet) {
  operators::Call call = legal(kNorm);
  auto* index = call.tensors.at("index").as<std::int64_t>();
  for (int i = 0; i < 6; ++i) index[i] = i % 2;
  EXPECT_TRUE(warnings_of(call, true).empty());
}

TEST(KvRmsnormRopeCacheCheck, BlocksMeetInTheRowsThatBothFill) {
  operators::Call call = legal(kBlocks);
  auto* index = call.tensors.at("index").as<std::int64_t>();
  for (int i = 0; i < 6; ++i) index[i] = 32 * i;
  index[3] = 5;  // the second block of batch 1, 8 tokens, on the page of the first of batch 0
  const std::vector<std::string> found = warnings_of(call, true);
  ASSERT_EQ(found.size(), 8u);
  index[2] = 31;  // and 32 tokens more
  EXPECT_EQ(warnings_of(call, true).size(), 9u) << "eight and a count of the rest";
}

TEST(KvRmsnormRopeCacheCheck, OffsetsAreWarnedOf) {
  KvrSizes sizes = kQuantised;
  EXPECT_TRUE(warnings_of(legal(sizes), false).empty());
  sizes.offsets = true;
  EXPECT_EQ(warnings_of(legal(sizes), false).size(), 1u);
}

}  // namespace
}  // namespace davsim::test
