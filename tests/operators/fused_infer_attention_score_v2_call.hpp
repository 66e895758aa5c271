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

inline ops::Call fia_call(const ops::fia::Recipe& recipe, std::uint64_t seed = 1,
                          memory::GlobalMemory& memory = fia_memory()) {
  ops::SeededData data(memory, seed);
  return ops::fia::make_call(recipe, data);
}

/// The operator computed on the host from what its rules read of a call: judges them apart from the
/// kernel.
class FiaOnHost final : public ops::Operator {
 public:
  const ops::OperatorInfo& info() const override { return info_; }
  void check(const ops::Call& call, const sim::SocConfig&) const override { ops::fia::read(call); }
  std::vector<ops::TensorShape> infer(const ops::Call& call) const override {
    return ops::fia::output_shapes(ops::fia::read(call));
  }
  observe::LaunchReport launch(const ops::Call& call, ops::TensorMap& outputs,
                               sim::Device&) const override {
    const ops::fia::Request request = ops::fia::read(call);
    if (!request.empty) reference::evaluate(ops::fia::problem_with(request, outputs));
    return {};
  }
  ops::Cost cost(const ops::Call& call) const override {
    return ops::fia::cost(ops::fia::read(call));
  }
  std::vector<ops::ExampleCase> cases() const override { return ops::fia::cases(); }
  ops::Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return ops::fia::make_case(id, memory);
  }

 private:
  const ops::OperatorInfo info_ = ops::fia::describe();
};

inline const ops::Operator& fia() {
  return ops::find_operator("fused_infer_attention_score_v2");
}
/// The rules alone, and the problem they make, computed on the host.
inline const ops::Operator& fia_on_host() {
  static const FiaOnHost on_host;
  return on_host;
}

/// A change to a legal call, and the class it must be refused with.
struct FiaViolation {
  std::string what;
  ops::fia::Recipe recipe;
  std::function<void(ops::Call&)> change;
  std::optional<ops::ErrorClass> cls;
};

inline std::string fia_class_name(const std::optional<ops::ErrorClass>& cls) {
  return cls ? std::string(ops::error_class_name(*cls)) : "accepted";
}

/// The recipe's own call is legal, the changed one is refused with its class. Rules only: what the
/// kernel has not yet is another matter.
inline void expect_refusals(const std::vector<FiaViolation>& violations) {
  for (const FiaViolation& violation : violations) {
    SCOPED_TRACE(violation.what);
    ops::Call call = fia_call(violation.recipe);
    EXPECT_EQ(fia_class_name(refusal_of(fia_on_host(), call)), "accepted") << "before the change";
    violation.change(call);
    EXPECT_EQ(fia_class_name(refusal_of(fia_on_host(), call)), fia_class_name(violation.cls));
  }
}

/// Runs the call, whose tensors lie in the device's memory, and compares all it left.
inline ops::RunResult fia_run_and_compare(const ops::Call& call, const ops::Operator& op = fia(),
                                          sim::Device& on = device()) {
  const reference::Reference* judge = reference::find_reference(op.info().name);
  ops::RunResult result;
  try {
    result = ops::run(op, call, on);
  } catch (const ops::Refusal& refusal) {
    ADD_FAILURE() << ops::error_class_name(refusal.cls) << ": " << refusal.what();
    return result;
  }
  const ops::Call good = ops::checked(op, call, on.soc());
  for (const auto& comparison : judge->check(good, {}, result.outputs)) {
    EXPECT_TRUE(comparison.passed) << reference::to_string(comparison);
  }
  return result;
}

}  // namespace davsim::test
