// FusedInferAttentionScore v2 in double: the formula of its page, row by row.
//
// Of a large result evenly spread heads and query rows are checked, each over all of its key rows
// and channels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "reference/attention_reference.hpp"
#include "reference/fused_infer_attention_score_v2_view.hpp"
#include "reference/reference.hpp"
#include "reference/rounding.hpp"

namespace davsim::reference {
namespace {

using fused_infer_attention_score::Axes;
using fused_infer_attention_score::Batch;
using fused_infer_attention_score::Mask;
using fused_infer_attention_score::View;
using isa::DType;

constexpr double kInf = std::numeric_limits<double>::infinity();
/// Multiplications beyond which rows are sampled, and numbers read beyond which heads are.
constexpr double kMostMultiplications = 2e8, kMostReads = 6e7;

/// One key/value head of one batch, ready for the query heads that share it.
class Head {
 public:
  Head(const View& view, const Mask& mask, std::int64_t b, std::int64_t g, std::int64_t value_width)
      : view_(view), mask_(mask), b_(b), value_width_(value_width) {
    keys_ = fused_infer_attention_score::kv_matrix(view, "key", b, g, view.query.width);
    values_ = fused_infer_attention_score::kv_matrix(view, "value", b, g, value_width);
    if (view.rope)
      rope_keys_ = fused_infer_attention_score::kv_matrix(view, "key_rope", b, g, kRope);
  }

  AttentionRow row(std::int64_t n, std::int64_t i) const {
    const Batch& batch = view_.batches[static_cast<std::size_t>(b_)];
    const std::int64_t row = batch.first_query_row + i;
    const auto query = numbers("query", view_.query.at(b_, n, row), view_.query.width);
    std::vector<double> rope;
    if (view_.rope) {
      const std::int64_t at = view_.query.at(b_, n, row) / view_.query.width * kRope;
      rope = numbers("query_rope", at, kRope);
    }
    double scale = view_.real("softmax_scale");
    const bool full_quant = view_.tensor("query").dtype() == DType::kI8;
    if (full_quant) {
      const std::int64_t first = view_.tnd ? 0 : b_ * view_.query.rows;
      scale = within_f32(scale * view_.value("dequant_scale_key", 0));
      scale =
          within_f32(scale * view_.value("dequant_scale_query", (first + row) * view_.heads + n));
    }
    std::vector<double> scores;
    for (std::int64_t j = 0; j < batch.kv_rows; ++j) {
      double score = -kInf;
      if (!mask_.hides(b_, i, j)) {
        score = within_f32(scale * (dot(query, keys_, j) + dot(rope, rope_keys_, j)));
        score = within_f32(score + pse(n, i, j));
      }
      scores.push_back(score);
    }
    AttentionRow result = attend(scores, values_, value_width_);
    if (full_quant) {
      for (double& number : result.out) number *= view_.value("dequant_scale_value", 0);
    }
    return result;
  }

 private:
  static constexpr std::int64_t kRope = 64;

  std::vector<double> numbers(const char* name, std::int64_t at, std::int64_t count) const {
    const operators::Tensor& tensor = view_.tensor(name);
    std::vector<double> all;
    for (std::int64_t d = 0; d < count; ++d) all.push_back(element(tensor, at + d));
    return all;
  }
  static double dot(const std::vector<double>& query, const std::vector<double>& keys,
                    std::int64_t j) {
    const double* key = keys.data() + static_cast<std::size_t>(j) * query.size();
    double sum = 0;
    for (std::size_t d = 0; d < query.size(); ++d) sum += query[d] * key[d];
    return sum;
  }
  double pse(std::int64_t n, std::int64_t i, std::int64_t j) const {
    if (!view_.has("pse_shift")) return 0;
    const operators::Shape& shape = view_.tensor("pse_shift").shape();
    const std::int64_t b = shape[0] == 1 ? 0 : b_;
    return view_.value("pse_shift", ((b * shape[1] + n) * shape[2] + i) * shape[3] + j);
  }

