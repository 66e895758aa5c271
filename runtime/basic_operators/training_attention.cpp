#include "runtime/basic_operators/training_attention.hpp"

#include <bit>
#include <limits>

#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/products.hpp"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/basic_operators/softmax.hpp"

namespace davsim::basic {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// [batch, heads of keys, heads for each, ...]
View grouped(const View& view, std::int64_t heads_of_keys) {
  return divided(view, 1, heads_of_keys == 0 ? 0 : view.sizes[1] / heads_of_keys);
}

/// A band of keys around each query, which is `shift` keys behind its own number.
struct Band {
  std::int64_t shift, before, behind;

  bool hides(std::int64_t row, std::int64_t column) const {
    const std::int64_t distance = column - row - shift;
    return distance > behind || -distance > before;
  }
  bool hides_any(std::int64_t rows, std::int64_t columns) const {
    return columns - 1 - shift > behind || rows - 1 + shift > before;
  }
};

const aclTensor* outside_of(WorkList& work, const Band& band, std::int64_t rows,
                            std::int64_t columns) {
  const aclTensor* const hidden = temporary(work, ge::DT_BOOL, {rows, columns});
  make_elements(work, *hidden, [band, columns](std::uint64_t i) {
    const auto at = static_cast<std::int64_t>(i);
    return std::int64_t{band.hides(at / columns, at % columns) ? 1 : 0};
  });
  return hidden;
}

/// Of queries and keys, or null if all are seen. In the modes 2 to 4 the mask is of a square that
/// stands for all sizes, so that only the mode counts.
const aclTensor* hidden_of(WorkList& work, const Hidden& hidden, std::int64_t rows,
                           std::int64_t columns) {
  if (hidden.mask == nullptr) return nullptr;
  constexpr std::int64_t kAll = std::numeric_limits<std::int32_t>::max();
  const std::int64_t last = columns - rows;  // the last query is beside the last key
  if (hidden.mode == 2) return outside_of(work, {0, kAll, 0}, rows, columns);
  if (hidden.mode == 3) return outside_of(work, {last, kAll, 0}, rows, columns);
  if (hidden.mode == 4) {
    return outside_of(work, {last, hidden.before, hidden.behind}, rows, columns);
  }
  View mask = view_of(*hidden.mask);
  // Sequences of several lengths have a mask of the longest ones.
  if (mask.rank() == 2) {
    mask.sizes[0] = std::min(mask.sizes[0], rows);
    mask.sizes[1] = std::min(mask.sizes[1], columns);
  }
  const aclTensor* const given = tensor_of(work, mask);
  const Band band{0, hidden.before, hidden.behind};
  if (hidden.mode == 1 || !band.hides_any(rows, columns)) return given;
  const aclTensor* const both = temporary(work, ge::DT_BOOL, given->GetViewShape());
  add_pointwise(work, {.op = PointwiseOp::kLogicalOr,
                       .operands = {{given, "attenMaskOptional"},
                                    {outside_of(work, band, rows, columns), "attenMaskOptional"}},
                       .out = both,
                       .result = ResultType::kBool});
  return both;
}

/// The greatest score, or the sum of exponentials, of each row into eight elements.
void add_statistics(WorkList& work, const aclTensor& values, const View& out) {
  const aclTensor* const rows = reshaped(work, values, {out.sizes[0], out.sizes[1], out.sizes[2]});
  Moves moves(work);
  moves.copy(out, with_repeats(view_of(*rows), 3, out.sizes[3]));
  moves.finish();
}

/// Scores of all rows, [batch, heads, queries, keys].
const aclTensor* scores_of(WorkList& work, const TrainingAttention& call, const View& query,
                           const View& key, const aclTensor* hidden) {
  const std::int64_t rows = query.sizes[3], columns = key.sizes[3];
  const aclTensor* const products = temporary(
      work, ge::DT_FLOAT, {query.sizes[0], query.sizes[1], query.sizes[2], rows, columns});
  add_product(work, {tensor_of(work, query), "query"},
              {tensor_of(work, permuted(key, {0, 1, 2, 4, 3})), "key"}, *products);
  const aclTensor* const scores =
      reshaped(work, *products, {call.query.sizes[0], call.query.sizes[1], rows, columns});
  if (call.pse != nullptr) {
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{scores, "query"}, {call.pse, "realShiftOptional"}},
                         .out = scores,
                         .out_name = "query times key",
                         .a = 1});
  }
  add_pointwise(work, {.op = PointwiseOp::kMul,
                       .operands = {{scores, "query"}, Operand(call.scale)},
                       .out = scores});
  if (hidden == nullptr) return scores;
  add_pointwise(
      work,
      {.op = PointwiseOp::kWhere,
       .operands = {Operand(kMinusInfinity), {scores, "query"}, {hidden, "attenMaskOptional"}},
       .out = scores,
       .out_name = "query times key",
       .type = ge::DT_FLOAT});
  return scores;
}

