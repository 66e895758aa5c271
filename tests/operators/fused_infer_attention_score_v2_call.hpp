// Calls of fused_infer_attention_score_v2 for its tests, and the scenes that the tests walk.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/fused_infer_attention_score_v2/cases.hpp"
#include "kernels/fused_infer_attention_score_v2/cost.hpp"
#include "kernels/fused_infer_attention_score_v2/outputs.hpp"
#include "kernels/fused_infer_attention_score_v2/recipe.hpp"
#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/fused_infer_attention_score_v2/spec.hpp"
#include "reference/attention_problem.hpp"
#include "reference/reference.hpp"
#include "tests/operators/call_changes.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {

inline memory::GlobalMemory& fia_memory() {
  return device().memory();
}

inline operators::Call fia_call(const operators::fused_infer_attention_score::Recipe& recipe,
                                std::uint64_t seed = 1,
                                memory::GlobalMemory& memory = fia_memory()) {
  operators::SeededData data(memory, seed);
  return operators::fused_infer_attention_score::make_call(recipe, data);
}

/// The operator computed on the host from what its rules read of a call: judges them apart from the
/// kernel.
class FiaOnHost final : public operators::Operator {
 public:
  const operators::OperatorInfo& info() const override { return info_; }
  void validate(const operators::Call& call, const sim::SocConfig&) const override {
    operators::fused_infer_attention_score::read(call);
  }
  std::vector<operators::TensorShape> infer(const operators::Call& call) const override {
    return operators::fused_infer_attention_score::output_shapes(
        operators::fused_infer_attention_score::read(call));
  }
  observe::LaunchReport launch(const operators::Call& call, operators::TensorMap& outputs,
                               sim::Device&) const override {
    const operators::fused_infer_attention_score::Request request =
        operators::fused_infer_attention_score::read(call);
    if (!request.empty)
      reference::evaluate(operators::fused_infer_attention_score::problem_with(request, outputs));
    return {};
  }
  operators::Cost cost(const operators::Call& call) const override {
    return operators::fused_infer_attention_score::cost(
        operators::fused_infer_attention_score::read(call));
  }
  std::vector<operators::ExampleCase> cases() const override {
    return operators::fused_infer_attention_score::cases();
  }
  operators::Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return operators::fused_infer_attention_score::make_case(id, memory);
  }

 private:
  const operators::OperatorInfo info_ = operators::fused_infer_attention_score::describe();
};

inline const operators::Operator& fia() {
  return operators::find_operator("fused_infer_attention_score_v2");
}
/// The rules alone, and the problem they make, computed on the host.
inline const operators::Operator& fia_on_host() {
  static const FiaOnHost on_host;
  return on_host;
}

/// A change to a legal call, and the class it must be refused with.
struct FiaViolation {
  std::string what;
  operators::fused_infer_attention_score::Recipe recipe;
  std::function<void(operators::Call&)> change;
  std::optional<operators::ErrorClass> cls;
};

inline std::string fia_class_name(const std::optional<operators::ErrorClass>& cls) {
  return cls ? std::string(operators::error_class_name(*cls)) : "accepted";
}

/// The recipe's own call is legal, the changed one is refused with its class. Rules only: what the
/// kernel has not yet is another matter.
inline void expect_refusals(const std::vector<FiaViolation>& violations) {
  for (const FiaViolation& violation : violations) {
    SCOPED_TRACE(violation.what);
    operators::Call call = fia_call(violation.recipe);
    EXPECT_EQ(fia_class_name(refusal_of(fia_on_host(), call)), "accepted") << "before the change";
    violation.change(call);
    EXPECT_EQ(fia_class_name(refusal_of(fia_on_host(), call)), fia_class_name(violation.cls));
  }
}

/// Runs the call, whose tensors lie in the device's memory, and compares all it left.
inline operators::RunResult fia_run_and_compare(const operators::Call& call,
                                                const operators::Operator& op = fia(),
                                                sim::Device& on = device()) {
  const reference::Reference* judge = reference::find_reference(op.info().name);
  operators::RunResult result;
  try {
    result = operators::run(op, call, on);
  } catch (const operators::Refusal& refusal) {
    ADD_FAILURE() << operators::error_class_name(refusal.cls) << ": " << refusal.what();
    return result;
  }
  const operators::Call good = operators::validated(op, call, on.soc());
  for (const auto& comparison : judge->compare_results(good, {}, result.outputs)) {
    EXPECT_TRUE(comparison.passed) << reference::to_string(comparison);
  }
  return result;
}

}  // namespace davsim::test
