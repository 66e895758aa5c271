// One call per rule of rope_quant_kvcache that breaks just this rule.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/operators/rope_quant_kvcache_call.hpp"

namespace davsim::test {
namespace {

using operators::ErrorClass;

const RqkSizes kSizes = {
    .batch = 3, .seq = 2, .cache_len = 8, .heads_q = 4, .heads_kv = 2, .dim = 64};

operators::Call legal() {
  return rqk_call(kSizes, 3, host_memory());
}

void replace(operators::Call& call, const char* name, isa::DType dtype, operators::Shape shape) {
  call.tensors.insert_or_assign(name,
                                operators::Tensor(host_memory(), dtype, std::move(shape), name));
}
/// The tensor with another shape, its dtype kept.
void reshape(operators::Call& call, const char* name, operators::Shape shape) {
  replace(call, name, call.tensors.at(name).dtype(), std::move(shape));
}

TEST(RopeQuantKvcacheCheck, TheCallThatTheOthersBreakIsLegal) {
  EXPECT_EQ(refusal_of(rqk(), legal()), std::nullopt);
}

TEST(RopeQuantKvcacheCheck, Product) {
  for (const char* soc : {"Ascend910_9391", "Ascend910_9382", "Ascend910_9362"}) {
    EXPECT_EQ(refusal_of(rqk(), legal(), soc), ErrorClass::kUnsupported) << soc;
  }
  for (const char* soc : {"Ascend910B1", "Ascend910B4"}) {
    EXPECT_EQ(refusal_of(rqk(), legal(), soc), std::nullopt) << soc;
  }
}

constexpr const char* kInputs[] = {"qkv",          "cos",     "sin",     "quant_scale",
                                   "quant_offset", "k_cache", "v_cache", "indice"};

TEST(RopeQuantKvcacheCheck, EveryInputIsRequired) {
  for (const char* name : kInputs) {
    operators::Call call = legal();
    call.tensors.erase(name);
    EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kNull) << name;
  }
}

TEST(RopeQuantKvcacheCheck, EveryDtypeIsFixed) {
  for (const char* name : kInputs) {
    operators::Call call = legal();
    replace(call, name, isa::DType::kBF16, call.tensors.at(name).shape());
    EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kDtype) << name;
  }
}

TEST(RopeQuantKvcacheCheck, EveryRankIsFixed) {
  for (const char* name : kInputs) {
    operators::Call call = legal();
    operators::Shape shape = call.tensors.at(name).shape();
    shape.insert(shape.end(), {1, 1});
    reshape(call, name, shape);
    EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kRank) << name;
  }
  operators::Call scalar = legal();
  reshape(scalar, "indice", {});
  EXPECT_EQ(refusal_of(rqk(), scalar), ErrorClass::kRank);
}

struct Breach {
  const char* what;
  ErrorClass cls;
  std::function<void(operators::Call&)> make;
};

void expect_refused(const std::vector<Breach>& breaches) {
  for (const Breach& breach : breaches) {
    operators::Call call = legal();
    breach.make(call);
    EXPECT_EQ(refusal_of(rqk(), call), breach.cls) << breach.what;
  }
}

TEST(RopeQuantKvcacheCheck, Shapes) {
  constexpr ErrorClass kShape = ErrorClass::kShape;
  expect_refused({
      {"v_cache longer", kShape,
       [](auto& c) {
         reshape(c, "v_cache", {3, 9, 2, 64});
       }},
      {"caches of another batch", kShape,
       [](auto& c) {
         reshape(c, "k_cache", {4, 8, 2, 64});
         reshape(c, "v_cache", {4, 8, 2, 64});
       }},
      {"D is 48", kShape,
       [](auto& c) {
         c = rqk_call({.batch = 3, .seq = 2, .cache_len = 8, .heads_q = 4, .dim = 48}, 3,
                      host_memory());
       }},
      {"cos without S", kShape,
       [](auto& c) {
         reshape(c, "cos", {3, 1, 1, 64});
       }},
      {"cos per head", kShape,
       [](auto& c) {
         reshape(c, "cos", {3, 2, 2, 64});
       }},
      {"sin half as wide", kShape,
       [](auto& c) {
         reshape(c, "sin", {3, 2, 1, 32});
       }},
      {"quant_scale per tensor", kShape, [](auto& c) { reshape(c, "quant_scale", {1}); }},
      {"quant_offset short", kShape, [](auto& c) { reshape(c, "quant_offset", {63}); }},
      {"indice per token", kShape, [](auto& c) { reshape(c, "indice", {6}); }},
      {"indice as a row", kShape,
       [](auto& c) {
         reshape(c, "indice", {1, 3});
       }},
      {"S is 0", kShape,
       [](auto& c) {
         reshape(c, "qkv", {3, 0, 512});
       }},
      {"no kv heads", kShape,
       [](auto& c) {
         reshape(c, "k_cache", {3, 8, 0, 64});
         reshape(c, "v_cache", {3, 8, 0, 64});
       }},
      {"D is 0", kShape,
       [](auto& c) {
         reshape(c, "k_cache", {3, 8, 2, 0});
         reshape(c, "v_cache", {3, 8, 2, 0});
       }},
  });
}

