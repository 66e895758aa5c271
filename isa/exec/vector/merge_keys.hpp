// Merging of descending runs of keys, several outputs at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace davsim::isa {

/// What sorted pairs are compared by. No two keys are alike, and none is 0.
using SortKey = std::uint64_t;

/// Merges descending runs `a` and `b`, behind each of which stands a 0, into `to`, and puts a 0
/// behind the result. `to` overlaps neither.
void merge_keys(const SortKey* a, std::size_t a_length, const SortKey* b, std::size_t b_length,
                SortKey* to);

}  // namespace davsim::isa
