// Attention for training: functions/attention.txt.
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lists/attention.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/basic_operators/training_attention.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

[[noreturn]] void refuse(const std::string& what) {
  davsim::runtime::refuse_aclnn(what);
}

/// What the functions call their parameters.
struct Names {
  const char *key, *pse, *greatest, *sums, *out;
};
constexpr Names kOfScores{"key", "realShiftOptional", "softmaxMaxOut", "softmaxSumOut",
                          "attentionOutOut"};
constexpr Names kOfGradients{"keyIn", "pseShiftOptional", "softmaxMaxOptional",
                             "softmaxSumOptional", "dy"};

/// Parameters of all functions. `out` has the gradient of the result for those of gradients.
struct Training {
  const aclTensor* query;
  const aclTensor* key;
  const aclTensor* value;
  const aclTensor* pse;
  const aclTensor* padding_mask;
  Hidden hidden;
  double scale, keep;
  int64_t heads;
  const char* layout;
  const aclTensor* greatest;
  const aclTensor* sums;
  const aclTensor* out;
  const Names& names;
};

void check_training(const Training& call) {
  const DataType type = required(call.query, "query").GetDataType();
  require_kernel_float(*call.query, "query");
  const std::pair<const aclTensor*, const char*> all[] = {
      {call.key, call.names.key}, {call.value, "value"}, {call.out, call.names.out}};
  for (const auto& [tensor, name] : all) require_type(required(tensor, name), name, {type});
  const std::pair<const aclTensor*, const char*> statistics[] = {
      {call.greatest, call.names.greatest}, {call.sums, call.names.sums}};
  for (const auto& [tensor, name] : statistics) {
    require_type(required(tensor, name), name, {ge::DT_FLOAT});
  }
  davsim::runtime::require_aclnn(call.layout, "inputLayout");
  if (call.pse != nullptr) require_type(*call.pse, call.names.pse, {type});
  if (call.hidden.mask != nullptr) {
    require_type(*call.hidden.mask, "attenMaskOptional", {ge::DT_BOOL, ge::DT_UINT8});
  }
  if (call.padding_mask != nullptr) refuse("paddingMaskOptional is reserved: a null pointer");
  if (call.keep != 1) refuse("keepProb is 1, without dropout, not " + std::to_string(call.keep));
  if (call.heads < 1) refuse("headNum is at least 1, not " + std::to_string(call.heads));
  if (call.hidden.mode < 0 || call.hidden.mode > 4) {
    refuse("sparseMode is from 0 to 4, not " + std::to_string(call.hidden.mode));
  }
}

void require_dimensions(const aclTensor& tensor, const char* name, std::string_view layout) {
  if (tensor.GetViewShape().GetDimNum() == layout.size()) return;
  refuse(std::string(name) + " has the dimensions " + std::string(layout) + ", not the shape " +
         text(tensor.GetViewShape()));
}

/// The tensor as [batch, heads, length, size]. `heads` is for the layouts without a dimension of
/// heads.
View heads_first(const aclTensor& tensor, const char* name, std::string_view layout,
                 int64_t heads) {
  require_dimensions(tensor, name, layout);
  const View view = view_of(tensor);
  if (layout == "BNSD") return view;
  if (layout == "BSND") return permuted(view, {0, 2, 1, 3});
  const int64_t width = view.sizes[2];
  if (heads < 1 || width % heads != 0) {
    refuse(std::string(name) + " has rows of " + std::to_string(width) +
           " elements, which are not those of " + std::to_string(heads) + " heads");
  }
  const View parts = divided(view, 2, width / heads);
  return layout == "BSH" ? permuted(parts, {0, 2, 1, 3}) : permuted(parts, {1, 2, 0, 3});
}

void require_sizes(const View& view, const char* name, const Numbers& sizes) {
  if (view.sizes == sizes) return;
  refuse(std::string(name) + " has the sizes " + text(shape_of(sizes)) +
         " (batch, heads, length, size), not " + text(shape_of(view.sizes)));
}

