// Calls of paged_attention for its tests.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

#include "kernels/paged_attention/recipe.hpp"
#include "tests/operators/call_changes.hpp"
#include "tests/operators/operator_run.hpp"

namespace davsim::test {

using operators::paged_attention::Recipe;

inline const operators::Operator& paged_attention() {
  return operators::find_operator("paged_attention");
}

inline operators::Call pa_call(const Recipe& recipe, std::uint64_t seed = 1) {
  operators::SeededData data(device().memory(), seed);
  return operators::paged_attention::make_call(data, recipe);
}

/// A refusal or a fault is a failure of the test, so that it says which call it was.
inline operators::RunResult pa_run_and_compare(const operators::Call& call) {
  try {
    return run_and_compare(paged_attention(), call);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return {};
  }
}

/// The name of the class that a call is refused with, or "accepted".
inline std::string pa_verdict(const operators::Call& call, const char* soc = kTestSoc) {
  const auto cls = refusal_of(paged_attention(), call, soc);
  return cls ? std::string(operators::error_class_name(*cls)) : "accepted";
}

// A small legal call of each scene.

inline Recipe pa_base(isa::DType type = isa::DType::kF16) {
  return {.heads = 4, .kv_heads = 2, .width = 64, .contexts = {37, 150, 16}, .type = type};
}
inline Recipe pa_stopped(Recipe recipe) {
  recipe.batch_run = true;
  recipe.contexts[1] = 0;
  return recipe;
}
inline Recipe pa_masked(Recipe recipe, const char* mask) {
  recipe.mask = mask;
  return recipe;
}
inline Recipe pa_parallel(isa::DType type = isa::DType::kF16) {
  Recipe recipe = pa_base(type);
  recipe.query_rows = {3, 1, 7}, recipe.mask = "spec";
  return recipe;
}
inline Recipe pa_razor(std::int64_t kind = 1) {
  return {
      .heads = 6, .kv_heads = 2, .width = 64, .contexts = {37, 150, 16, 1, 90, 33}, .razor = kind};
}
inline Recipe pa_dequant(bool offsets = true) {
  Recipe recipe = pa_base();
  recipe.quant = 1, recipe.offsets = offsets;
  return recipe;
}
inline Recipe pa_full_quant(std::int64_t quant, isa::DType type = isa::DType::kF16) {
  Recipe recipe = pa_base(type);
  recipe.quant = quant;
  return recipe;
}
inline Recipe pa_logn() {
  Recipe recipe = pa_base();
  recipe.logn = true;
  return recipe;
}
inline Recipe pa_bnsd() {
  Recipe recipe = pa_base();
  recipe.bnsd = true;
  return recipe;
}
inline Recipe pa_merged(isa::DType type = isa::DType::kF16) {
  return {.heads = 16,
          .width = 576,
          .value_width = 512,
          .contexts = {37, 150, 16},
          .page_rows = 128,
          .type = type,
          .merged = true,
          .scale = 0.07};
}
inline Recipe pa_merged_parallel(isa::DType type = isa::DType::kF16) {
  Recipe recipe = pa_merged(type);
  recipe.query_rows = {3, 1, 4}, recipe.mask = "spec";
  return recipe;
}
inline Recipe pa_separate() {
  Recipe recipe = pa_base();
  recipe.width = 128, recipe.value_width = 96;
  return recipe;
}

}  // namespace davsim::test
