// Chooses the rings of L1.
#include <algorithm>

#include "kernels/attention/tiling.hpp"

namespace davsim::operators::attention {
namespace {

constexpr std::uint32_t kBlockBytes = kAttentionHalfOfL0;
constexpr std::uint32_t kMostAhead = 3, kLeastAhead = 2;

std::uint32_t blocks(std::uint32_t extent) {
  return (extent + kAttentionBlock - 1) / kAttentionBlock;
}

/// The blocks of a load, at most `most`, if `all` are loaded in as few equal loads as possible.
std::uint32_t share(std::uint32_t all, std::uint32_t most) {
  const std::uint32_t loads = (all + most - 1) / most;
  return (all + loads - 1) / loads;
}

/// What decides the room in L1: blocks of columns of all key and value rows, rows of a task, and
/// columns of a step.
struct L1Needs {
  std::uint32_t key_blocks, value_blocks, rows, step;
  std::uint32_t unit;  ///< tasks whose scores may follow each other
};

/// The rings in L1 for loads of at most `width` blocks of columns.
AttentionL1 rings(const L1Needs& needs, std::uint32_t width, std::uint32_t ahead) {
  AttentionL1 l1{};
  l1.ahead = ahead;
  const std::uint32_t rows = (needs.rows + 15) / 16 * 16;
  l1.probs_bytes = rows * kAttentionBlock * 2;
  l1.key_blocks = share(needs.key_blocks, width);
  // Half of L0C holds the sums of all columns that are loaded together.
  const std::uint32_t sums = kAttentionHalfOfL0c / (rows * kAttentionBlock * 4);
  l1.value_blocks = share(needs.value_blocks, std::min(width, sums));
  l1.query_bytes = l1.key_blocks * l1.probs_bytes;
  l1.kv_bytes = std::max(l1.key_blocks, l1.value_blocks) * kBlockBytes;
  // A place may be overwritten when it was last used more than `ahead` loads ago. With one load of
  // a key row, the queries of kAttentionLag + 1 tasks are used before the first product with value.
  const std::uint32_t loads = (needs.key_blocks + l1.key_blocks - 1) / l1.key_blocks;
  l1.query = loads > ahead ? loads : std::max(2 * loads, kAttentionLag + 1);
  if (needs.unit > 1) l1.query = std::max(l1.query, ahead + 1);
  l1.kv = ahead + 1;
  // Probabilities are used once for each load of columns of value.
  l1.probs = l1.value_blocks == needs.value_blocks ? ahead + 1 : needs.step / kAttentionBlock + 3;
  return l1;
}

}  // namespace

bool choose_rings(AttentionTiling& tiling, const Machine& machine, std::uint32_t rows) {
  const L1Needs needs{blocks(tiling.key_width) + blocks(tiling.rope_width),
                      blocks(tiling.value_width), rows, tiling.step_columns, tiling.unit};
  for (std::uint32_t width = std::max(needs.key_blocks, needs.value_blocks); width > 0; --width) {
    for (std::uint32_t ahead = kMostAhead; ahead >= kLeastAhead; --ahead) {
      const AttentionL1 l1 = tiling.l1 = rings(needs, width, ahead);
      const std::uint32_t bytes =
          l1.query * l1.query_bytes + l1.kv * l1.kv_bytes + l1.probs * l1.probs_bytes;
      if (bytes <= machine.l1) return true;
    }
  }
  return false;
}

}  // namespace davsim::operators::attention
