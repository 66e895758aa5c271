// The registry's own rules, on an operator that exists only here.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "kernels/registry/attributes.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators {
namespace {

using isa::DType;

/// out = x * factor, acc += x; computed on the host, because nothing here is about kernels.
class ScaleOperator : public Operator {
 public:
  explicit ScaleOperator(std::string name = "test_scale") {
    info_.name = std::move(name);
    info_.products = {"A2"};
    info_.tensors = {
        {"x", Direction::kIn, {DType::kF16, DType::kF32}, "ND", "[N]", "required", ""},
        {"acc", Direction::kInOut, {DType::kF32}, "ND", "[N]", "required", ""},
        {"mask", Direction::kIn, {DType::kBool}, "ND", "[N]", "optional", ""},
        {"out", Direction::kOut, {DType::kF32}, "ND", "[N]", "always", ""},
    };
    info_.attributes = {
        {"factor", "float", std::nullopt, ""},
        {"count", "int", boost::json::value(3), ""},
        {"mode", "string", boost::json::value("plain"), ""},
        {"flag", "bool", boost::json::value(false), ""},
        {"sizes", "int list", boost::json::value({1, 2}), ""},
        {"limit", "float", boost::json::value(nullptr), "optional, no default"},
    };
  }
  const OperatorInfo& info() const override { return info_; }
  void validate(const Call& call, const sim::SocConfig&) const override {
    if (call.tensors.at("x").shape().size() != 1) {
      throw Refusal(ErrorClass::kRank, "x has rank 1", "x has another rank");
    }
    if (float_attribute(call, "factor") < 0) {
      throw Refusal(ErrorClass::kAttr, "factor >= 0", "factor is negative");
    }
  }
  std::vector<TensorShape> infer(const Call& call) const override {
    return {{"out", DType::kF32, {infer_size.value_or(call.tensors.at("x").elements())}}};
  }
  observe::LaunchReport launch(const Call& call, TensorMap& outputs, sim::Device&) const override {
    const auto factor = static_cast<float>(float_attribute(call, "factor"));
    for (std::int64_t i = 0; i < call.tensors.at("x").elements(); ++i) {
      const float x = call.tensors.at("x").as<float>()[i];
      outputs.at("out").as<float>()[i] = x * factor;
      call.tensors.at("acc").as<float>()[i] += x;
    }
    observe::LaunchReport report;
    report.kernel = "test_scale";
    return report;
  }
  Cost cost(const Call&) const override { return {}; }
  std::vector<ExampleCase> cases() const override { return {}; }
  Call make_case(std::string_view, memory::GlobalMemory&) const override {
    throw std::invalid_argument("no cases");
  }

  std::optional<std::int64_t> infer_size;

 private:
  OperatorInfo info_;
};

class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    call_.tensors.emplace("x", Tensor(memory_, DType::kF32, {4}, "x"));
    call_.tensors.emplace("acc", Tensor(memory_, DType::kF32, {4}, "acc"));
    call_.attributes["factor"] = 2;
  }

  Call validated_call(const std::string& soc = "Ascend910B3") const {
    return validated(op_, call_, sim::SocConfig::named(soc));
  }
  /// The refusal of the call as it stands; fails the test if there is none.
  Refusal refusal(const std::string& soc = "Ascend910B3") const {
    try {
      validated_call(soc);
    } catch (const Refusal& refusal) {
      return refusal;
    }
    ADD_FAILURE() << "the call was accepted";
    return {ErrorClass::kNull, "", ""};
  }
  static bool says(const Refusal& refusal, const std::string& text) {
    return std::string(refusal.what()).find(text) != std::string::npos;
  }
  void replace(const std::string& name, DType dtype, Shape shape) {
    call_.tensors.insert_or_assign(name, Tensor(memory_, dtype, std::move(shape), name));
  }

  memory::GlobalMemory memory_{1 << 20};
  ScaleOperator op_;
  Call call_;
};