void check_views(const TrainingAttention& views, int64_t heads, const Names& names) {
  const Numbers &q = views.query.sizes, &k = views.key.sizes, &v = views.value.sizes;
  require_sizes(views.query, "query", {q[0], heads, q[2], q[3]});
  require_sizes(views.key, names.key, {q[0], k[1], k[2], q[3]});
  require_sizes(views.value, "value", {q[0], k[1], k[2], v[3]});
  if (k[1] < 1 || heads % k[1] != 0) {
    refuse("headNum is a multiple of the heads of key, not " + std::to_string(heads) + " of " +
           std::to_string(k[1]));
  }
  require_sizes(views.out, names.out, {q[0], heads, q[2], v[3]});
  for (const View* const statistics : {&views.greatest, &views.sums}) {
    require_sizes(*statistics, statistics == &views.sums ? names.sums : names.greatest,
                  {q[0], heads, q[2], 8});
  }
}

/// The heads that keys have.
int64_t heads_of_keys(const Training& call, const View& query) {
  // Without a dimension of heads, keys have heads of the size of queries'.
  const std::string_view layout = call.layout;
  require_dimensions(*call.key, call.names.key, layout);
  const int64_t width = call.key->GetViewShape().GetDim(layout.size() - 1);
  return query.sizes[3] == 0 ? 0 : width / query.sizes[3];
}

TrainingAttention views_of(const Training& call) {
  check_training(call);
  const std::string_view layout = call.layout;
  if (layout != "BNSD" && layout != "BSND" && layout != "BSH" && layout != "SBH") {
    refuse("inputLayout is BSH, SBH, BSND or BNSD, not " + std::string(layout));
  }
  TrainingAttention views;
  views.pse = call.pse;
  views.hidden = call.hidden;
  views.scale = call.scale;
  views.query = heads_first(*call.query, "query", layout, call.heads);
  const int64_t heads = heads_of_keys(call, views.query);
  views.key = heads_first(*call.key, call.names.key, layout, heads);
  views.value = heads_first(*call.value, "value", layout, heads);
  views.out = heads_first(*call.out, call.names.out, layout, call.heads);
  views.greatest = heads_first(*call.greatest, call.names.greatest, "BNSD", 0);
  views.sums = heads_first(*call.sums, call.names.sums, "BNSD", 0);
  check_views(views, call.heads, call.names);
  return views;
}

/// Where the gradients of query, key, value and the shift of scores go.
struct Gradients {
  const aclTensor *query, *key, *value, *pse;
};

void check_gradients(const Training& call, const Gradients& out) {
  const std::tuple<const aclTensor*, const char*, const aclTensor*> all[] = {
      {out.query, "dqOut", call.query},
      {out.key, "dkOut", call.key},
      {out.value, "dvOut", call.value}};
  for (const auto& [tensor, name, of] : all) {
    require_type(required(tensor, name), name, {of->GetDataType()});
    require_shape(*tensor, name, of->GetViewShape());
  }
  if (call.pse == nullptr || out.pse == nullptr || out.pse->IsEmpty()) return;
  require_type(*out.pse, "dpseOut", {call.pse->GetDataType()});
  require_shape(*out.pse, "dpseOut", call.pse->GetViewShape());
}

void add_gradients(WorkList& work, const Training& call, const Gradients& out) {
  const TrainingAttention views = views_of(call);
  check_gradients(call, out);
  const std::string_view layout = call.layout;
  const int64_t heads = heads_of_keys(call, views.query);
  const bool shifts = call.pse != nullptr && out.pse != nullptr && !out.pse->IsEmpty();
  add_training_attention_gradient(
      work, {views, heads_first(*out.query, "dqOut", layout, call.heads),
             heads_first(*out.key, "dkOut", layout, heads),
             heads_first(*out.value, "dvOut", layout, heads), shifts ? out.pse : nullptr});
}

/// A part of the tokens of [tokens, heads, size], as [1, heads, length, size].
View sequence_of(const aclTensor& tensor, int64_t from, int64_t to) {
  const View part = narrowed(view_of(tensor), 0, from, to - from);
  return permuted(with_repeats(part, 0, 1), {0, 2, 1, 3});
}

void check_ends(const Numbers& ends, const char* name, const aclTensor& tensor) {
  int64_t before = 0;
  const int64_t tokens = tensor.GetViewShape().GetDim(0);
  for (const int64_t end : ends) {
    if (end < before || end > tokens) {
      refuse(std::string(name) + " has ends of sequences in their order up to " +
             std::to_string(tokens) + ", not " + std::to_string(end) + " behind " +
             std::to_string(before));
    }
    before = end;
  }
}

