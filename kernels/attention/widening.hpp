// Quantised query, key and value: the tensors of the kernel's type that replace them, and the list
// of entries that fill these tensors.
#pragma once

#include <array>
#include <vector>

#include "kernels/attention/attention_tiling.h"
#include "kernels/attention/problem.hpp"
#include "kernels/attention/scratch.hpp"

namespace davsim::operators::attention {

struct Widening {
  Problem problem;  ///< with 16-bit tensors in place of the quantised ones
  std::array<AttentionWidenTensor, kAttentionWidenTensors> tensors{};
  std::vector<AttentionWiden> row_entries, page_entries;
  std::uint32_t rows = 0;           ///< the most rows of an entry
  std::uint32_t page_elements = 0;  ///< the most elements of an entry of a page
  std::vector<Scratch> memory;

  /// The entries in the order of the kernel: rows, then columns of pages.
  std::vector<AttentionWiden> entries() const;
};

Widening widen(const Problem& problem, memory::GlobalMemory& memory);

}  // namespace davsim::operators::attention