TEST_F(RegistryTest, FillsInDefaultsAndTypes) {
  const Call call = validated_call();
  EXPECT_EQ(call.attributes.at("factor").as_double(), 2.0);  // an integer was given
  EXPECT_EQ(int_attribute(call, "count"), 3);
  EXPECT_EQ(string_attribute(call, "mode"), "plain");
  EXPECT_FALSE(bool_attribute(call, "flag"));
  EXPECT_EQ(int_list_attribute(call, "sizes"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(has_attribute(call, "limit"));
}

TEST_F(RegistryTest, RefusesAnotherProduct) {
  const Refusal found = refusal("Ascend910_9391");
  EXPECT_EQ(found.cls, ErrorClass::kUnsupported);
  EXPECT_TRUE(says(found, "Ascend910_9391 is A3")) << found.what();
}

TEST_F(RegistryTest, ProductComesBeforeEverythingElse) {
  call_ = {};
  EXPECT_EQ(refusal("Ascend910_9391").cls, ErrorClass::kUnsupported);
}

TEST_F(RegistryTest, RefusesUnknownTensorsAndOutputsAsInputs) {
  call_.tensors.emplace("y", call_.tensors.at("x"));
  EXPECT_EQ(refusal().cls, ErrorClass::kAttr);
  EXPECT_TRUE(says(refusal(), "'y' is none of them")) << refusal().what();
  call_.tensors.erase("y");
  call_.tensors.emplace("out", call_.tensors.at("x"));
  EXPECT_TRUE(says(refusal(), "'out' is an output")) << refusal().what();
}

TEST_F(RegistryTest, RefusesUnknownAttributes) {
  call_.attributes["factr"] = 1;
  EXPECT_EQ(refusal().cls, ErrorClass::kAttr);
  EXPECT_TRUE(says(refusal(), "factr")) << refusal().what();
}

TEST_F(RegistryTest, RefusesMissingRequiredTensor) {
  call_.tensors.erase("acc");
  EXPECT_EQ(refusal().cls, ErrorClass::kNull);
  EXPECT_EQ(refusal().rule, "tensor acc is required");
}

TEST_F(RegistryTest, RefusesDtype) {
  replace("x", DType::kBF16, {4});
  EXPECT_EQ(refusal().cls, ErrorClass::kDtype);
  EXPECT_TRUE(says(refusal(), "float16 or float32; found bfloat16")) << refusal().what();
}

TEST_F(RegistryTest, ChecksDtypesOfOptionalTensors) {
  replace("mask", DType::kI8, {4});
  EXPECT_EQ(refusal().cls, ErrorClass::kDtype);
  replace("mask", DType::kBool, {4});
  EXPECT_NO_THROW(validated_call());
}

TEST_F(RegistryTest, RefusesMissingRequiredAttribute) {
  call_.attributes.erase("factor");
  EXPECT_EQ(refusal().cls, ErrorClass::kAttr);
  EXPECT_EQ(refusal().rule, "attribute factor is required");
}

TEST_F(RegistryTest, RefusesAttributesOfAnotherType) {
  const std::pair<const char*, boost::json::value> wrong[] = {
      {"factor", "2"},       {"count", 1.5},     {"count", 1.0},      {"count", true},
      {"count", 1ull << 63}, {"mode", 1},        {"flag", 1},         {"sizes", 3},
      {"sizes", {1, "2"}},   {"flag", "yes"},    {"sizes", {1, 1.5}}, {"limit", "x"},
      {"factor", 1e39},      {"factor", -1e308},
  };
  for (const auto& [name, value] : wrong) {
    const boost::json::object before = call_.attributes;
    call_.attributes[name] = value;
    EXPECT_EQ(refusal().cls, ErrorClass::kAttr) << name;
    EXPECT_TRUE(says(refusal(), name)) << refusal().what();
    EXPECT_TRUE(says(refusal(), boost::json::serialize(value))) << refusal().what();
    call_.attributes = before;
  }
}

TEST_F(RegistryTest, RankComesBeforeAttributeTypes) {
  replace("x", DType::kF32, {2, 2});
  call_.attributes["flag"] = "yes";
  EXPECT_EQ(refusal().cls, ErrorClass::kRank);
}

TEST_F(RegistryTest, AttributeTypesComeBeforeTheOperatorsAttributeRules) {
  call_.attributes["flag"] = "yes";
  call_.attributes["factor"] = -1;
  EXPECT_TRUE(says(refusal(), "flag")) << refusal().what();
}

TEST_F(RegistryTest, DtypeComesBeforeRank) {
  replace("x", DType::kI8, {2, 2});
  EXPECT_EQ(refusal().cls, ErrorClass::kDtype);
}

TEST_F(RegistryTest, GettersNameAttributeAndType) {
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { int_attribute(call_, "absent"); }, [&] { float_attribute(call_, "absent"); },
           [&] { bool_attribute(call_, "absent"); }, [&] { string_attribute(call_, "absent"); },
           [&] { int_list_attribute(call_, "absent"); }}) {
    EXPECT_THROW(read(), Refusal);
  }
  call_.attributes["count"] = "many";
  try {
    int_attribute(call_, "count");
    FAIL();
  } catch (const Refusal& found) {
    EXPECT_EQ(found.cls, ErrorClass::kAttr);
    EXPECT_STREQ(found.what(), "count is an integer; found \"many\"");
  }
}