TEST(RopeQuantKvcacheCheck, Attributes) {
  constexpr ErrorClass kAttr = ErrorClass::kAttr;
  const auto splits = [](boost::json::array values) {
    return [values](operators::Call& call) { call.attributes["size_splits"] = values; };
  };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  expect_refused({
      {"two splits", kAttr, splits({256, 256})},
      {"four splits", kAttr, splits({256, 128, 64, 64})},
      {"sum below H", kAttr, splits({192, 128, 128})},
      {"sum above H", kAttr, splits({320, 128, 128})},
      {"k and v differ", kAttr, splits({256, 64, 192})},
      {"not Nkv heads", kAttr, splits({384, 64, 64})},
      {"no query head", kAttr, splits({0, 256, 256})},
      {"negative", kAttr, splits({-64, 288, 288})},
      {"sum overflows", kAttr, splits({huge, huge, 514})},
      {"not integers", kAttr, splits({256.5, 127.75, 127.75})},
      {"not a list", kAttr, [](auto& c) { c.attributes["size_splits"] = 512; }},
      {"missing", kAttr, [](auto& c) { c.attributes.erase("size_splits"); }},
      {"layout unknown", kAttr, [](auto& c) { c.attributes["layout"] = "BSH"; }},
      {"layout in lower case", kAttr, [](auto& c) { c.attributes["layout"] = "bsnd"; }},
      {"BNSD where S is 2", kAttr, [](auto& c) { c.attributes["layout"] = "BNSD"; }},
      {"layout no string", kAttr, [](auto& c) { c.attributes["layout"] = 3; }},
      {"kv_output no bool", kAttr, [](auto& c) { c.attributes["kv_output"] = 1; }},
      {"unknown attribute", kAttr, [](auto& c) { c.attributes["scale"] = 1; }},
  });
}

TEST(RopeQuantKvcacheCheck, QueryHeadsAreWhole) {
  // One query head and a half: the sum is right, the split is no multiple of D.
  operators::Call call = legal();
  reshape(call, "qkv", {3, 2, 96 + 256});
  call.attributes["size_splits"] = {96, 128, 128};
  EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kAttr);
}

TEST(RopeQuantKvcacheCheck, Indices) {
  const auto refused_at = [](std::int64_t batch, std::int32_t position) {
    operators::Call call = legal();
    for (int b = 0; b < 3; ++b) call.tensors.at("indice").as<std::int32_t>()[b] = 0;
    call.tensors.at("indice").as<std::int32_t>()[batch] = position;
    return refusal_of(rqk(), call);
  };
  for (const std::int64_t batch : {0, 2}) {
    EXPECT_EQ(refused_at(batch, -1), ErrorClass::kIndex);
    EXPECT_EQ(refused_at(batch, std::numeric_limits<std::int32_t>::min()), ErrorClass::kIndex);
    EXPECT_EQ(refused_at(batch, 6), std::nullopt) << "the last position for two tokens";
    EXPECT_EQ(refused_at(batch, 7), ErrorClass::kIndex) << "the second token is outside";
    EXPECT_EQ(refused_at(batch, std::numeric_limits<std::int32_t>::max()), ErrorClass::kIndex);
  }
}

TEST(RopeQuantKvcacheCheck, TheMessageNamesThePosition) {
  operators::Call call = legal();
  call.tensors.at("indice").as<std::int32_t>()[1] = 99;
  try {
    operators::validated(rqk(), call, sim::SocConfig::named(kTestSoc));
    FAIL() << "accepted";
  } catch (const operators::Refusal& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("indice[1] is 99"), std::string::npos)
        << refusal.what();
  }
}

TEST(RopeQuantKvcacheCheck, AHeadMustFitInUb) {
  EXPECT_EQ(refusal_of(rqk(), rqk_call({.dim = 5952}, 3, host_memory())), std::nullopt);
  EXPECT_EQ(refusal_of(rqk(), rqk_call({.dim = 5984}, 3, host_memory())), ErrorClass::kUnsupported);
}

TEST(RopeQuantKvcacheCheck, RankComesBeforeShapeBeforeAttributeBeforeIndex) {
  operators::Call call = legal();
  call.tensors.at("indice").as<std::int32_t>()[0] = -1;
  EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kIndex);
  call.attributes["size_splits"] = {1, 2, 3};
  EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kAttr);
  reshape(call, "quant_scale", {65});
  EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kShape);
  reshape(call, "cos", {3, 2, 64});
  EXPECT_EQ(refusal_of(rqk(), call), ErrorClass::kRank);
}

}  // namespace
}  // namespace davsim::test
