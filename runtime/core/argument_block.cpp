#include "runtime/core/argument_block.hpp"

#include <cstring>
#include <string>

#include "runtime/core/api_error.hpp"
#include "runtime/core/kernel_binaries.hpp"

namespace davsim::runtime {
namespace {

/// Where the parameters begin, and where the last one ends.
struct Layout {
  std::vector<std::size_t> starts;
  std::size_t end = 0;
  std::size_t in_words = 0;  ///< bytes if each had words of its own
};

Layout layout_of(const KernelHandle& kernel) {
  Layout layout;
  for (std::uint32_t i = 0; i < kernel.parameters.count; ++i) {
    const std::size_t alignment = kernel.alignments[i], bytes = kernel.parameters.sizes[i];
    layout.starts.push_back((layout.end + alignment - 1) / alignment * alignment);
    layout.end = layout.starts.back() + bytes;
    layout.in_words += isa::slot_bytes(bytes);
  }
  return layout;
}

void check(const KernelHandle& kernel, const Layout& layout, std::size_t given) {
  const bool words = given == layout.in_words && given > isa::slot_bytes(layout.end);
  if (given >= layout.end && !words) return;
  refuse_rt("the arguments of " + kernel.name + " are " + std::to_string(layout.end) +
            " bytes, as in a structure of its parameters; " + std::to_string(given) +
            " were given" + (words ? ", as if each had 8 bytes of its own" : ""));
}

}  // namespace

std::vector<std::uint64_t> slots_of(const KernelHandle& kernel,
                                    const std::vector<std::byte>& block) {
  std::vector<std::uint64_t> slots;
  if (!kernel.parameters.known() || kernel.alignments == nullptr) {
    slots.resize(isa::slot_bytes(block.size()) / isa::kSlotBytes);
    if (!block.empty()) std::memcpy(slots.data(), block.data(), block.size());
    return slots;
  }
  const Layout layout = layout_of(kernel);
  check(kernel, layout, block.size());
  for (std::uint32_t i = 0; i < kernel.parameters.count; ++i) {
    const std::size_t bytes = kernel.parameters.sizes[i], slot = slots.size();
    slots.resize(slot + isa::slot_bytes(bytes) / isa::kSlotBytes);
    std::memcpy(&slots[slot], &block[layout.starts[i]], bytes);
  }
  return slots;
}

}  // namespace davsim::runtime
