// The tiling that the host passes to the attention kernel. Both include this file. It has plain
// numbers and addresses only.
//
// Addresses are addresses in global memory, as 64-bit numbers. Strides are in bytes unless the name
// says otherwise.
#pragma once

#include <cstdint>

/// The rows and columns of the blocks that the cube multiplies, and the rows of a load into L1.
inline constexpr uint32_t kAttentionBlock = 128;
/// The bytes of a block of 16-bit elements and of a block of sums. L0A, L0B and L0C hold two each.
inline constexpr uint32_t kAttentionHalfOfL0 = kAttentionBlock * kAttentionBlock * 2;
inline constexpr uint32_t kAttentionHalfOfL0c = kAttentionBlock * kAttentionBlock * 4;
/// The least number of steps by which the product with value follows the scores. It is two, because
/// the softmax of a step and its two flags take longer than one step of the cube.
inline constexpr uint32_t kAttentionLag = 2;

/// The types of query, key and value. They select an instance of the kernel.
enum class AttentionTypes : uint32_t {
  kHalf,
  kBfloat,
  kHalfAndBfloat,  ///< rope parts and output bfloat16, all else half: an int8 query
};

/// How the rows of a key/value tensor are stored.
enum class AttentionStorage : uint32_t {
  kContiguous,  ///< at a distance of row_stride
  kPagedRows,   ///< a page from the table, then row_stride
  kPagedNz,     ///< a page from the table, then columns of fractals
  kDenseNz,     ///< as kPagedNz, with contiguous pages
  kFed,         ///< the vector cores store the rows of a step in the workspace
};

/// Key, its rope part or value.
struct AttentionKv {
  AttentionStorage storage;
  uint32_t row_elements;  ///< elements from one row to the next; unused for NZ
  uint32_t width;         ///< elements of a row
  uint32_t page_rows;     ///< 0: not paged
  uint64_t page_stride;   ///< bytes
};

/// The query, its rope part, or the output. Distances are in elements.
struct AttentionRows {
  uint64_t head, row;
};

/// A task of a core: some rows of one group of query heads and a range of key and value rows. Rows
/// are numbered head by head: r = head * rows + row.
struct alignas(64) AttentionTask {
  uint64_t query, query_rope;     ///< addresses of its first head and row
  uint64_t key, key_rope, value;  ///< of its kv head; paged: of page 0; fed: key is its rows
  uint64_t out, lse;              ///< as query; lse 0: no lse
  uint64_t table;                 ///< the page table of its batch
  uint64_t mask;                  ///< the full mask at its first row; 0: none
  uint64_t bias;                  ///< the bias at its first head and row; 0: none
  uint64_t partial;               ///< the record for its unfinished result; 0: the task is whole
  uint64_t query_scale;           ///< factors of its scores, at its first head and row; 0: none
  int32_t kv_begin, kv_end;       ///< rows; equal: no column is visible, and out is 0
  int32_t low, high;              ///< its first row sees [low, high), the next one more of each
  uint16_t heads, rows;           ///< heads * rows are at most kAttentionBlock
  uint32_t first_channel;         ///< for post-quantisation: first head * value width
  uint32_t part, parts;           ///< its number among the parts; parts 0: the task is whole
};
static_assert(sizeof(AttentionTask) <= 128);

/// Rows whose parts are merged. There are `parts` records, one behind the other. A record has [rows
/// of the task][value width] floats, then the maximum and the sum of each row.
struct alignas(64) AttentionMerge {
  AttentionTask task;  ///< the task with `out` and `lse`; `partial` is the first record
  uint32_t parts;
  uint32_t first, rows;  ///< of the task
};

/// The lines of kAttentionVectorRows floats of the statistics of so many steps: three of each,
/// three more, and, from a multiple of eight on, eight lines of spread values.
constexpr uint32_t AttentionStatLines(uint32_t slots) {
  return (3 * slots + 3 + 7) / 8 * 8 + 8;
}

/// Byte offsets in UB, and the numbers of rows of its buffers.
struct AttentionUb {
  uint32_t score_rows;            ///< rows of scores at a time, a multiple of 8
  uint32_t out_rows;              ///< rows of output at a time, likewise
  uint32_t scores, scores_bytes;  ///< two buffers
  uint32_t store;                 ///< probabilities and rows of output that are stored
  uint32_t sums;                  ///< the output so far
  uint32_t parts, parts_bytes;    ///< products with value, two buffers
  uint32_t reduced;               ///< results of block reductions
  uint32_t stats, stat_slots;     ///< the statistics of so many steps
  uint32_t mask;                  ///< bytes of a slice of columns, two buffers
  uint32_t bias;
  uint32_t quant;        ///< scale and offset of an int8 output, and scratch
  uint32_t row_scale;    ///< factors of rows of scores
  uint32_t probs_quant;  ///< factors of int8 probabilities
  uint32_t log_sums;     ///< of tasks with two passes
  uint32_t feed;         ///< for the feed of the cube
};

/// A ring of places in a core's workspace for one kind of results.
struct AttentionRing {
  uint64_t first, bytes;  ///< the first place, and the bytes of a place
  uint32_t places;
};

/// Rings of places in L1. A place of query or of key and value has blocks of columns side by side,
/// a place of probabilities has one block.
struct AttentionL1 {
  uint32_t query, kv, probs;                    ///< places
  uint32_t query_bytes, kv_bytes, probs_bytes;  ///< of a place
  uint32_t key_blocks, value_blocks;            ///< blocks of columns of a load
  uint32_t ahead;                               ///< loads ahead of the one that is multiplied
};