TEST_F(RegistryTest, RunReturnsOutputsAndInPlaceTensors) {
  sim::Device device(sim::SocConfig::named("Ascend910B3"), {.mode = sim::Mode::kFunctional});
  std::fill_n(call_.tensors.at("x").as<float>(), 4, 3.0f);
  const RunResult result = run(op_, call_, device);
  EXPECT_EQ(result.report.kernel, "test_scale");
  ASSERT_EQ(result.outputs.size(), 2u);
  EXPECT_EQ(result.outputs.at("out").as<float>()[3], 6.0f);
  EXPECT_EQ(result.outputs.at("acc").as<float>()[3], 3.0f);
  EXPECT_EQ(result.outputs.at("acc").data(), call_.tensors.at("acc").data());
}

TEST_F(RegistryTest, RefusedRunTouchesNothing) {
  sim::Device device(sim::SocConfig::named("Ascend910B3"), {.mode = sim::Mode::kFunctional});
  std::fill_n(call_.tensors.at("x").as<float>(), 4, 3.0f);
  call_.attributes["factor"] = -1;
  EXPECT_THROW(run(op_, call_, device), Refusal);
  EXPECT_EQ(call_.tensors.at("acc").as<float>()[0], 0.0f);
  EXPECT_EQ(device.memory().allocated_bytes(), 0u);
}

TEST_F(RegistryTest, OutputsThatDoNotFitAreRefused) {
  sim::Device device(sim::SocConfig::named("Ascend910B3"), {.mode = sim::Mode::kFunctional});
  op_.infer_size = std::int64_t{1} << 50;
  try {
    run(op_, call_, device);
    FAIL();
  } catch (const Refusal& found) {
    EXPECT_EQ(found.cls, ErrorClass::kShape);
    EXPECT_NE(std::string(found.what()).find("output out"), std::string::npos) << found.what();
  }
}

TEST_F(RegistryTest, FindsByNameAndListsByName) {
  const OperatorRegistrar second(std::make_unique<ScaleOperator>("test_b"));
  const OperatorRegistrar first(std::make_unique<ScaleOperator>("test_a"));
  EXPECT_EQ(find_operator("test_a").info().name, "test_a");
  const auto all = all_operators();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Operator* a, const Operator* b) {
    return a->info().name < b->info().name;
  }));
  EXPECT_THROW(OperatorRegistrar(std::make_unique<ScaleOperator>("test_a")), std::logic_error);
}

TEST_F(RegistryTest, UnknownOperatorNamesThoseThatExist) {
  const OperatorRegistrar only(std::make_unique<ScaleOperator>("test_known"));
  try {
    find_operator("test_unknown");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("test_known"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("test_unknown"), std::string::npos) << error.what();
  }
}

TEST_F(RegistryTest, ErrorClassNames) {
  EXPECT_EQ(error_class_name(ErrorClass::kNull), "E_NULL");
  EXPECT_EQ(error_class_name(ErrorClass::kDtype), "E_DTYPE");
  EXPECT_EQ(error_class_name(ErrorClass::kFormat), "E_FORMAT");
  EXPECT_EQ(error_class_name(ErrorClass::kRank), "E_RANK");
  EXPECT_EQ(error_class_name(ErrorClass::kShape), "E_SHAPE");
  EXPECT_EQ(error_class_name(ErrorClass::kAttr), "E_ATTR");
  EXPECT_EQ(error_class_name(ErrorClass::kUnsupported), "E_UNSUPPORTED");
  EXPECT_EQ(error_class_name(ErrorClass::kIndex), "E_INDEX");
}

}  // namespace
}  // namespace davsim::operators
