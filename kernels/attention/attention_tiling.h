// What the host tells the attention kernel: shared by both, plain numbers and addresses only.
//
// Addresses are global memory addresses as 64-bit numbers; strides are in bytes unless a name says
// otherwise.
#pragma once

#include <cstdint>

/// Rows and columns of the blocks that the cube multiplies, and of what one load brings into L1.
inline constexpr uint32_t kAttentionBlock = 128;
/// Steps by which the product with value trails the scores, at least: two, because a step's softmax
/// and the two flags around it take longer than one step of the cube.
inline constexpr uint32_t kAttentionLag = 2;

/// Type of query, key and value as the kernel's entry selects its instance.
enum class AttentionTypes : uint32_t {
  kHalf,
  kBfloat,
  kHalfAndBfloat,  ///< rope parts and output bfloat16, all else half: an int8 query
};

/// How rows of a key/value tensor are found.
enum class AttentionStorage : uint32_t {
  kContiguous,  ///< row_stride apart
  kPagedRows,   ///< a page from the table, then row_stride
  kPagedNz,     ///< a page from the table, then columns of fractals
  kDenseNz,     ///< the same with pages one behind the other
  kFed,         ///< the vector cores lay a step's rows down in the workspace
};

/// Key, its rope part or value.
struct AttentionKv {
  AttentionStorage storage;
  uint32_t row_elements;  ///< elements from one row to the next; not of NZ
  uint32_t width;         ///< elements of a row
  uint32_t page_rows;     ///< 0: not paged
  uint64_t page_stride;   ///< bytes
};

/// Query, its rope part, the output: distances in elements.
struct AttentionRows {
  uint64_t head, row;
};

/// A share of the work of one core: some rows of one group of query heads against a stretch of key
/// and value rows. Rows are numbered head by head: r = head * rows + row.
struct alignas(64) AttentionTask {
  uint64_t query, query_rope;     ///< of its first head and row
  uint64_t key, key_rope, value;  ///< of its kv head; paged: of page 0; fed: key names its rows
  uint64_t out, lse;              ///< as query; lse 0: not asked for
  uint64_t table;                 ///< page table of its batch
  uint64_t mask;                  ///< full mask at its first row; 0: none
  uint64_t bias;                  ///< at its first head and row; 0: none
  uint64_t partial;               ///< where its unfinished result goes; 0: it is finished
  uint64_t query_scale;           ///< factor of its scores, at its first head and row; 0: none
  int32_t kv_begin, kv_end;       ///< rows; equal: there is nothing to see, out is 0
  int32_t low, high;              ///< its first row sees [low, high), the next one more of each
  uint16_t heads, rows;           ///< heads * rows are at most kAttentionBlock
  uint32_t first_channel;         ///< of post-quantisation: first head * value width
  uint32_t part, parts;           ///< which of how many have a partial result each; 0: it is whole
};
static_assert(sizeof(AttentionTask) <= 128);

/// Rows whose parts are to be merged: `parts` records one behind the other, each [rows of the task]
/// [value width] floats, then a maximum and a sum a row.
struct alignas(64) AttentionMerge {
  AttentionTask task;  ///< whose out and lse they become; `partial`: the first record
  uint32_t parts;
  uint32_t first, rows;  ///< of the task
};

/// Byte offsets in UB, and how many rows its buffers hold.
struct AttentionUb {
  uint32_t score_rows;            ///< rows of scores at a time, a multiple of 8
  uint32_t out_rows;              ///< rows of output at a time, likewise
  uint32_t scores, scores_bytes;  ///< two buffers
  uint32_t store;                 ///< probabilities and rows of output on their way out
  uint32_t sums;                  ///< the output so far
  uint32_t parts, parts_bytes;    ///< products with value, two buffers
  uint32_t reduced;               ///< results of block reductions
  uint32_t stats;
  uint32_t mask;  ///< bytes of a slice of columns, two buffers
  uint32_t bias;
  uint32_t quant;        ///< scale and offset of an int8 output, and what it is rounded through
  uint32_t row_scale;    ///< factors of rows of scores
  uint32_t probs_quant;  ///< factors of int8 probabilities
  uint32_t log_sums;     ///< of tasks whose probabilities come in a second pass
  uint32_t feed;         ///< of who feeds the cube
};

