// The choice of experts, and the way of tokens back from them: functions/experts.txt.
#include <algorithm>

#include "lists/experts.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/softmax.hpp"
#include "runtime/basic_operators/sorting.hpp"
#include "runtime/basic_operators/steps.hpp"
#include "runtime/basic_operators/weighted_rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

struct Gating {
  const aclTensor* x;
  const aclTensor* finished;
  int64_t k;
  bool softmax_of_chosen;
  const aclTensor* shares;  ///< the softmax of all, if it is wanted
  const aclTensor* y;
  const aclTensor* experts;

  int64_t all() const { return x->GetViewShape().GetDim(x->GetViewShape().GetDimNum() - 1); }
};

Shape with_last(Shape shape, int64_t size) {
  shape.SetDim(shape.GetDimNum() - 1, size);
  return shape;
}

void check_gating(const Gating& call) {
  require_kernel_float(required(call.x, "x"), "x");
  const Shape& shape = call.x->GetViewShape();
  if (shape.GetDimNum() != 2 && shape.GetDimNum() != 3) {
    davsim::runtime::refuse_aclnn("x has 2 or 3 dimensions, not the shape " + text(shape));
  }
  const int64_t most = std::min<int64_t>(call.all(), 1024);
  if (call.k < 0 || call.k > most) {
    davsim::runtime::refuse_aclnn("k is from 0 to " + std::to_string(most) + ", not " +
                                  std::to_string(call.k));
  }
  if (call.finished != nullptr) {
    Shape rows = shape;
    rows.SetDimNum(shape.GetDimNum() - 1);
    require_type(*call.finished, "finishedOptional", {ge::DT_BOOL});
    require_shape(*call.finished, "finishedOptional", rows);
  }
  const Shape chosen = with_last(shape, call.k);
  require_type(required(call.y, "yOut"), "yOut", {call.x->GetDataType()});
  require_shape(*call.y, "yOut", chosen);
  require_type(required(call.experts, "expertIdxOut"), "expertIdxOut", {ge::DT_INT32});
  require_shape(*call.experts, "expertIdxOut", chosen);
  if (call.shares != nullptr) {
    require_type(*call.shares, "softmaxResultOutOptional", {ge::DT_FLOAT});
    require_shape(*call.shares, "softmaxResultOutOptional", shape);
  }
}

/// experts = the number of all experts where a row is finished, else those that were chosen.
void add_finished(WorkList& work, const Gating& call, const aclTensor& chosen) {
  View rows = view_of(*call.finished);
  rows.sizes.push_back(1);
  rows.strides.push_back(1);
  Operand none(static_cast<double>(call.all()));
  none.whole = call.all();
  none.number_type = ge::DT_INT32;
  add_pointwise(
      work,
      {.op = PointwiseOp::kWhere,
       .operands = {none, {&chosen, "expertIdxOut"}, {tensor_of(work, rows), "finishedOptional"}},
       .out = call.experts,
       .type = ge::DT_INT32});
}

void add_gating(WorkList& work, const Gating& call) {
  check_gating(call);
  if (call.x->IsEmpty()) return;
  const Shape& shape = call.x->GetViewShape();
  const Shape chosen = with_last(shape, call.k);
  const aclTensor* const experts =
      call.finished == nullptr ? call.experts : temporary(work, ge::DT_INT32, chosen);
  if (call.softmax_of_chosen) {
    const aclTensor* const greatest = temporary(work, call.x->GetDataType(), chosen);
    add_sort(work, {*call.x, -1, call.k, true, greatest, experts});
    add_softmax(work, *greatest, rows_along(*greatest, {-1}, "x"), false, *call.y);
  } else {
    const aclTensor* const shares =
        call.shares == nullptr ? temporary(work, ge::DT_FLOAT, shape) : call.shares;
    add_softmax(work, *call.x, rows_along(*call.x, {-1}, "x"), false, *shares);
    const bool is_float = call.x->GetDataType() == ge::DT_FLOAT;
    const aclTensor* const greatest = is_float ? call.y : temporary(work, ge::DT_FLOAT, chosen);
    add_sort(work, {*shares, -1, call.k, true, greatest, experts});
    if (!is_float) add_cast(work, *greatest, *call.y);
  }
  if (call.finished != nullptr) add_finished(work, call, *experts);
}

