#include "kernels/attention/launch.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/attention/scratch.hpp"
#include "kernels/attention/tiling.hpp"
#include "kernels/attention/widening.hpp"

namespace davsim::operators::attention {
namespace {

/// A mask to cut windows out of, where the caller has none: 1 above the diagonal.
Scratch triangle(memory::GlobalMemory& memory) {
  std::vector<std::uint8_t> bytes(std::size_t{kAttentionTriangle} * kAttentionTriangle);
  for (std::size_t row = 0; row < kAttentionTriangle; ++row) {
    std::memset(&bytes[row * kAttentionTriangle] + row + 1, 1, kAttentionTriangle - row - 1);
  }
  return Scratch(memory, bytes, "triangle");
}

}  // namespace

std::optional<std::string> unsupported(const Problem& problem) {
  if (problem.key.type == isa::DType::kI4 && problem.paged()) return "int4 pages are not available";
  // The output's type is not known yet while a call is validated.
  const isa::DType rope = problem.query_rope.type, out = problem.out.type;
  const bool roped = problem.query.type == isa::DType::kI8 && problem.rope_width > 0;
  if (roped && out != isa::DType::kNone && rope != out) {
    return "an int8 query with rope parts of another type than the output is not available";
  }
  return std::nullopt;
}

observe::LaunchReport launch(const Problem& problem, sim::Device& device) {
  const Preparation ready(problem, device);
  return device.launch("attention", ready.block_dim(), ready.tiling());
}

Preparation::Preparation(const Problem& problem, sim::Device& device) {
  if (const auto text = unsupported(problem)) throw std::invalid_argument("attention: " + *text);
  memory::GlobalMemory& memory = device.memory();
  Widening wide = widen(problem, memory);
  memory_ = std::move(wide.memory);
  Plan plan = attention::plan(wide.problem, Machine::of(device.soc()));
  block_dim_ = plan.block_dim;
  tiling_ = plan.tiling;
  // Room in global memory, and where it begins.
  const auto hold = [&](const auto& content, const char* name) {
    return memory_.emplace_back(memory, content, name).address();
  };
  tiling_.workspace = hold(tiling_.workspace_bytes * block_dim_, "workspace");
  const std::uint64_t parts = hold(plan.schedule.partial_bytes, "parts");
  const auto place = [&](AttentionTask& task) {
    if (task.partial != 0) task.partial += parts - 1;
  };
  for (AttentionTask& task : plan.schedule.tasks) place(task);
  for (AttentionMerge& merge : plan.schedule.merges) place(merge.task);
  tiling_.first_tasks = hold(plan.schedule.first, "shares");
  tiling_.tasks = hold(plan.schedule.tasks, "tasks");
  tiling_.fill_list = hold(plan.schedule.fills, "fills");
  tiling_.merge_list = hold(plan.schedule.merges, "merges");
  tiling_.widen_list = hold(wide.entries(), "what to widen");
  if (plan.needs_triangle) {
    tiling_.triangle = memory_.emplace_back(triangle(memory)).address();
  }
  tiling_.widens = static_cast<std::uint32_t>(wide.row_entries.size());
  tiling_.widen_rows = wide.rows;
  tiling_.page_widens = static_cast<std::uint32_t>(wide.page_entries.size());
  tiling_.page_elements = wide.page_elements;
  std::copy(wide.tensors.begin(), wide.tensors.end(), tiling_.widen);
}

}  // namespace davsim::operators::attention
