// What the host tells the kernels of dispatch and combine, and where things lie in the windows of
// their communicators. Both are shared by host and kernels.
#pragma once

#include <cstdint>

struct MoeDistributeTiling {
  uint32_t rank, world;              ///< in the expert-parallel group
  uint32_t tp_rank, tp_world;        ///< tp_world is 2, or 1 without a tensor-parallel group
  uint32_t tokens, width, top_k;     ///< BS, H and K
  uint32_t max_tokens;               ///< the largest BS of the group
  uint32_t experts;                  ///< MoE experts of the group
  uint32_t rank_experts;             ///< MoE experts of each rank that has some
  uint32_t shared_experts;           ///< 0 where no rank has shared experts
  uint32_t shared_ranks;             ///< they come first
  uint32_t copy_begin, const_begin;  ///< expert ids from here on add x, or a constant
  uint32_t mask_rank;                ///< of x_active_mask; 0: there is none
  uint32_t a3;                       ///< 1: the contexts are those of an A3, 0: of an A2
  uint32_t bfloat16;                 ///< 1: x is bfloat16, 0: float16
  uint32_t quantised;      ///< rows travel as int8 with a scale, or a scale each 8 numbers
  uint32_t has_scales;     ///< dispatch: smooth factors of the experts
  uint32_t has_weights;    ///< dispatch: expert_scales travel with the rows
  uint32_t counts_add_up;  ///< dispatch: expert_token_nums are prefix sums
  uint32_t by_index;       ///< earlier interface: places follow expert and index
  uint32_t has_shared_x;   ///< combine: shared_expert_x is added
  uint32_t blocks;
};

/// Of the hierarchical algorithm.
struct MoeLevelTiling {
  MoeDistributeTiling flat;
  uint32_t servers;
  uint32_t server_ranks;  ///< ranks of a server
};

namespace moe_distribute {

/// Behind the numbers of a row that dispatch sends: the scale; source rank, token and k; and the
/// weight where it travels. Each begins a DataBlock, as copies do.
constexpr uint64_t kOriginAt = 32, kWeightAt = 64, kTailBytes = 96;
constexpr uint64_t kFlagBytes = 32;
constexpr uint64_t kRecordBytes = 512;
/// Between what two blocks of dispatch tell each other in the workspace.
constexpr uint64_t kApart = 512;
constexpr uint64_t kMostBlocks = 64;
/// Numbers that share a scale where combine quantises.
constexpr uint32_t kScaleGroup = 8;

inline uint64_t AlignUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Room in which the blocks of a rank tell each other how long they waited for each rank.
inline uint64_t WaitTimesBytes(uint64_t blocks, uint64_t ranks) {
  return blocks * AlignUp(ranks * 4, kApart);
}

/// The window of the expert-parallel group on a rank. Each region but the records is there twice;
/// calls take turns, so that a rank may begin the next call while others read this one's rows.
struct EpWindow {
  explicit EpWindow(const MoeDistributeTiling& t) {
    const uint64_t experts = t.rank_experts > 0 ? t.rank_experts : 1;
    words = experts * t.world;
    rank_words = experts;
    max_tokens = t.max_tokens;
    const uint64_t entries = t.top_k + t.shared_experts;
    slots = (t.by_index != 0 ? t.experts + t.shared_experts : entries) * t.max_tokens;
    combine_row = AlignUp(2 * uint64_t{t.width}, 512);
    dispatch_row = DispatchRow(t.quantised != 0 ? 1 : 2, t.width);
    // Both operators of a model must agree on what lies where, and combine does not know whether
    // dispatch quantised.
    const uint64_t widest = DispatchRow(2, t.width);
    status = 2 * kMostBlocks * kRecordBytes;
    flags = status + 2 * words * kFlagBytes;
    combine_rows = AlignUp(flags + 2 * slots * kFlagBytes, 512);
    dispatch_rows = combine_rows + 2 * slots * combine_row;
    bytes = dispatch_rows + 2 * words * max_tokens * widest;
    half_of_rows = words * max_tokens * widest;
  }
  static uint64_t DispatchRow(uint64_t size, uint64_t width) {
    return AlignUp(AlignUp(size * width, 32) + kTailBytes, 512);
  }
  /// Of dispatch: a word for each source and local expert, with a flag and a count.
  uint64_t Status(uint32_t half, uint64_t word) const {
    return status + (half * words + word) * kFlagBytes;
  }
  uint64_t Row(uint32_t half, uint64_t source, uint64_t expert, uint64_t index) const {
    return dispatch_rows + half * half_of_rows +
           ((source * rank_words + expert) * max_tokens + index) * dispatch_row;
  }
  /// Of combine: rows and flags by slot.
  uint64_t Flag(uint32_t half, uint64_t slot) const {
    return flags + (half * slots + slot) * kFlagBytes;
  }
  uint64_t Returned(uint32_t half, uint64_t slot) const {
    return combine_rows + (half * slots + slot) * combine_row;
  }
  /// Whose turn it is, for operator 0 (dispatch) or 1 (combine) and each block.
  static uint64_t Record(uint32_t op, uint32_t block) {
    return (op * kMostBlocks + block) * kRecordBytes;
  }

