// One attention launch, normalised: what FusedInferAttentionScore, PagedAttention and sparse
// attention have in common once their layouts, modes and lists are resolved.
//
// For batch b, query head n, its key/value head g = n / (query_heads / kv_heads) and row i:
//   s[j] = scale * dot(query[b, n, i], key[b, g, j]) + bias[b, n, i, j],  j visible to i
//   out[b, n, i] = sum over j of softmax(s)[j] * value[b, g, j];  lse[b, n, i] = ln(sum(exp(s)))
// A row that sees nothing gives 0 and +inf.
//
// An operator's adapter fills this in from a validated call and hands it to launch(). Nothing here
// is validated again: sizes, ranks, types and indices are the operators' rules, in their own order.
// Distances are in elements of the tensor they belong to (int4: in int4 elements), lengths in rows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "isa/numeric/dtype.hpp"

namespace davsim::operators::attention {

/// Distance from one batch, head or row to the next; the elements of a row are adjacent. 0 where
/// all share one, as the batch of a TND tensor.
struct Strides {
  std::int64_t batch = 0, head = 0, row = 0;
};

/// A tensor [batch, query head, query row, width]: query, its rope part, the output, lse.
struct QueryTensor {
  std::uint8_t* data = nullptr;  ///< nullptr: there is none
  isa::DType type = isa::DType::kNone;
  Strides strides;
};

/// How key/value rows are found in global memory.
enum class Storage : std::uint8_t {
  kContiguous,  ///< batch b begins at its own address, rows are strides.row apart
  kPagedRows,   ///< pages from the page table, rows of a page strides.row apart: [nb, bs, Nkv*D]
                ///< and [nb, Nkv, bs, D]
  kPagedNz,     ///< pages of fractal columns: [nb, Nkv, D/C0, bs, C0], C0 = 32 bytes of elements
  kDenseNz,     ///< the same, the pages of a batch one behind the other from its own address on
  kFed,  ///< none: the kernel of a Feed lays the rows of each step down in the workspace, dense,
         ///< and key and value are the same. `data` names the rows, batch by batch
};

/// A tensor [batch, kv head, kv row, width]: key, its rope part, value.
struct KvTensor {
  /// One address for all batches, or one a batch (tensor lists). Key and value may be the same
  /// bytes (MLA).
  std::vector<std::uint8_t*> data;
  isa::DType type = isa::DType::kNone;
  Storage storage = Storage::kContiguous;
  /// Paged: `batch` is the distance of pages. NZ: `head` is the distance of the heads of a page,
  /// `row` is C0.
  Strides strides;
  /// One a batch where the entries of a list differ; else empty, and strides.head holds.
  std::vector<std::int64_t> head_strides;
};

/// Lengths of one batch. The first rows are non-zero only where batches lie behind one another
/// (TND): they count rows, as strides.row does.
struct Batch {
  std::int64_t query_rows = 0;  ///< valid ones
  std::int64_t kv_rows = 0;
  std::int64_t first_query_row = 0;
  std::int64_t first_kv_row = 0;
  std::int64_t bias_start = 0;  ///< element of the bias where the batch's begin, beside its strides
};

/// Where the pages of a batch are: page_row(b, j) = table[b * columns + j / page_rows] * page_rows
/// + j % page_rows.
struct PageTable {
  std::int32_t* table = nullptr;  ///< in global memory
  std::int64_t columns = 0;
  std::int64_t page_rows = 0;
  std::int64_t sharing = 1;  ///< neighbouring batches that share a row of the table
};

/// Which columns a row sees: j >= i - before + shift and j <= i + after + shift, where shift is
/// kv_rows - query_rows of the batch if the diagonal ends in the right lower corner, else 0.
struct Window {
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int32_t>::max();
  std::int64_t before = kUnbounded;  ///< may be negative
  std::int64_t after = kUnbounded;   ///< may be negative
  bool right_down = false;
};

enum class MaskKind : std::uint8_t {
  kNone,
  kFull,      ///< a byte for each batch, row and column; not 0: not visible, beside the window
  kTriangle,  ///< [2048, 2048] bytes, 1 strictly above the diagonal: the kernel cuts the window's
              ///< edges out of it
};

struct Mask {
  MaskKind kind = MaskKind::kNone;
  std::uint8_t* data = nullptr;
  std::int64_t batch_stride = 0;  ///< 0: one for all batches
  std::int64_t row_stride = 0;    ///< bytes
};

/// Added to the scaled scores: pse_shift, the additive masks of PagedAttention.
struct Bias {
  std::uint8_t* data = nullptr;  ///< nullptr: there is none
  isa::DType type = isa::DType::kNone;
  Strides strides;  ///< `head` counts query heads
  /// Elements from 16 columns to the next 16 (fractals); 0: all columns of a row are adjacent.
  std::int64_t block_stride = 0;
  /// It is not added: a column where it is above 0.5 is not visible.
  bool hides = false;
};

/// Parameters of quantised key/value tensors: x = (int(x8) + offset) * scale, where scale and
/// offset of batch b, head g, column (token) j and channel d are found at the sum of these
/// distances. With `paged`, the token's are page * `batch` + row in page * `token`.
struct Antiquant {
  std::uint8_t* scale = nullptr;               ///< nullptr: not quantised, or an int8 query
  std::uint8_t* offset = nullptr;              ///< nullptr: 0
  isa::DType type = isa::DType::kNone;         ///< int64: the lower half of each is a float32
  isa::DType offset_type = isa::DType::kNone;  ///< kNone: that of the scale
  std::int64_t batch = 0, head = 0, token = 0, channel = 0;
  bool paged = false;
  std::int64_t batches = 0;  ///< not 0: batch b takes the parameters of batch b % batches
};

/// Factors of scores and output: s = (dot(q, k) + dot(query_rope, key_rope)) * query_scale[b, n, i]
/// * key_scale * scale; out is multiplied by value_scale and head_value_scale[n]. Those of an int8
/// query, or others.
struct QueryQuant {
  std::uint8_t* query_scale = nullptr;  ///< nullptr: no factor of scores
  isa::DType query_scale_type = isa::DType::kF32;
  Strides query_strides;
  float* key_scale = nullptr;         ///< one element; nullptr: 1
  float* value_scale = nullptr;       ///< one element; nullptr: 1
  float* head_value_scale = nullptr;  ///< [query_heads]; nullptr: 1
};

/// Probabilities as int8 for the product with value: p8 = rint(half(p * factor)), saturated.
enum class ProbsQuant : std::uint8_t {
  kNone,
  kByHead,  ///< the factor is that of the query head; what undoes it is the caller's scale of value
  kByStep,  ///< 127 / largest p of the row among the columns of a step, undone after the product
};

/// int8 output: sat8(rint(out * scale + offset)).
struct PostQuant {
  std::uint8_t* scale = nullptr;   ///< nullptr: the output is not int8
  std::uint8_t* offset = nullptr;  ///< nullptr: 0
  isa::DType type = isa::DType::kNone;
  /// [query_heads, value_width] elements instead of one.
  bool per_channel = false;
};

/// Rounding of the probabilities to the type of the product with value.
enum class Rounding : std::uint8_t { kNearestEven, kNearestAway };

/// Into how many parts the kv rows of a task may be cut, whose results are merged at the end, and
/// how many AICs share the work.
struct SplitPolicy {
  std::int64_t parts = 0;   ///< 0: as the tiling thinks best; 1: none; more: where there are enough
  std::uint32_t cores = 0;  ///< 0 or more than there are: all
  std::int64_t grain = 128;  ///< shares are cut at multiples of so many rows, itself one of 16
};

struct Problem {
  std::int64_t query_heads = 0, kv_heads = 0;
  std::int64_t key_width = 0;    ///< of query and key without rope; int4: in elements
  std::int64_t rope_width = 0;   ///< 0: no rope part
  std::int64_t value_width = 0;  ///< of value and output

