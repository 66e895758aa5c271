// Rows of keys and values on their way into caches of blocks: functions/attention.txt.
#include <limits>
#include <string_view>
#include <vector>

#include "lists/attention.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

/// Tokens, a cache, and where they go.
struct CacheRows {
  const aclTensor* tokens;
  const char* name;
  aclTensor* cache;
  const char* cache_name;
  const aclTensor* slots;

  int64_t width() const { return tokens->Numel() / tokens->GetViewShape().GetDim(0); }
};

void require_tokens(const CacheRows& rows) {
  const Shape& shape = rows.tokens->GetViewShape();
  if (shape.GetDimNum() != 3) {
    davsim::runtime::refuse_aclnn(std::string(rows.name) +
                                  " has 3 dimensions, tokens, heads and the size of a head, not "
                                  "the shape " +
                                  text(shape));
  }
  require_movable(*rows.tokens, rows.name);
  require_type(*rows.cache, rows.cache_name, {rows.tokens->GetDataType()});
  require_shape(*rows.slots, "slotMapping", {shape.GetDim(0)});
}

/// Puts row i of a list into row numbers[i] of the cache.
void add_scatter(WorkList& work, const CacheRows& rows, const aclTensor& numbers,
                 const aclTensor& list, int64_t run) {
  Changed changed(work, *rows.cache, *rows.cache);
  add_indexed_rows(work, {.table = &changed.tensor(),
                          .numbers = &numbers,
                          .list = &list,
                          .lists = 1,
                          .rows = rows.cache->Numel() / run,
                          .run = run,
                          .scatters = true,
                          .skips = true});
  changed.finish();
}

/// Of a cache [blocks, slots, heads, size].
void add_plain_rows(WorkList& work, const CacheRows& rows) {
  const Shape& shape = rows.cache->GetViewShape();
  const Shape& tokens = rows.tokens->GetViewShape();
  if (shape.GetDimNum() != 4) {
    davsim::runtime::refuse_aclnn(std::string(rows.cache_name) +
                                  " has 4 dimensions, not the shape " + text(shape));
  }
  require_shape(*rows.cache, rows.cache_name,
                {shape.GetDim(0), shape.GetDim(1), tokens.GetDim(1), tokens.GetDim(2)});
  if (rows.tokens->IsEmpty()) return;
  const aclTensor* const slots = as(work, *rows.slots, rows.slots->GetDataType());
  check_index(work, *slots, "slotMapping", std::numeric_limits<int64_t>::min(),
              shape.GetDim(0) * shape.GetDim(1));
  add_scatter(work, rows, *slots, *as(work, *rows.tokens, rows.tokens->GetDataType()),
              rows.width());
}

/// Of a cache in fractals: [blocks, width / piece, slots, piece], where a piece has 32 bytes.
void add_fractal_rows(WorkList& work, const CacheRows& rows) {
  const Shape& shape = rows.cache->GetViewShape();
  const std::size_t rank = shape.GetDimNum();
  const int64_t piece = 32 / bytes_of_element(*rows.tokens);
  const bool has_tokens = !rows.tokens->IsEmpty();
  const int64_t width = has_tokens ? rows.width() : 0;
  if ((rank != 4 && rank != 5) || shape.GetDim(rank - 1) != piece ||
      (has_tokens && rows.cache->Numel() != shape.GetDim(0) * shape.GetDim(rank - 2) * width)) {
    davsim::runtime::refuse_aclnn(
        std::string(rows.cache_name) + " has the shape [blocks, heads * size / " +
        std::to_string(piece) + ", slots, " + std::to_string(piece) + "] for " + rows.name +
        ", which is " + text(rows.tokens->GetViewShape()) + ", not the shape " + text(shape));
  }
  if (!has_tokens) return;
  const int64_t slots_of_block = shape.GetDim(rank - 2), pieces = width / piece;
  const aclTensor* const slots = as(work, *rows.slots, rows.slots->GetDataType());
  check_index(work, *slots, "slotMapping", std::numeric_limits<int64_t>::min(),
              shape.GetDim(0) * slots_of_block);
  const aclTensor* const numbers =
      temporary(work, ge::DT_INT64, {rows.tokens->GetViewShape().GetDim(0) * pieces});
  work.add_task({numbers}, {slots}, [slots_of_block, pieces](auto to, auto from) {
    for (uint64_t i = 0; i < to[0].elements(); ++i) {
      const int64_t slot = whole_at(from[0], i / static_cast<uint64_t>(pieces));
      const int64_t part = static_cast<int64_t>(i) % pieces;
      const int64_t row =
          (slot / slots_of_block * pieces + part) * slots_of_block + slot % slots_of_block;
      set_whole(to[0], i, slot < 0 ? -1 : row);
    }
  });
  add_scatter(work, rows, *numbers, *as(work, *rows.tokens, rows.tokens->GetDataType()), piece);
}

