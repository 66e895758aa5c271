// Parameters that are one tensor or a list of them, and attributes that may be null.
#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/registry/attributes.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using operators::Direction;
using operators::ErrorClass;

class ListOperator final : public operators::Operator {
 public:
  ListOperator() {
    info_.name = "test_lists";
    info_.products = {"A2"};
    info_.tensors = {
        {"x", Direction::kIn, {DType::kF16}, "ND", "[N]", "required", "", true},
        {"y", Direction::kIn, {DType::kF16}, "ND", "[N]", "optional", ""},
    };
    info_.attributes = {{"limit", "int", boost::json::value(nullptr), ""},
                        {"count", "int", boost::json::value(1), ""}};
  }
  const operators::OperatorInfo& info() const override { return info_; }
  void validate(const operators::Call& call, const sim::SocConfig&) const override {
    operators::tensor_list(call, "x");
  }
  std::vector<operators::TensorShape> infer(const operators::Call&) const override { return {}; }
  observe::LaunchReport launch(const operators::Call&, operators::TensorMap&,
                               sim::Device&) const override {
    return {};
  }
  operators::Cost cost(const operators::Call&) const override { return {}; }
  std::vector<operators::ExampleCase> cases() const override { return {}; }
  operators::Call make_case(std::string_view, memory::GlobalMemory&) const override {
    throw std::invalid_argument("no cases");
  }

 private:
  operators::OperatorInfo info_;
};

class TensorList : public ::testing::Test {
 protected:
  void give(const std::string& name, DType type = DType::kF16, std::int64_t size = 1) {
    call_.tensors.insert_or_assign(name, operators::Tensor(memory_, type, {size}, name));
  }
  std::optional<ErrorClass> refusal() const { return refusal_of(op_, call_); }

  memory::GlobalMemory memory_{1 << 20};
  ListOperator op_;
  operators::Call call_;
};

TEST_F(TensorList, OneTensorIsAListOfOne) {
  give("x", DType::kF16, 3);
  EXPECT_EQ(refusal(), std::nullopt);
  ASSERT_EQ(operators::tensor_list(call_, "x").size(), 1u);
  EXPECT_EQ(operators::tensor_list(call_, "x")[0].elements(), 3);
}

TEST_F(TensorList, EntriesComeInTheOrderOfTheirNumbers) {
  for (int i = 0; i < 12; ++i) give("x." + std::to_string(i), DType::kF16, i + 1);
  EXPECT_EQ(refusal(), std::nullopt);
  const auto list = operators::tensor_list(call_, "x");
  ASSERT_EQ(list.size(), 12u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(list[static_cast<std::size_t>(i)].elements(), i + 1);
}

TEST_F(TensorList, RefusesNoneGapsAndBothForms) {
  EXPECT_EQ(refusal(), ErrorClass::kNull);
  give("x.1");
  EXPECT_EQ(refusal(), ErrorClass::kNull) << "the first one is missing";
  give("x.0");
  give("x.3");
  EXPECT_EQ(refusal(), ErrorClass::kShape) << "number 2 is missing";
  call_.tensors.erase("x.3");
  give("x");
  EXPECT_EQ(refusal(), ErrorClass::kAttr);
}

TEST_F(TensorList, RefusesOtherNamesAndDtypes) {
  give("x.0");
  for (const char* name : {"x.", "x.a", "y.0", "z.0", "x.0.0"}) {
    give(name);
    EXPECT_EQ(refusal(), ErrorClass::kAttr) << name;
    call_.tensors.erase(name);
  }
  give("x.1", DType::kF32);
  EXPECT_EQ(refusal(), ErrorClass::kDtype);
}

TEST_F(TensorList, NullIsNotGivenOnlyWhereThereIsNoDefault) {
  give("x");
  call_.attributes["limit"] = nullptr;
  const operators::Call call = operators::validated(op_, call_, sim::SocConfig::named(kTestSoc));
  EXPECT_FALSE(operators::has_attribute(call, "limit"));
  call_.attributes["count"] = nullptr;
  EXPECT_EQ(refusal(), ErrorClass::kAttr);
}

}  // namespace
}  // namespace davsim::test
