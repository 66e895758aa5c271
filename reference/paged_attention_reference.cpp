// PagedAttention in double: the formula of its page, row by row.
//
// Of a large result evenly spread sequences and rows are checked, each over all of its key rows and
// channels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "reference/attention_reference.hpp"
#include "reference/paged_attention_view.hpp"
#include "reference/reference.hpp"
#include "reference/rounding.hpp"

namespace davsim::reference {
namespace {

using paged_attention::Sequence;
using paged_attention::View;

/// Multiplications beyond which rows are sampled, and numbers read beyond which sequences are.
constexpr double kMostMultiplications = 2e8, kMostReads = 6e7;

/// The two rules that a result has to pass together: a limit for every element, and a narrower one
/// that a small share may leave.
class TwoRules {
 public:
  TwoRules(isa::DType type, bool long_sums, bool int8)
      : limit_(limit(type, long_sums)),
        all_("attnOut", {}),
        most_("attnOut", {.outside_share = int8 || type == isa::DType::kBF16 ? 0.005 : 0.001}) {}

  void add(std::int64_t element, double actual, double expected) {
    all_.add(element, actual, expected, limit_ * std::max(1.0, std::abs(expected)));
    most_.add(element, actual, expected, std::max(0.005 * std::abs(expected), 0.005));
  }
  Comparison result() const {
    const Comparison all = all_.result(), most = most_.result();
    return all.passed ? most : all;
  }

 private:
  static double limit(isa::DType type, bool long_sums) {
    const double limit = type == isa::DType::kBF16 ? 0x1p-7 : 0x1p-8;
    return long_sums ? 2 * limit : limit;
  }

  double limit_;
  Comparer all_, most_;
};

class Judge {
 public:
  Judge(const operators::Call& call, const operators::Tensor& out)
      : view_(call),
        out_(out),
        rules_(out.dtype(), view_.value_width * view_.most_context + 4 >= 2048, view_.quant != 0) {
    scale_ = view_.real("qkScale");
    const double query_scale = view_.real("qScale") != 0 ? view_.real("qScale") : 1;
    // An offset is added to scores whose query is scaled already; else both scales are one.
    if (view_.has("razorOffset")) {
      query_factor_ = query_scale;
    } else {
      scale_ = within_f32(scale_ * query_scale);
    }
  }

  Comparison judge() {
    // Pairs of a sequence and a kv head; with razor the one says the other.
    const auto sequences = static_cast<std::int64_t>(view_.sequences.size());
    const std::int64_t heads = view_.razor ? 1 : view_.kv_heads;
    sample();
    for (const std::int64_t pair : spread(sequences * heads, most_pairs_)) {
      const Sequence& sequence = view_.sequences[static_cast<std::size_t>(pair / heads)];
      const std::int64_t head =
          view_.razor ? sequence.index % view_.kv_heads : pair % view_.kv_heads;
      judge_head(sequence, head);
    }
    return rules_.result();
  }

 private:
  void sample() {
    double reads = 0, multiplications = 0;
    for (const Sequence& sequence : view_.sequences) {
      const double each = static_cast<double>(sequence.context) *
                          static_cast<double>(view_.key_width + view_.value_width);
      const auto heads = static_cast<double>(view_.razor ? 1 : view_.kv_heads);
      reads += each * heads;
      multiplications += each * heads * static_cast<double>(view_.group * sequence.rows);
    }
    const double heads = static_cast<double>(view_.razor ? 1 : view_.kv_heads);
    const double pairs = static_cast<double>(view_.sequences.size()) * heads;
    const double share = std::min(1.0, kMostReads / std::max(1.0, reads));
    most_pairs_ = static_cast<std::int64_t>(std::max(2.0, pairs * share));
    const double taken = multiplications * share;
    if (taken > kMostMultiplications) row_share_ = kMostMultiplications / taken;
  }

  void judge_head(const Sequence& sequence, std::int64_t kv_head) {
    const std::vector<double> keys = view_.rows_of(true, sequence, kv_head);
    const std::vector<double> values = view_.rows_of(false, sequence, kv_head);
    const std::int64_t rows = view_.group * sequence.rows;
    const double most = std::max(4.0, static_cast<double>(rows) * row_share_);
    for (const std::int64_t at : spread(rows, static_cast<std::int64_t>(most))) {
      const std::int64_t in_group = at % view_.group, row = at / view_.group;
      const std::int64_t head = kv_head * view_.group + in_group;
      compare(sequence, row, in_group, head, result(sequence, row, head, keys, values));
    }
  }

  /// Place of a row among the rows of all heads, in query and attnOut.
  std::int64_t place(const Sequence& sequence, std::int64_t row, std::int64_t in_group,
                     std::int64_t head) const {
    const std::int64_t running = sequence.first_row + row;
    return view_.razor ? running * view_.group + in_group : running * view_.heads + head;
  }

  AttentionRow result(const Sequence& sequence, std::int64_t row, std::int64_t head,
                      const std::vector<double>& keys, const std::vector<double>& values) const {
    double scale = scale_;
    if (view_.has("logN")) scale = within_f32(scale * view_.value("logN", sequence.index));
    if (view_.quant > 1) scale = within_f32(scale * view_.value("kDescale", head));
    const std::int64_t width = view_.key_width;
    const std::int64_t query = place(sequence, row, head % view_.group, head) * width;
    std::vector<double> q, scores;
    for (std::int64_t d = 0; d < width; ++d) q.push_back(view_.value("query", query + d));
    for (std::int64_t j = 0; j < sequence.context; ++j) {
      double sum = 0;
      const double* key = keys.data() + j * width;
      for (std::size_t d = 0; d < q.size(); ++d) sum += q[d] * key[d];
      sum = within_f32(within_f32(sum * query_factor_) + view_.offset(sequence, j));
      scores.push_back(within_f32(within_f32(scale * sum) + view_.mask(sequence, row, head, j)));
    }
    if (view_.quant < 2) return attend(scores, values, view_.value_width);
    Int8Probabilities how;
    if (view_.quant == 2) how.factor = view_.value("pScale", head);
    AttentionRow out = attend_int8(scores, values, view_.value_width, how);
    for (double& number : out.out) number *= view_.value("vDescale", head);
    return out;
  }

  void compare(const Sequence& sequence, std::int64_t row, std::int64_t in_group, std::int64_t head,
               const AttentionRow& expected) {
    const std::int64_t first = place(sequence, row, in_group, head) * view_.value_width;
    for (std::int64_t d = 0; d < view_.value_width; ++d) {
      rules_.add(first + d, element(out_, first + d), expected.out[static_cast<std::size_t>(d)]);
    }
  }

  View view_;
  const operators::Tensor& out_;
  TwoRules rules_;
  double scale_ = 1, query_factor_ = 1;
  std::int64_t most_pairs_ = 0;
  double row_share_ = 1;
};

class PagedAttentionReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call, const operators::TensorMap&,
                                          const operators::TensorMap& outputs) const override {
    const auto out = outputs.find("attnOut");
    if (out == outputs.end()) return {compare_named(outputs, "attnOut", {}, {})};
    return {Judge(call, out->second).judge()};
  }
};

const ReferenceRegistrar registrar("paged_attention", std::make_unique<PagedAttentionReference>());

}  // namespace
}  // namespace davsim::reference
