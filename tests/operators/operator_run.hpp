// Runs a call and holds everything it left against the operator's reference.
#pragma once

#include <gtest/gtest.h>

#include "reference/reference.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {

inline operators::RunResult run_and_compare(const operators::Operator& op,
                                            const operators::Call& call,
                                            sim::Device& on = device()) {
  const reference::Reference* judge = reference::find_reference(op.info().name);
  const operators::TensorMap before = reference::copy_in_place(op, call, on.memory());
  operators::RunResult result = operators::run(op, call, on);
  const operators::Call good = operators::validated(op, call, on.soc());
  const auto comparisons = judge->compare_results(good, before, result.outputs);
  EXPECT_TRUE(reference::passed(comparisons));
  for (const auto& comparison : comparisons) {
    EXPECT_TRUE(comparison.passed) << reference::to_string(comparison);
  }
  return result;
}

}  // namespace davsim::test
