#include "kernels/kv_rmsnorm_rope_cache/tiling.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace davsim::operators::kv_rmsnorm_rope_cache {
namespace {

constexpr std::int64_t kFloat = 4, kHalf = 2;
/// A block with fewer tokens spends more time on being started than on them.
constexpr std::int64_t kTokensOfBlock = 2;

/// Storing a chunk takes a fraction of the next one's arithmetic, which needs the room of the store
/// only at its end: a second slot would be room for nothing, and larger chunks are worth more. But
/// rows that are scattered over NZ pages leave in pieces of 32 bytes, and take as long.
std::int64_t output_slots(const Problem& p) {
  return p.mode.nz && p.mode.indexing == Indexing::kRow ? 2 : 1;
}

/// UB bytes of chunks of `rows` tokens, as the kernel's InitBuffers() lays them out.
std::int64_t ub_bytes_of(const Problem& p, std::int64_t rows) {
  constexpr std::int64_t kInputSlots = 2, kBankPeriod = 512, kBankShift = 256;
  const auto lines = [](std::int64_t bytes) { return round_up(bytes, kBankPeriod); };
  const std::int64_t numbers = round_up(rows, 8);
  const std::int64_t folds = (rows * kLatent / 7 + 8) / 8 * 8;
  std::int64_t bytes = lines(kLatent * kFloat);                                  // gamma
  bytes += lines(kBankShift + (kLatent + 2 * kRow) * kFloat);                    // constants
  bytes += lines(rows * kRow * kFloat);                                          // values
  bytes += lines(kBankShift + (rows * kLatent + folds + 9 * numbers) * kFloat);  // scratch
  bytes += kInputSlots * (lines(rows * kRow * kHalf) + lines(rows * 2 * kRope * kHalf));
  const bool caches_16bit = !p.k_quantised || !p.ckv_quantised;
  const bool plain = p.output_kv || (caches_16bit && !p.mode.nz);
  const bool nz = caches_16bit && p.mode.nz;
  const bool int8 = p.k_quantised || p.ckv_quantised;
  const std::int64_t of_16bit = lines(rows * kRow * kHalf);
  return bytes + output_slots(p) * ((plain ? of_16bit : 0) + (nz ? of_16bit : 0) +
                                    (int8 ? lines(rows * kRow) : 0));
}

/// The largest chunks that fit: each pays the fixed costs of some fifty vector instructions.
std::int64_t rows_that_fit(const Problem& p, std::int64_t ub_bytes) {
  if (const std::int64_t least = ub_bytes_of(p, 1); least > ub_bytes) {
    throw std::invalid_argument("kv_rmsnorm_rope_cache: a token takes " + std::to_string(least) +
                                " bytes of UB; this SoC's has " + std::to_string(ub_bytes) +
                                " bytes");
  }
  std::int64_t rows = 1;
  while (ub_bytes_of(p, rows + 1) <= ub_bytes) ++rows;
  return rows;
}

}  // namespace

Plan plan(const Problem& p, std::uint32_t vector_cores, std::uint64_t ub_bytes) {
  const std::int64_t rows = rows_that_fit(p, static_cast<std::int64_t>(ub_bytes));
  const auto flag = [](bool set) { return set ? 1u : 0u; };

  Plan plan;
  plan.block_dim = static_cast<std::uint32_t>(
      std::min<std::int64_t>(ceil_div(p.tokens(), kTokensOfBlock), vector_cores));
  KvRmsnormRopeCacheTiling& tiling = plan.tiling;
  tiling.batch = static_cast<std::uint32_t>(p.batch);
  tiling.seq_len = static_cast<std::uint32_t>(p.seq_len);
  tiling.page_rows = static_cast<std::uint32_t>(p.page_rows);
  tiling.blocks_of_batch = static_cast<std::uint32_t>(p.blocks_of_batch());
  tiling.index_of_batch = flag(p.mode.indexing == Indexing::kRowOfBatch);
  tiling.index_of_page = flag(p.mode.indexing == Indexing::kPage);
  tiling.nz = flag(p.mode.nz);
  tiling.bf16 = flag(p.dtype == isa::DType::kBF16);
  tiling.k_quantised = flag(p.k_quantised);
  tiling.ckv_quantised = flag(p.ckv_quantised);
  tiling.k_offset = flag(p.k_offset);
  tiling.ckv_offset = flag(p.ckv_offset);
  tiling.output_kv = flag(p.output_kv);
  tiling.cos_per_token = flag(p.cos_per_token);
  tiling.sin_per_token = flag(p.sin_per_token);
  tiling.chunk_rows = static_cast<std::uint32_t>(rows);
  tiling.output_slots = static_cast<std::uint32_t>(output_slots(p));
  tiling.epsilon = p.epsilon;
  return plan;
}

}  // namespace davsim::operators::kv_rmsnorm_rope_cache
