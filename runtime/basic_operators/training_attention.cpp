#include "runtime/basic_operators/training_attention.hpp"

#include <bit>
#include <limits>

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

}  // namespace davsim::basic