/// The softmax of scores, and 0 for rows without a key.
const aclTensor* shares_of(WorkList& work, const aclTensor& scores, const aclTensor* hidden) {
  const aclTensor* const shares = temporary(work, ge::DT_FLOAT, scores.GetViewShape());
  add_softmax(work, scores, rows_along(scores, {-1}, "query"), false, *shares);
  if (hidden == nullptr) return shares;
  add_pointwise(work, {.op = PointwiseOp::kWhere,
                       .operands = {Operand(0.0), {shares, "query"}, {hidden, "attenMaskOptional"}},
                       .out = shares,
                       .type = ge::DT_FLOAT});
  return shares;
}

/// The greatest share of a row is that of the exponential of 0, one of the sum.
const aclTensor* sums_of(WorkList& work, const aclTensor& shares) {
  const aclTensor* const greatest = reduced(work, shares, {.op = Arithmetic::kMax}, ge::DT_FLOAT);
  const aclTensor* const sums = temporary(work, ge::DT_FLOAT, greatest->GetViewShape());
  add_pointwise(work,
                {.op = PointwiseOp::kReciprocal, .operands = {{greatest, "query"}}, .out = sums});
  add_pointwise(work, {.op = PointwiseOp::kNanToNum,
                       .operands = {{sums, "query"}},
                       .out = sums,
                       .a = std::numeric_limits<double>::quiet_NaN()});
  return sums;
}

void add_without_keys(WorkList& work, const TrainingAttention& call) {
  for (const auto& [view, value] :
       {std::pair{&call.out, 0.0F}, {&call.sums, 0.0F}, {&call.greatest, kMinusInfinity}}) {
    Moves moves(work);
    moves.fill(*view, std::bit_cast<std::uint32_t>(value));
    moves.finish();
  }
}

}  // namespace

void add_training_attention(WorkList& work, const TrainingAttention& call) {
  if (call.greatest.elements() == 0) return;
  const std::int64_t heads = call.key.sizes[1], keys = call.key.sizes[2];
  if (keys == 0) return add_without_keys(work, call);
  const std::int64_t rows = call.greatest.elements() / call.greatest.sizes[3];
  const aclTensor* const hidden = hidden_of(work, call.hidden, call.query.sizes[2], keys);
  const View query = grouped(call.query, heads), key = grouped(call.key, heads);
  const aclTensor* const scores = scores_of(work, call, query, key, hidden);
  const aclTensor* const in_rows = reshaped(work, *scores, {rows, keys});
  add_statistics(work, *reduced(work, *in_rows, {.op = Arithmetic::kMax}, ge::DT_FLOAT),
                 call.greatest);
  const aclTensor* const shares = shares_of(work, *scores, hidden);
  add_statistics(work, *sums_of(work, *reshaped(work, *shares, {rows, keys})), call.sums);
  const DataType type = call.query.of->GetDataType();
  const aclTensor* factor = shares;
  if (type != ge::DT_FLOAT) {
    factor = temporary(work, type, shares->GetViewShape());
    add_cast(work, *shares, *factor);
  }
  const Shape shape{query.sizes[0], query.sizes[1], query.sizes[2], query.sizes[3], keys};
  add_product(work, {reshaped(work, *factor, shape), "query"},
              {tensor_of(work, grouped(call.value, heads)), "value"},
              *tensor_of(work, grouped(call.out, heads)));
}