/// The columns of a mask that are processed at a time.
inline constexpr uint32_t kAttentionMaskColumns = 128;
/// The rows and columns of the triangular mask.
inline constexpr uint32_t kAttentionTriangle = 2048;
/// The largest number of rows of a task on one vector core.
inline constexpr uint32_t kAttentionVectorRows = kAttentionBlock / 2;

/// The number of tasks whose logarithms of sums are kept between two passes.
inline constexpr uint32_t kAttentionLogSums = 32;

/// The rows of kAttentionVectorRows floats for int8 probabilities: the factors of each slot of
/// statistics, the factors that are being computed, and blocks of copies.
inline constexpr uint32_t kAttentionProbsFactors = 4 + 2 + 8;

/// The type of the numbers of a parameter.
enum class AttentionNumber : uint32_t {
  kFloat,
  kHalf,
  kBfloat,
  kInt,        ///< int32
  kWideFloat,  ///< int64 whose lower half is a float
};

/// int8 probabilities, see ProbsQuant.
enum class AttentionProbsQuant : uint32_t { kNone, kByHead, kByStep };

/// int8 output: out * scale + offset, rounded.
struct AttentionPostQuant {
  uint64_t scale, offset;  ///< 0: the output is not int8, the offset is 0
  AttentionNumber type;
  uint32_t per_channel;  ///< 1: one number for each query head and value channel
};

/// A tensor of few bits that is first converted to the type of the query: (element + offset) *
/// scale.
struct AttentionWidenTensor {
  AttentionKv access;  ///< of the narrow tensor
  uint32_t bits;       ///< of an element: 4 or 8
  AttentionNumber type, offset_type;
  uint32_t per_channel;      ///< 1: one number for each channel
  uint32_t per_row;          ///< 1: one number for each row, of a page or of all
  uint64_t page_parameters;  ///< elements of scale and offset from page to page; 0: not paged
};
/// Key, value and query may be such tensors.
inline constexpr uint32_t kAttentionWidenKey = 0, kAttentionWidenValue = 1,
                          kAttentionWidenQuery = 2, kAttentionWidenTensors = 3;

/// An entry of the list of conversions: rows of one head of such a tensor, which do not cross
/// pages. Or columns of fractals of such a page, which stay fractals. `first` is then the first row
/// of the page.
struct alignas(64) AttentionWiden {
  uint64_t from;           ///< the first row of the head; paged: on page 0
  uint64_t to;             ///< the destination of these rows or columns
  uint64_t scale, offset;  ///< for the first row or page of the head; 0: none
  uint64_t table;          ///< page table of its batch
  uint32_t tensor;         ///< one of the three
  uint32_t first, rows;
  uint32_t column, columns;  ///< of 32 bytes each
};

struct AttentionTiling {
  AttentionTypes types;
  uint32_t key_width, rope_width, value_width;
  uint32_t step_columns;  ///< key/value rows of a step, a multiple of kAttentionBlock
  uint32_t lag;           ///< steps by which products with value follow the scores, at most
  uint32_t unit;          ///< steps of a unit; cores tell each other when a unit is complete
  uint32_t in_turn;       ///< 1: products of scores and with value take turns unit by unit
  uint32_t two_pass;      ///< 1: probabilities are divided by their sum before they are rounded
  uint32_t windowed;      ///< 1: low and high limit the visible columns
  uint64_t mask_row;      ///< bytes of a full mask
  uint64_t triangle;      ///< [2048, 2048] bytes, 1 above the diagonal
  uint32_t nearest_away;  ///< rounding of the probabilities
  uint32_t merges;        ///< entries of merge_list; vector cores take turns
  uint32_t fills;         ///< tasks without a visible column
  float scale;
  AttentionKv key, key_rope, value;
  AttentionRows query_strides, rope_strides, out_strides;
  AttentionRows lse_strides;
  AttentionRows bias_strides;
  uint64_t bias_block;     ///< elements from 16 columns to the next 16; 0: columns are adjacent
  uint32_t bias_hides;     ///< 1: a bias above 0.5 hides its column, others do nothing
  uint32_t kv_past_l2;     ///< 1: L2 keeps no lines of key and value
  uint64_t column_offset;  ///< floats by page and row, added to unscaled scores; 0: none
  float query_factor;      ///< of scores before the column offset is added
  AttentionRows query_scale_strides;
  AttentionNumber query_scale_type;
  uint64_t key_scale, value_scale;  ///< one float each; 0: 1
  uint64_t head_value_scale;        ///< a float a query head; 0: 1
  AttentionProbsQuant probs_quant;
  uint64_t probs_scale;  ///< a float a query head
  AttentionPostQuant post_quant;
  AttentionWidenTensor widen[kAttentionWidenTensors];
  uint32_t widens;         ///< entries of widen_list that are rows; vector cores take turns
  uint32_t widen_rows;     ///< of such an entry, at most
  uint32_t page_widens;    ///< entries behind them that are columns of a page
  uint32_t page_elements;  ///< of such an entry, at most
  uint64_t widen_list;
  AttentionL1 l1;
  AttentionUb ub;
  uint64_t first_tasks;  ///< uint32 a block and one more: its tasks in `tasks`
  uint64_t tasks;
  uint64_t fill_list;  ///< AttentionTask; vector cores take turns
  uint64_t merge_list;
  uint64_t workspace, workspace_bytes;  ///< of block 0, and of each block
  AttentionRing scores, probs, parts, rows;
};
