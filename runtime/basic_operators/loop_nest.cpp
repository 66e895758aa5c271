#include "runtime/basic_operators/loop_nest.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace davsim::basic {
namespace {

using Loop = LoopNest::Loop;

/// Loops that go on where the next inner one ends are one.
std::vector<Loop> joined(const std::vector<Loop>& loops) {
  std::vector<Loop> result;
  for (const Loop& loop : loops) {
    if (!result.empty()) {
      Loop& outer = result.back();
      if (outer.to_step == loop.to_step * loop.size &&
          outer.from_step == loop.from_step * loop.size) {
        outer = {outer.size * loop.size, loop.to_step, loop.from_step};
        continue;
      }
    }
    result.push_back(loop);
  }
  return result;
}

void move_loops(const LoopNest& nest, std::size_t loop, std::byte* to, const std::byte* from) {
  if (loop == nest.loops.size()) {
    std::memcpy(to, from, static_cast<std::size_t>(nest.run));
    return;
  }
  const Loop& at = nest.loops[loop];
  for (std::int64_t i = 0; i < at.size; ++i) {
    move_loops(nest, loop + 1, to + i * at.to_step, from + i * at.from_step);
  }
}

}  // namespace

std::int64_t LoopNest::runs() const {
  std::int64_t count = 1;
  for (const Loop& loop : loops) count *= loop.size;
  return count;
}

void LoopNest::move(std::byte* to, const std::byte* from) const {
  move_loops(*this, 0, to + to_offset, from + from_offset);
}

LoopNest loop_nest(const View& to, const View& from, std::int64_t element) {
  std::vector<Loop> loops;
  for (std::size_t d = 0; d < to.rank(); ++d) {
    if (to.sizes[d] == 1) continue;
    loops.push_back({to.sizes[d], to.strides[d] * element, from.strides[d] * element});
  }
  std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
    return std::abs(a.to_step) > std::abs(b.to_step);
  });
  LoopNest nest{joined(loops), element, to.offset * element, from.offset * element};
  if (!nest.loops.empty()) {
    const Loop last = nest.loops.back();
    if (last.to_step == element && last.from_step == element) {
      nest.run = last.size * element;
      nest.loops.pop_back();
    }
  }
  return nest;
}

}  // namespace davsim::basic
