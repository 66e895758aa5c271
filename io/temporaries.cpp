#include "io/temporaries.hpp"

#include <unistd.h>

#include <array>
#include <atomic>

namespace davsim::io::temporaries {
namespace {

std::array<std::atomic<const char*>, kMost> names{};

}  // namespace

std::size_t remember(const char* name) {
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    const char* free = nullptr;
    if (names[slot].compare_exchange_strong(free, name)) return slot;
  }
  return names.size();
}

void forget(std::size_t slot) {
  if (slot < names.size()) names[slot] = nullptr;
}

void remove_all() noexcept {
  for (const auto& slot : names) {
    if (const char* name = slot.load()) unlink(name);
  }
  // Folders are remembered before what is in them.
  for (std::size_t i = names.size(); i-- > 0;) {
    if (const char* name = names[i].load()) rmdir(name);
  }
}

}  // namespace davsim::io::temporaries
