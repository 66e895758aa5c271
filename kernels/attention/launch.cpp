#include "kernels/attention/launch.hpp"

#include <cstring>
#include <memory>

#include "kernels/attention/tiling.hpp"

namespace davsim::ops::attention {
namespace {

/// Global memory of one launch.
class Scratch {
 public:
  Scratch(memory::GlobalMemory& memory, std::uint64_t bytes, const char* name) {
    if (bytes == 0) return;
    data_ = std::shared_ptr<std::byte>(memory.allocate(bytes, name),
                                       [&memory](std::byte* start) { memory.free(start); });
  }
  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(data_.get()); }
  std::byte* data() const { return data_.get(); }

 private:
  std::shared_ptr<std::byte> data_;
};

template <class T>
Scratch list_of(memory::GlobalMemory& memory, const std::vector<T>& list, const char* name) {
  const Scratch scratch(memory, list.size() * sizeof(T), name);
  if (!list.empty()) std::memcpy(scratch.data(), list.data(), list.size() * sizeof(T));
  return scratch;
}

/// A mask to cut windows out of, where the caller has none: 1 above the diagonal.
Scratch triangle(memory::GlobalMemory& memory) {
  const Scratch scratch(memory, std::uint64_t{kAttentionTriangle} * kAttentionTriangle,
                        "attention triangle");
  for (std::size_t row = 0; row < kAttentionTriangle; ++row) {
    std::memset(scratch.data() + row * kAttentionTriangle + row + 1, 1,
                kAttentionTriangle - row - 1);
  }
  return scratch;
}

}  // namespace

std::optional<std::string> unsupported(const Problem& problem) {
  if (problem.key_quant.scale != nullptr || problem.value_quant.scale != nullptr) {
    return "quantised key and value are not available yet";
  }
  if (problem.query_quant.query_scale != nullptr) return "an int8 query is not available yet";
  if (problem.post_quant.scale != nullptr) return "an int8 output is not available yet";
  return std::nullopt;
}

traces::LaunchReport launch(const Problem& problem, sim::Device& device) {
  if (const auto text = unsupported(problem)) throw std::invalid_argument("attention: " + *text);
  Plan plan = attention::plan(problem, Machine::of(device.soc()));
  AttentionTiling& tiling = plan.tiling;
  memory::GlobalMemory& memory = device.memory();
  const std::uint64_t slot = tiling.slot_scores + tiling.slot_probs + tiling.slot_parts;
  const Scratch workspace(memory, slot * kAttentionSlots * plan.block_dim, "attention workspace");
  const Scratch parts(memory, plan.schedule.partial_bytes, "attention parts");
  const auto place = [&](AttentionTask& task) {
    if (task.partial != 0) task.partial += parts.address() - 1;
  };
  for (AttentionTask& task : plan.schedule.tasks) place(task);
  for (AttentionMerge& merge : plan.schedule.merges) place(merge.task);
  const Scratch first = list_of(memory, plan.schedule.first, "attention shares");
  const Scratch tasks = list_of(memory, plan.schedule.tasks, "attention tasks");
  const Scratch fills = list_of(memory, plan.schedule.fills, "attention fills");
  const Scratch merges = list_of(memory, plan.schedule.merges, "attention merges");
  const Scratch window =
      plan.needs_triangle ? triangle(memory) : Scratch(memory, 0, "attention triangle");
  if (plan.needs_triangle) tiling.triangle = window.address();
  tiling.workspace = workspace.address();
  tiling.first_tasks = first.address();
  tiling.tasks = tasks.address();
  tiling.fill_list = fills.address();
  tiling.merge_list = merges.address();
  return device.launch("attention", plan.block_dim, tiling);
}

}  // namespace davsim::ops::attention
