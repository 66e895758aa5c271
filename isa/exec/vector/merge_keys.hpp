// Merging of descending runs of keys, several outputs at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace davsim::isa {

/// The key by which pairs are compared. All keys differ, and none is 0.
using SortKey = std::uint64_t;

/// Merges the descending runs `a` and `b` to `to`. A 0 must follow each run. A 0 is written behind
/// the result. `to` must not overlap the runs.
void merge_keys(const SortKey* a, std::size_t a_length, const SortKey* b, std::size_t b_length,
                SortKey* to);

}  // namespace davsim::isa