/// Ends of sequences. Zeros at the end name none.
Numbers ends_of(const aclIntArray* array, const char* name, const aclTensor& tensor) {
  Numbers ends = numbers_of(array, name);
  while (!ends.empty() && ends.back() == 0) ends.pop_back();
  check_ends(ends, name, tensor);
  return ends;
}

/// The tokens of a sequence.
struct Sequence {
  int64_t first_query, queries_end, first_key, keys_end;
};

TrainingAttention views_of(const Training& call, const Sequence& of) {
  const int64_t q0 = of.first_query, q1 = of.queries_end, k0 = of.first_key, k1 = of.keys_end;
  return {.query = sequence_of(*call.query, q0, q1),
          .key = sequence_of(*call.key, k0, k1),
          .value = sequence_of(*call.value, k0, k1),
          .out = sequence_of(*call.out, q0, q1),
          .greatest = sequence_of(*call.greatest, q0, q1),
          .sums = sequence_of(*call.sums, q0, q1),
          .hidden = call.hidden,
          .scale = call.scale};
}

std::vector<Sequence> sequences_of(const Training& call, const aclIntArray* of_query,
                                   const aclIntArray* of_key) {
  check_training(call);
  if (std::string_view(call.layout) != "TND") {
    refuse("inputLayout is TND, not " + std::string(call.layout));
  }
  if (call.pse != nullptr) {
    refuse(std::string(call.names.pse) + " is not supported: it is a null pointer");
  }
  const std::pair<const aclTensor*, const char*> all[] = {{call.query, "query"},
                                                          {call.key, call.names.key},
                                                          {call.value, "value"},
                                                          {call.out, call.names.out},
                                                          {call.greatest, call.names.greatest},
                                                          {call.sums, call.names.sums}};
  for (const auto& [tensor, name] : all) require_dimensions(*tensor, name, "TND");
  const Numbers queries = ends_of(of_query, "actualSeqQLenOptional", *call.query);
  Numbers keys = ends_of(of_key, "actualSeqKvLenOptional", *call.key);
  if (keys.size() < queries.size()) keys.resize(queries.size(), keys.empty() ? 0 : keys.back());
  check_views(views_of(call, {0, call.query->GetViewShape().GetDim(0), 0,
                              call.key->GetViewShape().GetDim(0)}),
              call.heads, call.names);
  std::vector<Sequence> sequences;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    sequences.push_back(
        {i == 0 ? 0 : queries[i - 1], queries[i], i == 0 ? 0 : keys[i - 1], keys[i]});
  }
  return sequences;
}

}  // namespace

DAVSIM_FIRST_PHASE(FlashAttentionScore,
                   (const aclTensor* query, const aclTensor* key, const aclTensor* value,
                    const aclTensor* realShiftOptional,
                    const aclTensor* /*dropMaskOptional: nothing is dropped*/,
                    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
                    const aclIntArray* /*prefixOptional: of modes 5 and 6*/, double scaleValue,
                    double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum,
                    char* inputLayout, int64_t /*innerPrecise*/, int64_t sparseMode,
                    const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
                    const aclTensor* /*softmaxOutOut: reserved*/, const aclTensor* attentionOutOut),
                   {
                     const Training call{query,
                                         key,
                                         value,
                                         realShiftOptional,
                                         paddingMaskOptional,
                                         {attenMaskOptional, sparseMode, preTokens, nextTokens},
                                         scaleValue,
                                         keepProb,
                                         headNum,
                                         inputLayout,
                                         softmaxMaxOut,
                                         softmaxSumOut,
                                         attentionOutOut,
                                         kOfScores};
                     add_training_attention(work, views_of(call));
                   })