  const View& view_;
  const Mask& mask_;
  std::int64_t b_, value_width_;
  std::vector<double> keys_, values_, rope_keys_;
};

/// Angle between what a row is and what it should be. Numbers that are not finite have none; the
/// comparison element by element looks at them.
class Cosine {
 public:
  void add(double actual, double expected) {
    if (!std::isfinite(actual) || !std::isfinite(expected)) return;
    product_ += actual * expected;
    actual_ += actual * actual;
    expected_ += expected * expected;
  }
  /// 1 for two rows of zeros.
  double value() const {
    if (actual_ == 0 && expected_ == 0) return 1;
    return product_ / std::sqrt(actual_ * expected_);
  }

 private:
  double product_ = 0, actual_ = 0, expected_ = 0;
};

Tolerance out_tolerance(const View& view, DType out) {
  if (out == DType::kI8) return {.atol = 1, .outside_share = 0.005, .atol_limit = 2};
  if (view.tensor("query").dtype() == DType::kI8) return {.rtol = 1e-2, .atol = 1.2e-2};
  if (out == DType::kF16) return {.rtol = 2e-3, .atol = 1e-3};
  return {.rtol = 0x1p-6, .atol = 2e-3};
}

Tolerance lse_tolerance(const View& view) {
  const DType kv = view.of_batch("key", 0).dtype();
  if (kv == DType::kI8 || kv == DType::kI32) return {.rtol = 1e-3, .atol = 1e-2};
  return {.rtol = 1e-4, .atol = 1e-4};
}

/// Judges the rows of one call.
class Judge {
 public:
  Judge(const operators::Call& call, const operators::TensorMap& outputs)
      : view_(call),
        mask_(view_),
        out_(outputs.at("attention_out")),
        lse_(view_.flag("return_softmax_lse") ? &outputs.at("softmax_lse") : nullptr),
        out_compare_("attention_out", out_tolerance(view_, out_.dtype())),
        lse_compare_("softmax_lse", lse_tolerance(view_)) {
    const std::int64_t rows = view_.query.rows;
    if (view_.out == "BSH") value_width_ = out_.shape()[2] / view_.heads;
    if (view_.out != "BSH") value_width_ = out_.shape().back();
    out_axes_ = {view_.out, view_.query.batch, view_.heads, rows, value_width_};
    sample();
  }

  std::vector<Comparison> judge() {
    const std::int64_t group = view_.heads / view_.kv_heads;
    const auto batches = static_cast<std::int64_t>(view_.batches.size());
    for (const std::int64_t pair : spread(batches * view_.kv_heads, most_heads_)) {
      const std::int64_t b = pair / view_.kv_heads, g = pair % view_.kv_heads;
      const Batch& batch = view_.batches[static_cast<std::size_t>(b)];
      const Head head(view_, mask_, b, g, value_width_);
      for (const std::int64_t at : spread(group * batch.query_rows, most_rows_)) {
        const std::int64_t n = g * group + at % group, i = at / group;
        compare(b, n, i, head.row(n, i));
      }
      if (!view_.tnd) compare_padding(b, g * group, group);
    }
    std::vector<Comparison> comparisons = {out_compare_.result()};
    if (lse_ != nullptr) comparisons.push_back(lse_compare_.result());
    return comparisons;
  }

 private:
  void sample() {
    const auto batches = static_cast<double>(view_.batches.size());
    double reads = 0, multiplications = 0;
    for (const Batch& batch : view_.batches) {
      const double per_row = static_cast<double>(batch.kv_rows) *
                             static_cast<double>(view_.query.width + value_width_);
      reads += per_row * static_cast<double>(view_.kv_heads);
      multiplications += per_row * static_cast<double>(view_.heads * batch.query_rows);
    }
    const double pairs = batches * static_cast<double>(view_.kv_heads);
    const double heads_share = std::min(1.0, kMostReads / std::max(reads, 1.0));
    most_heads_ = static_cast<std::int64_t>(std::max(2.0, pairs * heads_share));
    const double taken = multiplications * heads_share;
    if (taken <= kMostMultiplications) return;
    const double rows = static_cast<double>(view_.heads / view_.kv_heads * view_.query.rows);
    most_rows_ = static_cast<std::int64_t>(std::max(4.0, rows * kMostMultiplications / taken));
  }

