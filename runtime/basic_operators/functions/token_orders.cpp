// Tokens in the order of their experts and back, for training: functions/experts.txt.
#include <algorithm>
#include <string>

#include "lists/experts.h"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/basic_operators/sorting.hpp"
#include "runtime/basic_operators/weighted_rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

void refuse_padding(bool padded, const aclIntArray* shape) {
  if (padded) refuse_aclnn("paddedMode is false");
  if (shape != nullptr) refuse_aclnn("restoreShapeOptional is null without paddedMode");
}

/// Rows of numbers that kernels compute in float.
void require_rows(const aclTensor* rows, const char* name) {
  require_kernel_float(required(rows, name), name);
  if (rows->GetViewShape().GetDimNum() == 2) return;
  refuse_aclnn(std::string(name) + " has 2 dimensions, not the shape " +
               text(rows->GetViewShape()));
}

void require_rows(const aclTensor* rows, const char* name, DataType type, const Shape& shape) {
  require_type(required(rows, name), name, {type});
  require_shape(*rows, name, shape);
}

int64_t count_of(const aclTensor& rows) {
  return rows.GetViewShape().GetDim(0);
}

int64_t length_of(const aclTensor& rows) {
  return rows.GetViewShape().GetDim(1);
}

/// Rows that stay of all: 0 stands for all, and less than 0 counts from the end.
int64_t kept_of(int64_t wanted, int64_t all) {
  return std::clamp<int64_t>(wanted > 0 ? wanted : all + wanted, 0, all);
}

void add_permutation(WorkList& work, const aclTensor* tokens, const aclTensor* indices,
                     int64_t wanted, const aclTensor* out, const aclTensor* places) {
  require_rows(tokens, "tokens");
  const Shape& chosen = required_index(indices, "indices").GetViewShape();
  const int64_t count = count_of(*tokens), all = indices->Numel();
  if ((chosen.GetDimNum() != 1 && chosen.GetDimNum() != 2) || chosen.GetDim(0) != count) {
    refuse_aclnn("indices has the choices of " + std::to_string(count) + " tokens, not the shape " +
                 text(chosen));
  }
  const int64_t kept = kept_of(wanted, all);
  require_rows(out, "permuteTokensOut", tokens->GetDataType(), {kept, length_of(*tokens)});
  require_rows(places, "sortedIndicesOut", ge::DT_INT32, {all});
  if (all == 0) return;
  const aclTensor* const order = temporary(work, ge::DT_INT32, {all});
  const aclTensor* const flat = reshaped(work, *as(work, *indices, indices->GetDataType()), {all});
  add_sort(work, {*flat, 0, all, false, nullptr, order});
  const aclTensor* const numbers = temporary(work, ge::DT_INT32, {kept});
  Result gone(work, *places, ge::DT_INT32);
  work.add_task({numbers, &gone.tensor()}, {order}, [choices = all / count](auto to, auto from) {
    for (uint64_t i = 0; i < from[0].elements(); ++i) {
      const int64_t choice = whole_at(from[0], i);
      if (i < to[0].elements()) set_whole(to[0], i, choice / choices);
      set_whole(to[1], static_cast<uint64_t>(choice), static_cast<int64_t>(i));
    }
  });
  gone.finish();
  if (out->IsEmpty()) return;
  Result result(work, *out, out->GetDataType());
  add_indexed_rows(work, {.table = as(work, *tokens, tokens->GetDataType()),
                          .numbers = numbers,
                          .list = &result.tensor(),
                          .lists = 1,
                          .rows = count,
                          .run = length_of(*tokens)});
  result.finish();
}

/// Where the choices of each token have gone, [tokens, choices].
const aclTensor* checked_places(WorkList& work, const aclTensor* places, int64_t tokens,
                                int64_t choices) {
  if (choices < 1 || choices > 512) {
    refuse_aclnn("a token has from 1 to 512 choices, not " + std::to_string(choices));
  }
  require_rows(places, "sortedIndices", ge::DT_INT32, {tokens * choices});
  const aclTensor* const in_order = as(work, *places, ge::DT_INT32);
  check_index(work, *in_order, "sortedIndices", 0, tokens * choices);
  return reshaped(work, *in_order, {tokens, choices});
}

/// out[i] = the sum of weights[i, j] * rows[places[i, j]]; rows that were left away are 0.
void add_sums(WorkList& work, const aclTensor& rows, const aclTensor& places,
              const aclTensor* weights, const aclTensor& out) {
  if (out.IsEmpty()) return;
  const aclTensor* const numbers = temporary(work, ge::DT_INT32, places.GetViewShape());
  work.add_task({numbers}, {&places}, [count = count_of(rows)](auto to, auto from) {
    for (uint64_t i = 0; i < to[0].elements(); ++i) {
      const int64_t place = whole_at(from[0], i);
      set_whole(to[0], i, place < count ? place : -1);
    }
  });
  Result result(work, out, out.GetDataType());
  add_weighted_rows(work,
                    {.table = as(work, rows, rows.GetDataType()),
                     .rows = numbers,
                     .weights = weights == nullptr ? nullptr : as(work, *weights, ge::DT_FLOAT),
                     .out = &result.tensor()});
  result.finish();
}

/// The choices of each token, as many as it has weights.
int64_t choices_of(const aclTensor* weights, int64_t tokens) {
  if (weights == nullptr) return 1;
  require_rows(weights, "probsOptional");
  require_shape(*weights, "probsOptional", {tokens, length_of(*weights)});
  return length_of(*weights);
}

struct UnpermutationGradient {
  const aclTensor* rows;
  const aclTensor* gradient;
  const aclTensor* places;
  const aclTensor* weights;
  const aclTensor* out;
  const aclTensor* weights_out;
};

