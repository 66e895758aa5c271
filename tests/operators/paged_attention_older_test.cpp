// paged_attention on the older inference series: caches and masks in fractals, what it has and what
// it has not.
#include <gtest/gtest.h>

#include "tests/operators/paged_attention_call.hpp"

namespace davsim::test {
namespace {

using isa::DType;

constexpr const char* kOlder = "Ascend310P3";

/// The process's one device.
sim::Device& older() {
  static sim::Device the_device(sim::SocConfig::named(kOlder));
  return the_device;
}

operators::Call call_of(const Recipe& recipe) {
  operators::SeededData data(older().memory(), 3);
  return operators::paged_attention::make_call(data, recipe);
}

Recipe fractals(const char* mask = "") {
  Recipe recipe = pa_base();
  recipe.fractals = true, recipe.mask = mask;
  return recipe;
}
Recipe several_rows(const char* mask = "") {
  Recipe recipe = fractals(mask);
  recipe.query_rows = {3, 1, 7};
  return recipe;
}
TEST(PaOlder, WhatItHas) {
  const struct {
    const char* what;
    Recipe recipe;
  } scenes[] = {
      {"plain", fractals()},
      {"norm", fractals("norm")},
      {"norm, one row for all", fractals("norm shared")},
      {"alibi", fractals("alibi")},
      {"alibi for all batches", fractals("alibi heads")},
      {"LOGN", with(fractals(), [](Recipe& r) { r.logn = true; })},
      {"BNSD", with(fractals(), [](Recipe& r) { r.bnsd = true; })},
      {"several rows", several_rows()},
      {"several rows, spec", several_rows("spec")},
      {"mask free",
       with(several_rows("free"),
            [](Recipe& r) {
              r.page_rows = 128, r.contexts = {128, 300, 5}, r.query_rows = {128, 44, 5};
            })},
      {"norm compress", several_rows("compress")},
      {"norm compress in fractals", several_rows("compress fractals")},
  };
  for (const auto& scene : scenes) {
    SCOPED_TRACE(scene.what);
    const operators::Call call = call_of(scene.recipe);
    ASSERT_EQ(pa_verdict(call, kOlder), "accepted");
    run_and_compare(paged_attention(), call, older());
  }
}

TEST(PaOlder, WhatItHasNot) {
  const struct {
    const char* what;
    Recipe recipe;
    CallChange change;
    const char* verdict;
  } violations[] = {
      {"bfloat16", with(fractals(), [](Recipe& r) { r.type = DType::kBF16; }), {}, "E_DTYPE"},
      {"batchRun", with(fractals(), [](Recipe& r) { r.batch_run = true; }), {}, "E_ATTR"},
      {"razor", fractals(), attribute("compressType", 1), "E_ATTR"},
      {"dequant", fractals(), attribute("quantType", 1), "E_ATTR"},
      {"merged", fractals(), attribute("mlaVHeadSize", 64), "E_ATTR"},
      {"several rows, norm", several_rows(), attribute("maskType", 1), "E_ATTR"},
      {"one row, compress", fractals(), attribute("maskType", 5), "E_ATTR"},
      {"mask free, other pages", several_rows("free"), {}, "E_INDEX"},
      {"caches of rows", pa_base(), {}, "E_SHAPE"},
      {"wide heads", with(fractals(), [](Recipe& r) { r.width = 272; }), {}, "E_SHAPE"},
      {"wide pages",
       with(fractals(), [](Recipe& r) { r.width = 256, r.page_rows = 128; }),
       {},
       "E_SHAPE"},
      {"value of another width",
       with(fractals(), [](Recipe& r) { r.value_width = 32; }),
       {},
       "E_SHAPE"},
  };
  for (const auto& violation : violations) {
    SCOPED_TRACE(violation.what);
    // Recipes make masks in fractals of float16 only; none of these has one in bfloat16.
    operators::Call call = call_of(violation.recipe);
    if (violation.change) violation.change(call);
    EXPECT_EQ(pa_verdict(call, kOlder), violation.verdict);
  }
}

TEST(PaOlder, ADocumentedCase) {
  run_and_compare(paged_attention(), paged_attention().make_case("PA-13", older().memory()),
                  older());
}

TEST(PaOlder, CachesOfFractalsAreRefusedElsewhere) {
  EXPECT_EQ(pa_verdict(pa_call(with(fractals(), [](Recipe&) {}))), "E_SHAPE");
}

}  // namespace
}  // namespace davsim::test