  std::int64_t lse_at(std::int64_t b, std::int64_t n, std::int64_t row) const {
    return view_.tnd ? row * view_.heads + n : (b * view_.heads + n) * view_.query.rows + row;
  }

  void compare(std::int64_t b, std::int64_t n, std::int64_t i, const AttentionRow& expected,
               bool padding = false) {
    const std::int64_t row = view_.batches[static_cast<std::size_t>(b)].first_query_row + i;
    const std::int64_t at = out_axes_.at(b, n, row);
    Cosine cosine;
    for (std::int64_t d = 0; d < value_width_; ++d) {
      const double number = expected.out[static_cast<std::size_t>(d)];
      const double actual = element(out_, at + d);
      out_compare_.add(at + d, actual, padding ? 0 : as_output(number, n, d));
      cosine.add(actual, number);
    }
    if (view_.tensor("query").dtype() == DType::kI8 && !(cosine.value() > 0.999)) {
      out_compare_.fail("the cosine of batch " + std::to_string(b) + ", head " + std::to_string(n) +
                        ", row " + std::to_string(i) + " is " + std::to_string(cosine.value()));
    }
    if (lse_ == nullptr) return;
    const std::int64_t index = lse_at(b, n, row);
    lse_compare_.add(index, element(*lse_, index), expected.lse);
  }

  /// Rows that a batch has beyond its length.
  void compare_padding(std::int64_t b, std::int64_t first_head, std::int64_t heads) {
    const std::int64_t length = view_.batches[static_cast<std::size_t>(b)].query_rows;
    AttentionRow nothing;
    nothing.out.resize(static_cast<std::size_t>(value_width_));
    nothing.lse = kInf;
    const std::int64_t padding = (view_.query.rows - length) * heads;
    for (const std::int64_t at : spread(padding, most_rows_)) {
      compare(b, first_head + at % heads, length + at / heads, nothing, true);
    }
  }

  double as_output(double number, std::int64_t n, std::int64_t d) const {
    if (out_.dtype() != DType::kI8) return number;
    const bool single = view_.tensor("quant_scale_out").elements() == 1;
    const std::int64_t channel = single ? 0 : n * value_width_ + d;
    double scaled = number * view_.value("quant_scale_out", channel);
    if (view_.has("quant_offset_out")) scaled += view_.value("quant_offset_out", channel);
    if (std::isnan(scaled)) return 0;
    return std::clamp(std::nearbyint(scaled), -128.0, 127.0);
  }

  View view_;
  Mask mask_;
  const operators::Tensor& out_;
  const operators::Tensor* lse_;
  Axes out_axes_;
  std::int64_t value_width_ = 0;
  std::int64_t most_heads_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_rows_ = std::numeric_limits<std::int64_t>::max();
  Comparer out_compare_, lse_compare_;
};

Comparison missing(const std::string& name) {
  Comparer comparer(name, {});
  comparer.fail("it is missing");
  return comparer.result();
}

class FusedInferAttentionScoreReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call, const operators::TensorMap&,
                                          const operators::TensorMap& outputs) const override {
    if (!outputs.contains("attention_out")) return {missing("attention_out")};
    if (!outputs.contains("softmax_lse")) return {missing("softmax_lse")};
    if (call.tensors.at("query").empty()) {
      return {compare("attention_out", outputs.at("attention_out"), {}, {})};
    }
    auto comparisons = Judge(call, outputs).judge();
    if (comparisons.size() == 1) {
      comparisons.push_back(compare("softmax_lse", outputs.at("softmax_lse"), {0}, {}));
    }
    return comparisons;
  }
};

const ReferenceRegistrar registrar("fused_infer_attention_score_v2",
                                   std::make_unique<FusedInferAttentionScoreReference>());

}  // namespace
}  // namespace davsim::reference
