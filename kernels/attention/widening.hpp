// Quantised query, key and value: tensors of the kernel's type that take their place, and who fills
// them.
#pragma once

#include <array>
#include <vector>

#include "kernels/attention/attention_tiling.h"
#include "kernels/attention/problem.hpp"
#include "kernels/attention/scratch.hpp"

namespace davsim::ops::attention {

struct Widening {
  Problem problem;  ///< with 16-bit tensors in place of the quantised ones
  std::array<AttentionWidenTensor, kAttentionWidenTensors> tensors{};
  std::vector<AttentionWiden> entries;
  std::uint32_t rows = 0;  ///< of an entry, at most
  std::vector<Scratch> memory;
};

Widening widen(const Problem& problem, memory::GlobalMemory& memory);

}  // namespace davsim::ops::attention
