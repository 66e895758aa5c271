// One call of sparse_flash_attention_quant.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::operators::sparse_flash_attention {

inline constexpr std::int64_t kHeads = 128;
inline constexpr std::int64_t kLatent = 512;
inline constexpr std::int64_t kRope = 64;
inline constexpr std::int64_t kGroups = 4;  ///< scales of a key row
inline constexpr std::int64_t kPage = 128;
inline constexpr std::int64_t kMostSelected = 2048;

struct Problem {
  std::int64_t batches = 0, steps = 0;  ///< steps: query tokens of a batch
  std::int64_t selected = 0;            ///< topk
  std::int64_t blocks = 0;              ///< of a row of the block table
  std::int64_t key_rows = 0;
  bool quantised = false;
  double scale = 0;

  std::int64_t tokens() const { return batches * steps; }
};

/// Sizes of a call that passed validate().
Problem problem_of(const Call& call);
/// Entries of topk_indices that token `step` of a batch of `length` keys uses.
std::int64_t used_entries(const Problem& problem, std::int64_t length, std::int64_t step);

/// The operator's own rules, in their documented order. Throws Refusal.
void validate(const Call& call);

/// The documented examples.
std::vector<ExampleCase> cases();
Call make_case(std::string_view id, memory::GlobalMemory& memory);

}  // namespace davsim::operators::sparse_flash_attention
