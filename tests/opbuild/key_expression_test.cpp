// Expressions of tiling keys: what C's preprocessor makes of them, and what is refused.
#include "runtime/opbuild/key_expression.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace davsim::opbuild {
namespace {

TEST(KeyExpression, ValuesAreThoseOfThePreprocessor) {
  EXPECT_EQ(evaluate("10000000000000000001UL", 0), 10000000000000000001ull);
  EXPECT_EQ(evaluate(" ( 0x10 + 3 * 2 ) ", 0), 22u);
  EXPECT_EQ(evaluate("20 - 3 - 4 % 3", 0), 16u);
  EXPECT_EQ(evaluate("1 | 2 & 6 ^ 4", 0), 7u);
  EXPECT_EQ(evaluate("TILING_KEY_VAR == 2 || TILING_KEY_VAR == 3", 3), 1u);
  EXPECT_EQ(evaluate("TILING_KEY_VAR == 2 || TILING_KEY_VAR == 3", 4), 0u);
  EXPECT_EQ(evaluate("TILING_KEY_VAR >= 10 && !(TILING_KEY_VAR / 10 != 1)", 17), 1u);
  EXPECT_EQ(evaluate("TILING_KEY_VAR >= 10 && !(TILING_KEY_VAR / 10 != 1)", 27), 0u);
  EXPECT_EQ(evaluate("~0 < 1", 0), 0u);
}

std::string refusal(const char* expression) {
  try {
    evaluate(expression, 0);
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return "";
}

TEST(KeyExpression, WhatIsNoneIsRefusedWithTheReason) {
  EXPECT_EQ(refusal("KEY"), "'KEY' is no number");
  EXPECT_EQ(refusal("1 2"), "'2' is left over");
  EXPECT_EQ(refusal("(1"), "a parenthesis is open");
  EXPECT_EQ(refusal("1 +"), "a number is missing");
  EXPECT_EQ(refusal("1 / 0"), "it divides by 0");
  EXPECT_EQ(refusal("18446744073709551616"), "'18446744073709551616' is no number");
  EXPECT_EQ(refusal("1.5"), "'.5' is left over");
}

}  // namespace
}  // namespace davsim::opbuild
