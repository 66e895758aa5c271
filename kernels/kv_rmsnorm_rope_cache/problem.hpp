// The sizes of one kv_rmsnorm_rope_cache call, and where its tokens go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/common/arithmetic.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::kv_rmsnorm_rope_cache {

/// A row of kv is the compressed part, which is normalised, and the rope part, which is rotated.
inline constexpr std::int64_t kLatent = 512;
inline constexpr std::int64_t kRope = 64;
inline constexpr std::int64_t kRow = kLatent + kRope;

/// What an entry of `index` says.
enum class Indexing : std::uint8_t {
  kRowOfBatch,  ///< Norm: the token's row in its batch's part of the caches
  kRow,         ///< PA...: the token's row in the caches, all pages behind one another
  kPage,        ///< PA_BLK...: any row of the page that takes a whole block of tokens
};

struct CacheMode {
  Indexing indexing = Indexing::kRowOfBatch;
  bool nz = false;  ///< a page's bytes are [W/C0, bs, C0]

  bool paged() const { return indexing != Indexing::kRowOfBatch; }
};

/// Names are case-sensitive; none for a name that is not documented.
std::optional<CacheMode> cache_mode_named(std::string_view name);

struct Problem {
  std::int64_t batch = 0;    ///< B
  std::int64_t seq_len = 0;  ///< S
  CacheMode mode;
  std::int64_t pages = 0;                ///< nb; Norm: B
  std::int64_t page_rows = 0;            ///< bs; Norm: Smax
  isa::DType dtype = isa::DType::kBF16;  ///< of kv, gamma, cos, sin and the outputs
  bool k_quantised = false, ckv_quantised = false;
  bool k_offset = false, ckv_offset = false;
  float epsilon = 1e-5f;
  bool output_kv = false;                           ///< asked for and the mode has it
  bool cos_per_token = true, sin_per_token = true;  ///< false: one row a batch

  std::int64_t tokens() const { return batch * seq_len; }
  std::int64_t rows() const { return pages * page_rows; }  ///< of a cache
  /// PA_BLK...: entries of index a batch has.
  std::int64_t blocks_of_batch() const { return ceil_div(seq_len, page_rows); }
  std::int64_t index_count() const {
    return mode.indexing == Indexing::kPage ? batch * blocks_of_batch() : tokens();
  }
};

/// Sizes of a call that passed validate().
Problem problem_of(const Call& call);

/// Row of the caches, all pages behind one another, that token `token` (b*S + s) goes to; -1 for
/// none.
std::int64_t cache_row(const Problem& problem, const std::int64_t* index, std::int64_t token);

/// The rules that are documented ahead of those about dtypes. Throws Refusal.
void validate_ranks(const Call& call);
/// The operator's other rules, in their documented order. Throws Refusal.
void validate(const Call& call);
/// What is legal but not what the hardware does, and with `thorough` tokens written to one row.
std::vector<std::string> warnings(const Call& call, bool thorough);

/// The documented examples KVR-1..7 and refusals KVR-N1...
std::vector<ExampleCase> cases();
Call make_case(std::string_view id, memory::GlobalMemory& memory);

}  // namespace davsim::operators::kv_rmsnorm_rope_cache