/// rows[i, j] = j * the number of rows + i.
void add_row_numbers(WorkList& work, const aclTensor& x, int64_t k, const aclTensor& out) {
  if (out.IsEmpty()) return;
  const int64_t rows = rows_along(x, {-1}, "x").rows();
  const aclTensor* const numbers = temporary(work, ge::DT_INT32, {k, rows});
  if (!add_steps(work, 0, 1, true, *numbers)) {
    davsim::runtime::refuse_aclnn("rowIdxOut has more places than int32 counts");
  }
  Result result(work, out, ge::DT_INT32);
  Moves moves(work);
  moves.copy(view_of(*reshaped(work, result.tensor(), {rows, k})),
             permuted(view_of(*numbers), {1, 0}));
  moves.finish();
  result.finish();
}

/// A tensor [sums, choices] whose numbers are checked.
const aclTensor* numbers_of_choices(WorkList& work, const aclTensor& tensor, const char* name,
                                    int64_t least, int64_t beyond) {
  const aclTensor* const numbers = as(work, tensor, ge::DT_INT32);
  check_index(work, *numbers, name, least, beyond);
  return numbers;
}

struct Finalising {
  const aclTensor* expanded;
  const aclTensor* places;
  const char* place_name;
  const aclTensor* x1;
  const aclTensor* x2;
  const aclTensor* bias;
  const aclTensor* scales;
  const aclTensor* experts;
  const char* expert_name;
  int64_t mode;
  const aclTensor* out;

  bool pads() const { return mode == 1 || mode == 3; }
  bool by_columns() const { return mode < 2; }
  int64_t tokens() const { return out->GetViewShape().GetDim(0); }
  int64_t length() const { return out->GetViewShape().GetDim(1); }
};

void require_rank(const aclTensor& tensor, const char* name, std::size_t rank) {
  if (tensor.GetViewShape().GetDimNum() == rank) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " has " + std::to_string(rank) +
                                " dimensions, not the shape " + text(tensor.GetViewShape()));
}

/// Of an optional tensor.
void require_same(const aclTensor* tensor, const char* name, DataType type, const Shape& shape) {
  if (tensor == nullptr) return;
  require_type(*tensor, name, {type});
  require_shape(*tensor, name, shape);
}

int64_t check_places(const Finalising& call) {
  require_type(required(call.places, call.place_name), call.place_name, {ge::DT_INT32});
  const int64_t places = call.places->Numel(), tokens = call.tokens();
  if (call.places->GetViewShape().GetDimNum() != 1 || (tokens > 0 && places % tokens != 0) ||
      (tokens > 0 && places == 0)) {
    davsim::runtime::refuse_aclnn(std::string(call.place_name) + " has a multiple of " +
                                  std::to_string(tokens) + " elements, not the shape " +
                                  text(call.places->GetViewShape()));
  }
  return tokens == 0 ? 0 : places / tokens;
}

/// Throws unless the call is allowed. Returns the choices of a token.
int64_t check_finalising(const Finalising& call) {
  if (call.mode < 0 || call.mode > 3) {
    davsim::runtime::refuse_aclnn("dropPadMode is from 0 to 3, not " + std::to_string(call.mode));
  }
  require_kernel_float(required(call.expanded, "expandedX"), "expandedX");
  const DataType type = call.expanded->GetDataType();
  require_rank(*call.expanded, "expandedX", call.pads() ? 3 : 2);
  require_rank(required(call.out, "out"), "out", 2);
  require_type(*call.out, "out", {type});
  Shape expected = with_last(call.expanded->GetViewShape(), call.length());
  require_shape(*call.expanded, "expandedX", expected);
  const int64_t choices = check_places(call);
  const Shape of_choices{call.tokens(), choices};
  require_same(call.x1, "x1", type, call.out->GetViewShape());
  require_same(call.x2, "x2Optional", type, call.out->GetViewShape());
  if (call.x2 != nullptr) required(call.x1, "x1Optional, which x2Optional needs,");
  if (call.scales != nullptr) {
    require_kernel_float(*call.scales, "scales");
    require_shape(*call.scales, "scales", of_choices);
  } else if (choices > 1) {
    davsim::runtime::refuse_aclnn("without scales a token has one choice, not " +
                                  std::to_string(choices));
  }
  if (call.bias == nullptr) return choices;
  require_type(*call.bias, "bias", {type});
  require_rank(*call.bias, "bias", 2);
  require_shape(*call.bias, "bias", {call.bias->GetViewShape().GetDim(0), call.length()});
  require_type(required(call.experts, call.expert_name), call.expert_name, {ge::DT_INT32});
  require_shape(*call.experts, call.expert_name, of_choices);
  return choices;
}

