// Runs a call and holds everything it left against the operator's reference.
#pragma once

#include <gtest/gtest.h>

#include "reference/reference.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {

inline ops::RunResult run_and_compare(const ops::Operator& op, const ops::Call& call,
                                      sim::Device& on = device()) {
  const reference::Reference* judge = reference::find_reference(op.info().name);
  const ops::TensorMap before = reference::copy_in_place(op, call, on.memory());
  ops::RunResult result = ops::run(op, call, on);
  const ops::Call good = ops::checked(op, call, on.soc());
  const auto comparisons = judge->check(good, before, result.outputs);
  EXPECT_TRUE(reference::passed(comparisons));
  for (const auto& comparison : comparisons) {
    EXPECT_TRUE(comparison.passed) << reference::to_string(comparison);
  }
  return result;
}

}  // namespace davsim::test
