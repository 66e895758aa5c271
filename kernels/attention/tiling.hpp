// The tiling of a launch of attention: rows and columns at a time, and the tasks of each core.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/attention_tiling.h"
#include "kernels/attention/problem.hpp"
#include "sim/soc/soc_config.hpp"

namespace davsim::operators::attention {

/// The properties of a SoC for the tiling. Sizes are in bytes.
struct Machine {
  static Machine of(const sim::SocConfig& soc);

  std::uint32_t cores = 0;  ///< AICs, each with two AIVs
  std::uint32_t l1 = 0, ub = 0, l0a = 0, l0b = 0, l0c = 0;
};

/// The work of each core. Addresses of tensors are those of the problem. `partial` of tasks and
/// merges counts bytes from 1 on. 0 means none.
struct Schedule {
  std::vector<AttentionTask> tasks;    ///< core by core
  std::vector<std::uint32_t> first;    ///< the first task of each core, and the number of tasks
  std::vector<AttentionTask> fills;    ///< rows without a visible column
  std::vector<AttentionMerge> merges;  ///< rows of tasks that several cores share
  std::uint64_t partial_bytes = 0;
};

struct Plan {
  std::uint32_t block_dim = 1;
  AttentionTiling tiling{};  ///< without the addresses of lists and workspace
  Schedule schedule;
  bool needs_triangle = false;
};

/// Throws std::invalid_argument for a SoC whose buffers are too small.
Plan plan(const Problem& problem, const Machine& machine);

/// Chooses rings for steps of this length, and for tasks of `rows` rows, that fit in L1: with loads
/// of whole rows of key and value, which memory moves best, or else with loads as wide as possible,
/// and with as many of them ahead as possible. Returns false if none fit.
bool choose_rings(AttentionTiling& tiling, const Machine& machine, std::uint32_t rows);

/// How the kernel finds the rows of a key/value tensor with rows of `width` elements.
AttentionKv access_of(const Problem& problem, const KvTensor& tensor, std::int64_t width);
AttentionNumber number_of(isa::DType type);

/// The tiles of a problem before their assignment: rows of one group of heads with all columns that
/// they see. `fills` has the rows without a visible column.
struct Tiles {
  std::vector<AttentionTask> work, fills;
};
Tiles tiles_of(const Problem& problem);
/// Assigns tiles to `cores` cores. `out_rows` are the rows of a merge, `width` is that of the
/// output. If `splits_first`, parts of split tiles are the first tasks of their core.
Schedule deal(const Tiles& tiles, const SplitPolicy& split, bool splits_first, std::uint32_t cores,
              std::uint32_t out_rows, std::uint32_t width);

/// Assigns whole units of at most `unit_tiles` consecutive tiles of a kv head, in their order, so
/// that the busiest core has the least work.
Schedule deal_units(const Tiles& tiles, std::uint32_t unit_tiles, std::uint32_t cores);

}  // namespace davsim::operators::attention