namespace {

void add_zeros(WorkList& work, const View& view) {
  Moves moves(work);
  moves.fill(view, 0);
  moves.finish();
}

/// All rows of the heads that share their keys: [batch, heads of keys, rows, size], in float.
const aclTensor* rows_of_heads(WorkList& work, const View& view, std::int64_t heads) {
  const aclTensor* const elements = as(work, *tensor_of(work, view), ge::DT_FLOAT);
  const std::int64_t rows = heads == 0 ? 0 : view.sizes[1] / heads * view.sizes[2];
  return reshaped(work, *elements, {view.sizes[0], heads, rows, view.sizes[3]});
}

/// The shares of the scores by the statistics that the function has given.
Operand given_shares(WorkList& work, Formula& f, const TrainingAttention& call,
                     const aclTensor* hidden) {
  const std::int64_t heads = call.key.sizes[1];
  const Operand scores(
      scores_of(work, call, grouped(call.query, heads), grouped(call.key, heads), hidden), "query");
  const Operand greatest(tensor_of(work, narrowed(call.greatest, 3, 0, 1)), "softmaxMaxOptional");
  const Operand sums(tensor_of(work, narrowed(call.sums, 3, 0, 1)), "softmaxSumOptional");
  const Operand powers = f.of(PointwiseOp::kExp, f.less(scores, greatest));
  const Operand shares = f.over(powers, sums);
  if (hidden == nullptr) return shares;
  return f.choose({hidden, "attenMaskOptional"}, Operand(0.0), shares);
}

/// out = factor^T x rows, or factor x rows, of [batch, heads, ...] in float.
void add_head_products(WorkList& work, const aclTensor& factor, bool turned, const aclTensor& rows,
                       const View& out) {
  const aclTensor* const left = turned ? transposed(work, factor, 2, 3) : &factor;
  Shape shape = left->GetViewShape();
  shape.SetDim(3, rows.GetViewShape().GetDim(3));
  const aclTensor* const made = temporary(work, ge::DT_FLOAT, shape);
  add_product(work, {left, "query"}, {&rows, "key"}, *made);
  add_cast(work, *reshaped(work, *made, shape_of(out.sizes)), *tensor_of(work, out));
}

/// The sums of gradients of scores over what the shift of scores is repeated for.
void add_shift_gradient(WorkList& work, const aclTensor& scores, const aclTensor& out) {
  const Shape& all = scores.GetViewShape();
  const std::size_t missing = all.GetDimNum() - out.GetViewShape().GetDimNum();
  std::vector<std::int64_t> dims;
  for (std::size_t d = 0; d < all.GetDimNum(); ++d) {
    const bool repeats = d < missing || out.GetViewShape().GetDim(d - missing) != all.GetDim(d);
    if (repeats) dims.push_back(static_cast<std::int64_t>(d));
  }
  if (dims.empty()) return add_cast(work, scores, out);
  const RowView view = rows_along(scores, dims, "query");
  const aclTensor* const rows = rows_to_reduce(work, scores, view, ge::DT_FLOAT);
  const aclTensor* const sums = reduced(work, *rows, {}, ge::DT_FLOAT);
  add_cast(work, *reshaped(work, *sums, out.GetViewShape()), out);
}

}  // namespace

void add_training_attention_gradient(WorkList& work, const TrainingAttentionGradient& call) {
  const TrainingAttention& of = call.of;
  const std::int64_t heads = of.key.sizes[1], queries = of.query.sizes[2], keys = of.key.sizes[2];
  if (of.query.sizes[0] == 0 || queries == 0 || keys == 0) {
    for (const View* const view : {&call.query, &call.key, &call.value}) add_zeros(work, *view);
    if (call.pse != nullptr) add_zeros(work, view_of(*call.pse));
    return;
  }
  Formula f(work);
  const aclTensor* const hidden = hidden_of(work, of.hidden, queries, keys);
  const Operand shares = given_shares(work, f, of, hidden);
  const aclTensor* const dy = rows_of_heads(work, of.out, heads);
  const std::int64_t rows = of.query.sizes[1] / heads * queries;
  const Shape shape{of.query.sizes[0], heads, rows, keys};
  const aclTensor* const parts = reshaped(work, *shares.tensor, shape);
  add_head_products(work, *parts, true, *dy, call.value);
  const aclTensor* const of_shares = temporary(work, ge::DT_FLOAT, shape);
  add_product(work, {dy, "dy"},
              {transposed(work, *rows_of_heads(work, of.value, heads), 2, 3), "value"}, *of_shares);
  const Shape flat_shape{shape.GetShapeSize() / keys, keys};
  const Operand p(reshaped(work, *parts, flat_shape), "query");
  const Operand dp(reshaped(work, *of_shares, flat_shape), "dy");
  const Operand sums = f.row_sums(f.times(p, dp));
  const Operand ds = f.times(f.times(p, f.less(dp, sums)), Operand(of.scale));
  const aclTensor* const of_scores = reshaped(work, *ds.tensor, shape);
  add_head_products(work, *of_scores, false, *rows_of_heads(work, of.key, heads), call.query);
  add_head_products(work, *of_scores, true, *rows_of_heads(work, of.query, heads), call.key);
  if (call.pse == nullptr) return;
  const Shape scores{of.query.sizes[0], of.query.sizes[1], queries, keys};
  add_shift_gradient(work, *reshaped(work, *ds.tensor, scores), *call.pse);
}

}  // namespace davsim::basic