/// The tokens, each `strides[at]` elements behind the one before, from the element `offsets[at]`
/// on.
const aclTensor* apart(WorkList& work, const aclTensor& tokens, const aclIntArray* strides,
                       const aclIntArray* offsets, std::size_t at) {
  for (const auto& [array, name] :
       {std::pair{strides, "stridesOptional"}, {offsets, "offsetsOptional"}}) {
    davsim::runtime::require_aclnn(array, name);
    if (array->Size() == 2 && (*array)[at] >= 0) continue;
    davsim::runtime::refuse_aclnn(std::string(name) +
                                  " has two numbers of at least 0, for keys and values");
  }
  View view = view_of(tokens);
  view.strides[0] = (*strides)[at];
  view.offset = (*offsets)[at];
  return tensor_of(work, view);
}

std::string_view mode_of(const char* given, std::string_view missing) {
  return given == nullptr || *given == 0 ? missing : given;
}

}  // namespace

DAVSIM_FIRST_PHASE(
    ScatterPaKvCache,
    (const aclTensor* key, aclTensor* keyCacheRef, const aclTensor* slotMapping,
     const aclTensor* value, aclTensor* valueCacheRef, const aclTensor* compressLensOptional,
     const aclTensor* compressSeqOffsetOptional, const aclTensor* seqLensOptional,
     char* cacheModeOptional, char* scatterModeOptional, const aclIntArray* stridesOptional,
     const aclIntArray* offsetsOptional),
    {
      for (const auto& [tensor, name] : {std::pair{compressLensOptional, "compressLensOptional"},
                                         {compressSeqOffsetOptional, "compressSeqOffsetOptional"},
                                         {seqLensOptional, "seqLensOptional"}}) {
        if (tensor == nullptr) continue;
        davsim::runtime::refuse_aclnn(std::string(name) +
                                      " is not supported: it is a null pointer");
      }
      const std::string_view cache = mode_of(cacheModeOptional, "Norm");
      const std::string_view scatter = mode_of(scatterModeOptional, "None");
      if (cache != "Norm" && cache != "PA_NZ") {
        davsim::runtime::refuse_aclnn("cacheModeOptional is Norm or PA_NZ, not " +
                                      std::string(cache));
      }
      const bool is_apart = scatter == "Nct" && cache == "Norm";
      if (scatter != "None" && !is_apart) {
        davsim::runtime::refuse_aclnn("scatterModeOptional is None, or Nct with Norm, not " +
                                      std::string(scatter));
      }
      required(key, "key");
      required(keyCacheRef, "keyCacheRef");
      required_index(slotMapping, "slotMapping");
      std::vector<CacheRows> all{{key, "key", keyCacheRef, "keyCacheRef", slotMapping}};
      // A value without elements, of one dimension or none: the keys alone.
      if (value != nullptr && (value->GetViewShape().GetDimNum() > 1 || !value->IsEmpty())) {
        required(valueCacheRef, "valueCacheRef");
        require_type(*value, "value", {key->GetDataType()});
        all.push_back({value, "value", valueCacheRef, "valueCacheRef", slotMapping});
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        CacheRows& rows = all[i];
        require_tokens(rows);
        if (is_apart) {
          rows.tokens = apart(work, *rows.tokens, stridesOptional, offsetsOptional, i);
        }
        (cache == "Norm" ? add_plain_rows : add_fractal_rows)(work, rows);
      }
    })
