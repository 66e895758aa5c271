#include "kernels/attention/launch.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "kernels/attention/scratch.hpp"
#include "kernels/attention/tiling.hpp"
#include "kernels/attention/widening.hpp"

namespace davsim::ops::attention {
namespace {

/// A mask to cut windows out of, where the caller has none: 1 above the diagonal.
Scratch triangle(memory::GlobalMemory& memory) {
  const Scratch scratch(memory, std::uint64_t{kAttentionTriangle} * kAttentionTriangle, "triangle");
  for (std::size_t row = 0; row < kAttentionTriangle; ++row) {
    std::memset(scratch.data() + row * kAttentionTriangle + row + 1, 1,
                kAttentionTriangle - row - 1);
  }
  return scratch;
}

}  // namespace

std::optional<std::string> unsupported(const Problem& problem) {
  if (problem.key.type == isa::DType::kI4 && problem.paged()) return "int4 pages are not available";
  // The output's type is not known yet while a call is checked.
  const isa::DType rope = problem.query_rope.type, out = problem.out.type;
  const bool roped = problem.query.type == isa::DType::kI8 && problem.rope_width > 0;
  if (roped && out != isa::DType::kNone && rope != out) {
    return "an int8 query with rope parts of another type than the output is not available";
  }
  return std::nullopt;
}

traces::LaunchReport launch(const Problem& problem, sim::Device& device) {
  if (const auto text = unsupported(problem)) throw std::invalid_argument("attention: " + *text);
  memory::GlobalMemory& memory = device.memory();
  const Widening wide = widen(problem, memory);
  Plan plan = attention::plan(wide.problem, Machine::of(device.soc()));
  AttentionTiling& tiling = plan.tiling;
  const std::uint64_t slot = tiling.slot_scores + tiling.slot_probs + tiling.slot_parts;
  const Scratch workspace(memory, slot * kAttentionSlots * plan.block_dim, "workspace");
  const Scratch parts(memory, plan.schedule.partial_bytes, "parts");
  const auto place = [&](AttentionTask& task) {
    if (task.partial != 0) task.partial += parts.address() - 1;
  };
  for (AttentionTask& task : plan.schedule.tasks) place(task);
  for (AttentionMerge& merge : plan.schedule.merges) place(merge.task);
  const Scratch first(memory, plan.schedule.first, "shares");
  const Scratch tasks(memory, plan.schedule.tasks, "tasks");
  const Scratch fills(memory, plan.schedule.fills, "fills");
  const Scratch merges(memory, plan.schedule.merges, "merges");
  const Scratch widens(memory, wide.entries(), "what to widen");
  const Scratch window = plan.needs_triangle ? triangle(memory) : Scratch();
  if (plan.needs_triangle) tiling.triangle = window.address();
  tiling.workspace = workspace.address();
  tiling.first_tasks = first.address();
  tiling.tasks = tasks.address();
  tiling.fill_list = fills.address();
  tiling.merge_list = merges.address();
  tiling.widen_list = widens.address();
  tiling.widens = static_cast<std::uint32_t>(wide.row_entries.size());
  tiling.widen_rows = wide.rows;
  tiling.page_widens = static_cast<std::uint32_t>(wide.page_entries.size());
  tiling.page_elements = wide.page_elements;
  std::copy(wide.tensors.begin(), wide.tensors.end(), tiling.widen);
  return device.launch("attention", plan.block_dim, tiling);
}

}  // namespace davsim::ops::attention