DAVSIM_FIRST_PHASE(
    FlashAttentionVarLenScore,
    (const aclTensor* query, const aclTensor* key, const aclTensor* value,
     const aclTensor* realShiftOptional, const aclTensor* /*dropMaskOptional: nothing is dropped*/,
     const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
     const aclIntArray* /*prefixOptional: of modes 5 and 6*/,
     const aclIntArray* actualSeqQLenOptional, const aclIntArray* actualSeqKvLenOptional,
     double scaleValue, double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum,
     char* inputLayout, int64_t /*innerPrecise*/, int64_t sparseMode,
     const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
     const aclTensor* /*softmaxOutOut: reserved*/, const aclTensor* attentionOutOut),
    {
      const Training call{query,
                          key,
                          value,
                          realShiftOptional,
                          paddingMaskOptional,
                          {attenMaskOptional, sparseMode, preTokens, nextTokens},
                          scaleValue,
                          keepProb,
                          headNum,
                          inputLayout,
                          softmaxMaxOut,
                          softmaxSumOut,
                          attentionOutOut,
                          kOfScores};
      for (const Sequence& of : sequences_of(call, actualSeqQLenOptional, actualSeqKvLenOptional)) {
        add_training_attention(work, views_of(call, of));
      }
    })

DAVSIM_FIRST_PHASE(FlashAttentionScoreGrad,
                   (const aclTensor* query, const aclTensor* keyIn, const aclTensor* value,
                    const aclTensor* dy, const aclTensor* pseShiftOptional,
                    const aclTensor* /*dropMaskOptional: nothing is dropped*/,
                    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
                    const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional,
                    const aclTensor* /*softmaxInOptional: reserved*/,
                    const aclTensor* /*attentionInOptional: the shares have it*/,
                    const aclIntArray* /*prefixOptional: of modes 5 and 6*/, double scaleValue,
                    double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum,
                    char* inputLayout, int64_t /*innerPrecise*/, int64_t sparseMode,
                    const aclTensor* dqOut, const aclTensor* dkOut, const aclTensor* dvOut,
                    const aclTensor* dpseOut),
                   {
                     const Training call{query,
                                         keyIn,
                                         value,
                                         pseShiftOptional,
                                         paddingMaskOptional,
                                         {attenMaskOptional, sparseMode, preTokens, nextTokens},
                                         scaleValue,
                                         keepProb,
                                         headNum,
                                         inputLayout,
                                         softmaxMaxOptional,
                                         softmaxSumOptional,
                                         dy,
                                         kOfGradients};
                     add_gradients(work, call, {dqOut, dkOut, dvOut, dpseOut});
                   })

DAVSIM_FIRST_PHASE(
    FlashAttentionUnpaddingScoreGrad,
    (const aclTensor* query, const aclTensor* keyIn, const aclTensor* value, const aclTensor* dy,
     const aclTensor* pseShiftOptional, const aclTensor* /*dropMaskOptional: nothing is dropped*/,
     const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
     const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional,
     const aclTensor* /*softmaxInOptional: reserved*/,
     const aclTensor* /*attentionInOptional: the shares have it*/,
     const aclIntArray* /*prefixOptional: of modes 5 and 6*/,
     const aclIntArray* actualSeqQLenOptional, const aclIntArray* actualSeqKvLenOptional,
     double scaleValue, double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum,
     char* inputLayout, int64_t /*innerPrecise*/, int64_t sparseMode, const aclTensor* dqOut,
     const aclTensor* dkOut, const aclTensor* dvOut,
     const aclTensor* /*dpseOut: scores are not shifted*/),
    {
      const Training call{query,
                          keyIn,
                          value,
                          pseShiftOptional,
                          paddingMaskOptional,
                          {attenMaskOptional, sparseMode, preTokens, nextTokens},
                          scaleValue,
                          keepProb,
                          headNum,
                          inputLayout,
                          softmaxMaxOptional,
                          softmaxSumOptional,
                          dy,
                          kOfGradients};
      const std::vector<Sequence> sequences =
          sequences_of(call, actualSeqQLenOptional, actualSeqKvLenOptional);
      check_gradients(call, {dqOut, dkOut, dvOut, nullptr});
      for (const Sequence& of : sequences) {
        add_training_attention_gradient(
            work, {views_of(call, of), sequence_of(*dqOut, of.first_query, of.queries_end),
                   sequence_of(*dkOut, of.first_key, of.keys_end),
                   sequence_of(*dvOut, of.first_key, of.keys_end)});
      }
    })