void add_finalising(WorkList& work, const Finalising& call) {
  const int64_t choices = check_finalising(call);
  if (call.out->IsEmpty()) return;
  const DataType type = call.out->GetDataType();
  const auto in_order = [&](const aclTensor* tensor, DataType as_type) {
    return tensor == nullptr ? nullptr : as(work, *tensor, as_type);
  };
  View places = divided(view_of(*call.places), 0, call.by_columns() ? call.tokens() : choices);
  if (call.by_columns()) places = permuted(places, {1, 0});
  const int64_t rows = call.expanded->Numel() / call.length();
  const aclTensor* const numbers = numbers_of_choices(work, *tensor_of(work, places),
                                                      call.place_name, call.pads() ? -1 : 0, rows);
  const aclTensor* const groups = call.bias == nullptr
                                      ? nullptr
                                      : numbers_of_choices(work, *call.experts, call.expert_name, 0,
                                                           call.bias->GetViewShape().GetDim(0));
  Result result(work, *call.out, type);
  add_weighted_rows(work, {.table = in_order(call.expanded, type),
                           .rows = numbers,
                           .weights = in_order(call.scales, ge::DT_FLOAT),
                           .biases = in_order(call.bias, type),
                           .groups = groups,
                           .first = in_order(call.x1, type),
                           .second = in_order(call.x2, type),
                           .out = &result.tensor()});
  result.finish();
}

}  // namespace

DAVSIM_FIRST_PHASE(MoeGatingTopKSoftmax,
                   (const aclTensor* x, const aclTensor* finishedOptional, int64_t k,
                    const aclTensor* yOut, const aclTensor* expertIdxOut,
                    const aclTensor* rowIdxOut),
                   {
                     required(rowIdxOut, "rowIdxOut");
                     add_gating(work, {x, finishedOptional, k, false, nullptr, yOut, expertIdxOut});
                     require_type(*rowIdxOut, "rowIdxOut", {ge::DT_INT32});
                     require_shape(*rowIdxOut, "rowIdxOut", yOut->GetViewShape());
                     add_row_numbers(work, *x, k, *rowIdxOut);
                   })

DAVSIM_FIRST_PHASE(MoeGatingTopKSoftmaxV2,
                   (const aclTensor* x, const aclTensor* finishedOptional, int64_t k,
                    int64_t renorm, bool outputSoftmaxResultFlag, const aclTensor* yOut,
                    const aclTensor* expertIdxOut, const aclTensor* softmaxResultOutOptional),
                   {
                     if (renorm != 0 && renorm != 1) {
                       davsim::runtime::refuse_aclnn("renorm is 0 or 1, not " +
                                                     std::to_string(renorm));
                     }
                     const bool wants_shares = renorm == 0 && outputSoftmaxResultFlag;
                     if (wants_shares) {
                       required(softmaxResultOutOptional, "softmaxResultOutOptional");
                     }
                     add_gating(work, {x, finishedOptional, k, renorm == 1,
                                       wants_shares ? softmaxResultOutOptional : nullptr, yOut,
                                       expertIdxOut});
                   })

DAVSIM_FIRST_PHASE(MoeFinalizeRouting,
                   (const aclTensor* expandedX, const aclTensor* x1, const aclTensor* x2Optional,
                    const aclTensor* bias, const aclTensor* scales, const aclTensor* expandedRowIdx,
                    const aclTensor* expandedExpertIdx, const aclTensor* out),
                   {
                     required(x1, "x1");
                     required(bias, "bias");
                     required(scales, "scales");
                     add_finalising(
                         work, {expandedX, expandedRowIdx, "expandedRowIdx", x1, x2Optional, bias,
                                scales, expandedExpertIdx, "expandedExpertIdx", 0, out});
                   })

DAVSIM_FIRST_PHASE(MoeFinalizeRoutingV2,
                   (const aclTensor* expandedX, const aclTensor* expandedRowIdx,
                    const aclTensor* x1Optional, const aclTensor* x2Optional,
                    const aclTensor* biasOptional, const aclTensor* scalesOptional,
                    const aclTensor* expertIdxOptional, int64_t dropPadMode, const aclTensor* out),
                   {
                     add_finalising(
                         work, {expandedX, expandedRowIdx, "expandedRowIdx", x1Optional, x2Optional,
                                biasOptional, scalesOptional, expertIdxOptional,
                                "expertIdxOptional", dropPadMode, out});
                   })
