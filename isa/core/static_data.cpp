#include "isa/core/static_data.hpp"

#include <link.h>

namespace davsim::isa {
namespace {

/// In every SoC's memory, and far behind what kernels usually allocate.
constexpr std::uint64_t kPlace = std::uint64_t{24} << 30;

struct Search {
  std::uint64_t addr, bytes;
  std::uint64_t base = 0;  ///< of the binary
  bool found = false;
};

int look_into(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) != 0) continue;
    const std::uint64_t offset = search.addr - info->dlpi_addr - segment.p_vaddr;
    if (offset > segment.p_memsz || search.bytes > segment.p_memsz - offset) continue;
    search.base = info->dlpi_addr;
    search.found = true;
    return 1;
  }
  return 0;
}

Search find(std::uint64_t addr, std::uint64_t bytes) {
  Search search{addr, bytes};
  dl_iterate_phdr(look_into, &search);
  return search;
}

}  // namespace

bool is_static_data(std::uint64_t addr, std::uint64_t bytes) {
  return addr != 0 && find(addr, bytes).found;
}

std::uint64_t device_address_of_static_data(std::uint64_t addr) {
  return kPlace + addr - find(addr, 1).base;
}

}  // namespace davsim::isa