/// Places of a core's workspace that one kind of results takes in turn.
struct AttentionRing {
  uint64_t first, bytes;  ///< of a place
  uint32_t places;
};

/// Rings of blocks in L1, in blocks.
struct AttentionL1 {
  uint32_t query, key, value, probs;
  uint32_t ahead;  ///< blocks that are loaded ahead of the one that is multiplied
};

/// Columns of a mask that are looked at at a time.
inline constexpr uint32_t kAttentionMaskColumns = 128;
/// Rows and columns of the triangle.
inline constexpr uint32_t kAttentionTriangle = 2048;
/// Rows of a task that one vector core works on, at most.
inline constexpr uint32_t kAttentionVectorRows = kAttentionBlock / 2;

/// Tasks whose logarithms of sums are kept between two passes.
inline constexpr uint32_t kAttentionLogSums = 32;

/// Rows of kAttentionVectorRows floats that int8 probabilities take: a factor of each slot of
/// statistics, one that is being made, and spread ones.
inline constexpr uint32_t kAttentionProbsFactors = 4 + 2 + 8;

/// Parameters that are numbers of a type of their own.
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
  uint32_t per_channel;  ///< 1: a number for each query head and value channel
};

/// A tensor of few bits that becomes one of the query's type before all else:
/// (element + offset) * scale.
struct AttentionWidenTensor {
  AttentionKv access;  ///< `row_elements`, `page_stride`: of the narrow tensor
  uint32_t bits;       ///< of an element: 4 or 8
  AttentionNumber type, offset_type;
  uint32_t per_channel;      ///< 1: a number a channel
  uint32_t per_row;          ///< 1: a number a row, of a page or of all
  uint64_t page_parameters;  ///< elements of scale and offset from page to page; 0: not paged
};
/// Key, value and query may be such tensors.
inline constexpr uint32_t kAttentionWidenKey = 0, kAttentionWidenValue = 1,
                          kAttentionWidenQuery = 2, kAttentionWidenTensors = 3;

/// Rows of one head of such a tensor; they do not cross pages.
///
/// Or columns of fractals of such a page, which stay fractals: `first` is the page's first row.
struct alignas(64) AttentionWiden {
  uint64_t from;           ///< of the head's first row; paged: on page 0
  uint64_t to;             ///< where these rows or columns go
  uint64_t scale, offset;  ///< of the head's first row or page; 0: none
  uint64_t table;          ///< page table of its batch
  uint32_t tensor;         ///< which of the three
  uint32_t first, rows;
  uint32_t column, columns;  ///< of 32 bytes each
};

struct AttentionTiling {
  AttentionTypes types;
  uint32_t key_width, rope_width, value_width;
  uint32_t step_columns;  ///< key/value rows of a step, a multiple of kAttentionBlock
  uint32_t lag;           ///< steps by which products with value trail the scores
  uint32_t two_pass;      ///< 1: probabilities are divided by their sum before they are rounded
  uint32_t windowed;      ///< 1: low and high matter
  uint64_t mask_row;      ///< bytes of a full mask
  uint64_t triangle;      ///< [2048, 2048] bytes, 1 above the diagonal
  uint32_t nearest_away;  ///< rounding of the probabilities
  uint32_t merges;        ///< entries of merge_list; vector cores take turns
  uint32_t fills;         ///< tasks that see nothing
  float scale;
  AttentionKv key, key_rope, value;
  AttentionRows query_strides, rope_strides, out_strides;
  AttentionRows lse_strides;
  AttentionRows bias_strides;
  uint64_t bias_block;     ///< elements from 16 columns to the next 16; 0: columns are adjacent
  uint32_t bias_hides;     ///< 1: a bias above 0.5 hides its column, others do nothing
  uint64_t column_offset;  ///< floats by page and row, added to unscaled scores; 0: none
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
