// What features of paged_attention may be combined, cell by cell of its compatibility table: what
// may is computed and compared with the reference, what may not is refused with its class.
#include <gtest/gtest.h>

#include "tests/operators/paged_attention_call.hpp"

namespace davsim::test {
namespace {

using isa::DType;

/// One cell: runs, or is refused with a class after `change`, which asks for the other feature.
struct Cell {
  const char* what;
  Recipe recipe;
  const char* verdict = "accepted";
  CallChange change{};
};

void walk(const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    SCOPED_TRACE(cell.what);
    operators::Call call = pa_call(cell.recipe);
    if (cell.change) cell.change(call);
    ASSERT_EQ(pa_verdict(call), cell.verdict);
    if (std::string(cell.verdict) == "accepted") pa_run_and_compare(call);
  }
}

CallChange batch_run(std::int64_t batches) {
  return both(attribute("batchRunStatusEnable", true),
              put("batchRunStatus", DType::kI32, {batches}));
}
CallChange logn(std::int64_t batches) {
  return both(attribute("scaleType", 1), put("logN", DType::kF32, {batches}));
}
/// Every row of a batch from the qSeqLens of a recipe's rows.
CallChange parallel(std::int64_t batches) {
  return both(attribute("calcType", 1), put("qSeqLens", DType::kI32, {batches}));
}

TEST(PaScenes, Base) {
  walk({
      {"f16", pa_base()},
      {"bf16", pa_base(DType::kBF16)},
      {"one kv head", with(pa_base(), [](Recipe& r) { r.kv_heads = 1; })},
      {"every head its own", with(pa_base(), [](Recipe& r) { r.kv_heads = 4; })},
      {"qScale", with(pa_base(), [](Recipe& r) { r.query_scale = 0.5; })},
      {"qScale off", with(pa_base(), [](Recipe& r) { r.query_scale = 0; })},
      {"negative scale", with(pa_base(), [](Recipe& r) { r.scale = -0.3; })},
  });
}

TEST(PaScenes, Masks) {
  walk({
      {"norm", pa_masked(pa_base(), "norm")},
      {"norm bf16", pa_masked(pa_base(DType::kBF16), "norm")},
      {"norm, one row for all", pa_masked(pa_base(), "norm shared")},
      {"norm, a row a head", pa_masked(pa_base(), "norm heads")},
      {"norm, a square", pa_masked(pa_base(), "norm square"), "E_SHAPE"},
      {"alibi", pa_masked(pa_base(), "alibi")},
      {"alibi bf16", pa_masked(pa_base(DType::kBF16), "alibi")},
      {"alibi, for all batches", pa_masked(pa_base(), "alibi heads")},
      {"spec", pa_base(), "E_ATTR",
       both(attribute("maskType", 3), put("mask", DType::kF16, {3, 160}))},
      {"mask free", pa_base(), "E_ATTR", attribute("maskType", 4)},
      {"norm compress", pa_base(), "E_ATTR", attribute("maskType", 5)},
  });
}

TEST(PaScenes, BatchRun) {
  walk({
      {"alone", pa_stopped(pa_base())},
      {"norm", pa_stopped(pa_masked(pa_base(), "norm"))},
      {"alibi", pa_stopped(pa_masked(pa_base(), "alibi"))},
      {"razor alibi", with(pa_masked(pa_razor(), "alibi"),
                           [](Recipe& r) {
                             r.batch_run = true;
                             r.contexts[2] = r.contexts[3] = 0;
                           })},
      {"razor rope", pa_razor(2), "E_ATTR", batch_run(6)},
      {"SPEC", pa_parallel(), "E_ATTR", batch_run(3)},
      {"dequant", pa_stopped(pa_dequant())},
      {"full quant", pa_stopped(pa_full_quant(3))},
      {"LOGN", pa_stopped(pa_logn())},
      {"BNSD", pa_stopped(pa_bnsd())},
      {"merged", pa_stopped(pa_merged())},
      {"merged SPEC", pa_merged_parallel(), "E_ATTR", batch_run(3)},
      {"separate", pa_stopped(pa_separate())},
  });
}

TEST(PaScenes, Razor) {
  walk({
      {"alone", pa_razor()},
      {"alibi", pa_masked(pa_razor(), "alibi")},
      {"alibi for all tokens", pa_masked(pa_razor(), "alibi heads")},
      {"norm", pa_masked(pa_razor(), "norm")},
      {"norm, a row a head", pa_masked(pa_razor(), "norm heads")},
      {"SPEC", pa_razor(), "E_ATTR", both(parallel(6), attribute("maskType", 3))},
      {"dequant", with(pa_razor(), [](Recipe& r) { r.quant = 1, r.offsets = true; })},
      {"dequant alibi", with(pa_masked(pa_razor(), "alibi"), [](Recipe& r) { r.quant = 1; })},
      {"full quant", pa_razor(), "E_ATTR", attribute("quantType", 3)},
      {"LOGN", pa_razor(), "E_ATTR", logn(6)},
      {"BNSD", pa_razor(), "E_ATTR", attribute("inputLayout", 1)},
      {"merged", pa_razor(), "E_ATTR", attribute("mlaVHeadSize", 64)},
      {"separate", with(pa_razor(), [](Recipe& r) { r.value_width = 48; }), "E_SHAPE"},
  });
}

TEST(PaScenes, RazorRope) {
  walk({
      {"alone", pa_razor(2)},
      {"bf16", with(pa_razor(2), [](Recipe& r) { r.type = DType::kBF16; })},
      {"qScale", with(pa_razor(2), [](Recipe& r) { r.query_scale = 0.125; })},
      {"alibi", pa_masked(pa_razor(2), "alibi"), "E_ATTR"},
      {"SPEC", pa_razor(2), "E_ATTR", both(parallel(6), attribute("maskType", 3))},
      {"dequant", with(pa_razor(2), [](Recipe& r) { r.quant = 1; }), "E_ATTR"},
      {"full quant", pa_razor(2), "E_ATTR", attribute("quantType", 2)},
      {"LOGN", pa_razor(2), "E_ATTR", logn(6)},
      {"BNSD", pa_razor(2), "E_ATTR", attribute("inputLayout", 1)},
      {"merged", pa_razor(2), "E_ATTR", attribute("mlaVHeadSize", 64)},
      {"separate", with(pa_razor(2), [](Recipe& r) { r.value_width = 48; }), "E_SHAPE"},
  });
}

TEST(PaScenes, Parallel) {
  const auto without = [](Recipe& r) { r.mask = ""; };
  walk({
      {"spec mask", pa_parallel()},
      {"spec mask bf16", pa_parallel(DType::kBF16)},
      {"norm, a square", pa_masked(pa_parallel(), "norm square")},
      {"norm, a square a batch", pa_masked(pa_parallel(), "norm squares")},
      {"norm, a row a batch", pa_masked(pa_parallel(), "norm"), "E_SHAPE"},
      {"alibi", pa_masked(pa_parallel(), "alibi"), "E_ATTR"},
      {"no mask", with(pa_parallel(), without), "E_ATTR"},
      {"a batch without context", with(pa_parallel(), [](Recipe& r) { r.contexts[1] = 0; })},
      {"dequant", with(pa_parallel(), [](Recipe& r) { r.quant = 1; }), "E_ATTR"},
      {"full quant", with(pa_parallel(), [](Recipe& r) { r.quant = 3; }), "E_ATTR"},
      {"LOGN", pa_parallel(), "E_ATTR", logn(3)},
      {"BNSD", pa_parallel(), "E_ATTR", attribute("inputLayout", 1)},
      {"merged", pa_merged_parallel()},
      {"merged bf16", pa_merged_parallel(DType::kBF16)},
      {"merged without mask", with(pa_merged_parallel(), without)},
      {"merged, norm", pa_masked(pa_merged_parallel(), "norm square"), "E_ATTR"},
      {"separate", with(pa_parallel(), [](Recipe& r) { r.value_width = 48; }), "E_SHAPE"},
  });
}

TEST(PaScenes, DequantFusion) {
  walk({
      {"offsets", pa_dequant()},
      {"no offsets", pa_dequant(false)},
      {"bf16", with(pa_dequant(), [](Recipe& r) { r.type = DType::kBF16; })},
      {"int64", with(pa_dequant(), [](Recipe& r) { r.wide_descales = true; })},
      {"int64 bf16",
       with(pa_dequant(), [](Recipe& r) { r.wide_descales = true, r.type = DType::kBF16; }),
       "E_DTYPE"},
      {"int64, wide pages",
       with(pa_dequant(), [](Recipe& r) { r.wide_descales = true, r.page_rows = 128; }), "E_SHAPE"},
      {"norm", pa_masked(pa_dequant(), "norm")},
      {"alibi", pa_masked(pa_dequant(), "alibi")},
      {"LOGN", pa_dequant(), "E_ATTR", logn(3)},
      {"BNSD", pa_dequant(), "E_ATTR", attribute("inputLayout", 1)},
      {"merged", with(pa_merged(), [](Recipe& r) { r.quant = 1; }), "E_ATTR"},
      {"separate", with(pa_dequant(), [](Recipe& r) { r.value_width = 32; }), "E_SHAPE"},
  });
}

TEST(PaScenes, FullQuant) {
  walk({
      {"offline", pa_full_quant(2)},
      {"offline bf16", pa_full_quant(2, DType::kBF16)},
      {"online", pa_full_quant(3)},
      {"online bf16", pa_full_quant(3, DType::kBF16)},
      {"norm", pa_masked(pa_full_quant(3), "norm")},
      {"alibi", pa_masked(pa_full_quant(2, DType::kBF16), "alibi")},
      {"LOGN", pa_full_quant(3), "E_ATTR", logn(3)},
      {"BNSD", pa_full_quant(3), "E_ATTR", attribute("inputLayout", 1)},
      {"offsets", pa_full_quant(2), "E_ATTR", attribute("hasQuantOffset", true)},
      {"merged offline", with(pa_merged(), [](Recipe& r) { r.quant = 2; })},
      {"merged online", with(pa_merged(DType::kBF16), [](Recipe& r) { r.quant = 3; })},
      {"separate", with(pa_full_quant(3), [](Recipe& r) { r.value_width = 32; }), "E_SHAPE"},
  });
}

TEST(PaScenes, Logn) {
  walk({
      {"alone", pa_logn()},
      {"bf16", with(pa_logn(), [](Recipe& r) { r.type = DType::kBF16; })},
      {"norm", pa_masked(pa_logn(), "norm")},
      {"alibi", pa_masked(pa_logn(), "alibi")},
      {"BNSD", pa_logn(), "E_ATTR", attribute("inputLayout", 1)},
      {"merged", pa_merged(), "E_ATTR", logn(3)},
      {"separate", pa_separate(), "E_SHAPE", logn(3)},
  });
}

TEST(PaScenes, Bnsd) {
  walk({
      {"alone", pa_bnsd()},
      {"norm", pa_masked(pa_bnsd(), "norm")},
      {"alibi", pa_masked(pa_bnsd(), "alibi")},
      {"merged", pa_merged(), "E_ATTR", attribute("inputLayout", 1)},
      {"separate", with(pa_separate(), [](Recipe& r) { r.bnsd = true; }), "E_SHAPE"},
  });
}

TEST(PaScenes, Latent) {
  walk({
      {"merged", pa_merged()},
      {"merged bf16", pa_merged(DType::kBF16)},
      {"merged, norm", pa_masked(pa_merged(), "norm")},
      {"merged, alibi", pa_masked(pa_merged(), "alibi"), "E_ATTR"},
      {"merged, all of the key", with(pa_merged(), [](Recipe& r) { r.value_width = 576; })},
      {"merged, narrow", with(pa_merged(), [](Recipe& r) { r.width = 128, r.value_width = 64; })},
      {"separate", pa_separate()},
      {"separate, norm", pa_masked(pa_separate(), "norm")},
      {"separate, alibi", pa_masked(pa_separate(), "alibi")},
      {"separate, wide",
       with(pa_separate(), [](Recipe& r) { r.width = 576, r.value_width = 512; })},
      {"separate, equal widths",
       with(pa_separate(), [](Recipe& r) { r.width = r.value_width = 512; })},
  });
}

}  // namespace
}  // namespace davsim::test