  uint64_t words, rank_words, max_tokens, slots, combine_row, dispatch_row;
  uint64_t status, flags, combine_rows, dispatch_rows, half_of_rows, bytes;
};

/// The window with the hierarchical algorithm. A rank keeps tokens of the ranks with its place in
/// other servers, on their way to experts of its own server and back. Regions are there twice, too.
struct LevelWindow : EpWindow {
  explicit LevelWindow(const MoeLevelTiling& t) : EpWindow(t.flat), servers(t.servers) {
    server_experts = t.flat.experts / t.servers;
    list_bytes = AlignUp(uint64_t{t.flat.top_k} * 4, 32);
    token_row = AlignUp(AlignUp(2 * uint64_t{t.flat.width}, 32) + kFlagBytes + 3 * list_bytes, 512);
    tokens = servers * max_tokens;
    source_slots = max_tokens * (t.flat.by_index != 0 ? server_experts : t.flat.top_k);
    counts = AlignUp(bytes, 512);
    token_flags = counts + 2 * servers * server_experts * kFlagBytes;
    sum_flags = token_flags + 2 * tokens * kFlagBytes;
    gathered_flags = sum_flags + 2 * tokens * kFlagBytes;
    token_rows = AlignUp(gathered_flags + 2 * servers * source_slots * kFlagBytes, 512);
    sum_rows = token_rows + 2 * tokens * token_row;
    gathered_rows = sum_rows + 2 * tokens * combine_row;
    level_bytes = gathered_rows + 2 * servers * source_slots * combine_row;
  }
  /// Of dispatch: rows of a server for an expert of this one, tokens, and whether they are there.
  uint64_t Count(uint32_t half, uint64_t server, uint64_t expert) const {
    return counts + ((half * servers + server) * server_experts + expert) * kFlagBytes;
  }
  uint64_t Token(uint32_t half, uint64_t server, uint64_t token) const {
    return token_rows + (half * tokens + server * max_tokens + token) * token_row;
  }
  uint64_t TokenFlag(uint32_t half, uint64_t server, uint64_t token) const {
    return token_flags + (half * tokens + server * max_tokens + token) * kFlagBytes;
  }
  /// Of combine: rows of experts of this server, by the server of their token.
  uint64_t Gathered(uint32_t half, uint64_t slot) const {
    return gathered_rows + (half * servers * source_slots + slot) * combine_row;
  }
  uint64_t GatheredFlag(uint32_t half, uint64_t slot) const {
    return gathered_flags + (half * servers * source_slots + slot) * kFlagBytes;
  }
  /// What a server made of a token of this rank.
  uint64_t Sum(uint32_t half, uint64_t server, uint64_t token) const {
    return sum_rows + (half * tokens + server * max_tokens + token) * combine_row;
  }
  uint64_t SumFlag(uint32_t half, uint64_t server, uint64_t token) const {
    return sum_flags + (half * tokens + server * max_tokens + token) * kFlagBytes;
  }

  uint64_t servers, server_experts, list_bytes, token_row, tokens;
  uint64_t source_slots;  ///< rows that come together for the rank of a server
  uint64_t counts, token_flags, sum_flags, gathered_flags;
  uint64_t token_rows, sum_rows, gathered_rows, level_bytes;
};

/// The window of the tensor-parallel group: what the other rank received, or is to add.
struct TpWindow {
  explicit TpWindow(const MoeDistributeTiling& t) {
    row_bytes = EpWindow::DispatchRow(2, t.width);
    rows = uint64_t{t.world} * t.max_tokens;
    counts_bytes = AlignUp(uint64_t{t.world} * 4, 512);
    counts = 4 * kMostBlocks * kFlagBytes;
    data = counts + 2 * counts_bytes;
    bytes = data + 4 * rows * row_bytes;
  }
  uint64_t Flag(uint32_t op, uint32_t half, uint32_t block) const {
    return ((op * 2 + half) * kMostBlocks + block) * kFlagBytes;
  }
  uint64_t Counts(uint32_t half) const { return counts + half * counts_bytes; }
  uint64_t Row(uint32_t op, uint32_t half, uint64_t row) const {
    return data + ((op * 2 + half) * rows + row) * row_bytes;
  }
  uint64_t row_bytes, rows, counts_bytes, counts, data, bytes;
};

}  // namespace moe_distribute
