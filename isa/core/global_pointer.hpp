// Pointers into global memory, which kernels dereference as the device's scalar unit does.
//
// Such a pointer, __gm__ T*, is an ordinary pointer of the host. On the device an access is a load
// or store of the scalar unit through its data cache. The plugin of isa/plugin therefore puts a
// test before each access of a kernel through a pointer. Where the address is one of global memory,
// the running core is asked where the bytes are: in a line of its data cache, or where there is
// none, in global memory itself. There the access takes place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/core/pointer_access.hpp"
#include "isa/instr/source_location.hpp"

extern "C" {
/// The first address of global memory, and how many bytes follow. With several memories, what lies
/// between them as well.
extern std::uint64_t davsim_global_memory[2];
/// Compiled kernels call it before an access to global memory, which then takes place where the
/// result says. `how` has the bits of isa/core/pointer_access.hpp.
void* davsim_global_access(void* at, std::uint64_t bytes, std::uint32_t how, const char* file,
                           std::uint32_t line);
/// Compiled kernels call it behind a store with kPointerEnds.
void davsim_global_stored();
}

namespace davsim::isa {

/// Notes that [first, first + bytes) is global memory.
void note_global_memory(std::uint64_t first, std::uint64_t bytes);

struct PointerAccess {
  std::uint64_t addr = 0, bytes = 0;
  bool stores = false;
  bool ends = false;  ///< the core hears of the store's end
  SourceLocation where;
};

/// A line of a data cache.
struct CachedLine {
  static constexpr std::uint32_t kMaxBytes = 64;
  /// Aligned as the device's lines are: compiled accesses rely on the alignment of their types.
  alignas(kMaxBytes) std::array<std::byte, kMaxBytes> bytes;
  std::uint64_t addr = 0;
  std::uint64_t last_use = 0;  ///< 0: the line is invalid
  std::uint64_t dirty = 0;     ///< one bit for each byte
};

/// The bits of [first, first + bytes) of a line.
inline std::uint64_t line_bits(std::uint64_t first, std::uint64_t bytes) {
  const std::uint64_t ones = bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  return ones << first;
}

/// Accesses to `line` of the running core's cache are hits as long as it is valid and the kernel is
/// not suspended, and the core need not hear of them. `clock` numbers the uses of the cache's
/// lines.
void keep_pointer_line(CachedLine& line, std::uint64_t& clock);
/// The running core need not hear of accesses.
void ignore_pointers();
/// Ends both. Whoever lets a core's kernel run calls it.
void forget_pointer_lines();

}  // namespace davsim::isa