/// weights_out[i, j] = the product of gradient[i] with the row of the choice.
void add_weight_gradient(WorkList& work, const UnpermutationGradient& call,
                         const aclTensor& numbers, const Shape& shape, const Operand& gradient) {
  const int64_t all = shape.GetDim(0) * shape.GetDim(1), length = shape.GetDim(2);
  const aclTensor* const chosen = temporary(work, call.rows->GetDataType(), shape);
  add_indexed_rows(work, {.table = as(work, *call.rows, call.rows->GetDataType()),
                          .numbers = &numbers,
                          .list = chosen,
                          .lists = 1,
                          .rows = all,
                          .run = length});
  Formula f(work);
  const Operand products = f.times({chosen, "permutedTokens"}, gradient);
  const aclTensor* const as_rows = reshaped(work, *products.tensor, {all, length});
  f.finish(f.row_sums({as_rows, "permutedTokens"}), *call.weights_out);
}

void add_unpermutation_gradient(WorkList& work, const UnpermutationGradient& call) {
  require_rows(call.rows, "permutedTokens");
  require_rows(call.gradient, "unpermutedTokensGrad");
  const DataType type = call.rows->GetDataType();
  const int64_t tokens = count_of(*call.gradient), length = length_of(*call.rows);
  const int64_t choices = choices_of(call.weights, tokens);
  require_rows(call.gradient, "unpermutedTokensGrad", type, {tokens, length});
  require_rows(call.rows, "permutedTokens", type, {tokens * choices, length});
  require_rows(call.out, "permutedTokensGradOut", type, {tokens * choices, length});
  if (call.weights != nullptr) {
    require_rows(call.weights_out, "probsGradOut", call.weights->GetDataType(),
                 call.weights->GetViewShape());
  }
  const aclTensor* const places = checked_places(work, call.places, tokens, choices);
  if (call.out->IsEmpty()) return;
  const aclTensor* const numbers = reshaped(work, *places, {tokens * choices});
  const Operand gradient(reshaped(work, *as(work, *call.gradient, type), {tokens, 1, length}),
                         "unpermutedTokensGrad");
  const aclTensor* products = gradient.tensor;
  if (call.weights != nullptr) {
    const Shape shape{tokens, choices, length};
    add_weight_gradient(work, call, *numbers, shape, gradient);
    const aclTensor* const weights = as(work, *call.weights, call.weights->GetDataType());
    Formula f(work);
    const Operand each(reshaped(work, *weights, {tokens, choices, 1}), "probsOptional");
    const aclTensor* const made = temporary(work, type, shape);
    f.finish(f.times(gradient, each), *made);
    products = made;
  }
  Result result(work, *call.out, type);
  add_indexed_rows(work, {.table = &result.tensor(),
                          .numbers = numbers,
                          .list = products,
                          .lists = 1,
                          .rows = tokens * choices,
                          .run = length,
                          .scatters = true});
  result.finish();
}

}  // namespace

DAVSIM_FIRST_PHASE(MoeTokenPermute,
                   (const aclTensor* tokens, const aclTensor* indices, int64_t numOutTokens,
                    bool paddedMode, const aclTensor* permuteTokensOut,
                    const aclTensor* sortedIndicesOut),
                   {
                     refuse_padding(paddedMode, nullptr);
                     add_permutation(work, tokens, indices, numOutTokens, permuteTokensOut,
                                     sortedIndicesOut);
                   })

DAVSIM_FIRST_PHASE(MoeTokenPermuteGrad,
                   (const aclTensor* permutedOutputGrad, const aclTensor* sortedIndices,
                    int64_t numTopk, bool paddedMode, const aclTensor* out),
                   {
                     refuse_padding(paddedMode, nullptr);
                     require_rows(permutedOutputGrad, "permutedOutputGrad");
                     require_rows(out, "out");
                     const int64_t tokens = count_of(*out);
                     require_rows(out, "out", permutedOutputGrad->GetDataType(),
                                  {tokens, length_of(*permutedOutputGrad)});
                     const aclTensor* const places =
                         checked_places(work, sortedIndices, tokens, numTopk);
                     add_sums(work, *permutedOutputGrad, *places, nullptr, *out);
                   })

DAVSIM_FIRST_PHASE(
    MoeTokenUnpermute,
    (const aclTensor* permutedTokens, const aclTensor* sortedIndices,
     const aclTensor* probsOptional, bool paddedMode, const aclIntArray* restoreShapeOptional,
     const aclTensor* out),
    {
      refuse_padding(paddedMode, restoreShapeOptional);
      require_rows(permutedTokens, "permutedTokens");
      require_rows(out, "out");
      const int64_t tokens = count_of(*out);
      require_rows(out, "out", permutedTokens->GetDataType(), {tokens, length_of(*permutedTokens)});
      const aclTensor* const places =
          checked_places(work, sortedIndices, tokens, choices_of(probsOptional, tokens));
      add_sums(work, *permutedTokens, *places, probsOptional, *out);
    })

DAVSIM_FIRST_PHASE(MoeTokenUnpermuteGrad,
                   (const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
                    const aclTensor* sortedIndices, const aclTensor* probsOptional, bool paddedMode,
                    const aclIntArray* restoreShapeOptional, const aclTensor* permutedTokensGradOut,
                    const aclTensor* probsGradOut),
                   {
                     refuse_padding(paddedMode, restoreShapeOptional);
                     add_unpermutation_gradient(
                         work, {permutedTokens, unpermutedTokensGrad, sortedIndices, probsOptional,
                                permutedTokensGradOut, probsGradOut});
                   })
