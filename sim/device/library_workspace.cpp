// The part of global memory that the library of kernels keeps for itself.
#include "isa/core/library_workspace.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "sim/device/die.hpp"

namespace davsim::sim {
namespace {

/// Documented for the A2: room that the library has in every workspace.
constexpr std::uint64_t kLeastBytes = 16 << 20;
/// Allocates behind all else, so that no address of a program depends on it. Returns nullptr where
/// memory is full.
std::byte* allocate_last(memory::GlobalMemory& global, std::uint64_t bytes) {
  try {
    return global.allocate_last(bytes, "workspace of the kernels' library");
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void Die::prepare_library_workspace() {
  library_ = {};
  if (type_ == isa::KernelType::kAivOnly) return;
  const std::uint64_t vectors =
      std::uint64_t{schedule_.blocks()} * std::max<std::uint64_t>(1, schedule_.aivs_per_ai_core());
  const std::uint64_t bytes = std::max(kLeastBytes, vectors * isa::LibraryWorkspace::kBytesOfCore);
  if (global_.is_visited()) {  // it is gone with the visit
    const std::byte* const start = allocate_last(global_, bytes);
    if (start != nullptr) library_ = {reinterpret_cast<std::uint64_t>(start), bytes};
    return;
  }
  if (bytes > library_bytes_) {
    if (library_start_ != nullptr) global_.free(library_start_);
    library_start_ = allocate_last(global_, bytes);
    library_bytes_ = library_start_ != nullptr ? bytes : 0;
  }
  if (library_start_ == nullptr) return;
  library_ = {reinterpret_cast<std::uint64_t>(library_start_), library_bytes_};
  if (type_ == isa::KernelType::kAicOnly) return;
  for (std::uint64_t vector = 0; vector < vectors; ++vector) {
    std::memset(library_start_ + vector * isa::LibraryWorkspace::kBytesOfCore, 0,
                isa::LibraryWorkspace::kWordBytes);
  }
}

}  // namespace davsim::sim