  std::vector<Batch> batches;
  /// Rows of `out` and `lse` a batch has beside its valid ones: from query_rows to this they
  /// become 0 and +inf. 0: there are none.
  std::int64_t padded_query_rows = 0;

  QueryTensor query, query_rope;
  KvTensor key, key_rope, value;
  PageTable pages;          ///< where the storage is paged
  bool kv_past_l2 = false;  ///< L2 keeps no lines of what is read of key and value
  QueryTensor out;
  QueryTensor lse;  ///< float32, one element a row; data nullptr: not asked for

  float scale = 1;
  Window window;
  Mask mask;
  Bias bias;
  Antiquant key_quant, value_quant;
  /// Added to the products before they are scaled, by place in the cache: [nb, page rows] floats,
  /// the same for all heads. nullptr: 0.
  float* column_offset = nullptr;
  /// The query is multiplied by this before the column offset is added, which it does not multiply.
  /// Without a column offset it is 1, and `scale` holds all factors.
  float query_factor = 1;
  QueryQuant query_quant;
  ProbsQuant probs_quant = ProbsQuant::kNone;
  float* probs_scale = nullptr;  ///< [query_heads], of ProbsQuant::kByHead
  PostQuant post_quant;
  Rounding rounding = Rounding::kNearestEven;
  /// Probabilities are divided by their sum before they are rounded, which takes a second pass over
  /// the scores. For kernels whose keys are fed (TwoPassStream): at least 16 query heads share a
  /// tile; no masks, biases, quantisation or lse.
  bool two_pass = false;
  std::uint32_t feed_bytes = 0;  ///< of UB that the feed of such a kernel needs
  std::uint32_t feed_rows = 0;   ///< key rows of a step that it takes at most
  SplitPolicy split;
  /// Tiles that the cube multiplies one after the other before the vector cores take them. 0: each
  /// tile's products take turns with those of the tiles before, and cores share out single tiles.
  std::int64_t unit_tiles = 0;

  std::int64_t group() const { return query_heads / kv_heads; }
  bool paged() const { return key.storage != Storage::kContiguous; }
};

/// Columns [begin, end) that a row of a batch sees through the window; empty if begin >= end.
struct Columns {
  std::int64_t begin = 0, end = 0;
};
Columns visible_columns(const Problem& problem, const Batch& batch, std::int64_t row);

/// Pairs of row and column that are visible through the window, all query heads together: what the
/// cube has to do at least is twice this times the widths.
double visible_scores(const Problem& problem);

}  // namespace davsim::operators::attention
