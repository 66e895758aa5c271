#include "isa/core/global_pointer.hpp"

#include <algorithm>
#include <array>

#include "isa/core/core_sink.hpp"
#include "isa/core/running_kernel.hpp"
#include "isa/core/scalar_work.hpp"

std::uint64_t davsim_global_memory[2];

namespace davsim::isa {
namespace {

constexpr std::uint64_t kLine = CachedLine::kMaxBytes;
/// Hits in a row after which the core is asked all the same: simulated time must go on in a loop
/// that does nothing else. A choice.
constexpr std::uint32_t kMostHits = 1024;

/// Lines that are known to be in the cache, by their addresses; more than a loop goes along.
struct KnownLines {
  static constexpr unsigned kBits = 5;
  std::array<CachedLine*, 1 << kBits> lines{};
  std::uint64_t* clock = nullptr;
  std::uint32_t hits = 0;
  bool ignored = false;

  /// Arrays that a loop goes along often are a power of two apart.
  CachedLine*& at(std::uint64_t addr) {
    return lines[addr / kLine * 0x9E3779B97F4A7C15 >> (64 - kBits)];
  }
};
KnownLines g_known;

std::uint64_t& counted(ScalarClass which) {
  return davsim_scalar_work[static_cast<std::size_t>(which) + 1];
}

/// The instructions of the access were counted as accesses to the stack, or not at all.
void count(std::uint64_t bytes, std::uint32_t how) {
  const bool stores = (how & kPointerStores) != 0;
  std::uint64_t instructions = how >> kPointerCountShift;
  if ((how & kPointerUncounted) != 0) {
    instructions = (bytes + kPairBytes - 1) / kPairBytes;
    counted(stores ? ScalarClass::kStore : ScalarClass::kLoad) += instructions;
  }
  counted(stores ? ScalarClass::kGlobalStore : ScalarClass::kGlobalLoad) += instructions;
}

/// Where the bytes are, if that is known: the access is a hit. Else nullptr.
std::byte* known_hit(std::uint64_t addr, std::uint64_t bytes, bool stores) {
  CachedLine* const line = g_known.at(addr);
  const std::uint64_t first = addr % kLine;
  if (line == nullptr || line->last_use == 0 || line->addr != addr - first) return nullptr;
  if (first + bytes > kLine || ++g_known.hits > kMostHits) return nullptr;
  if (stores) line->dirty |= line_bits(first, bytes);
  line->last_use = ++*g_known.clock;
  return line->bytes.data() + first;
}

}  // namespace

void note_global_memory(std::uint64_t first, std::uint64_t bytes) {
  std::uint64_t end = first + bytes;
  if (davsim_global_memory[1] != 0) {
    end = std::max(end, davsim_global_memory[0] + davsim_global_memory[1]);
    first = std::min(first, davsim_global_memory[0]);
  }
  davsim_global_memory[0] = first;
  davsim_global_memory[1] = end - first;
}

void keep_pointer_line(CachedLine& line, std::uint64_t& clock) {
  g_known.at(line.addr) = &line;
  g_known.clock = &clock;
  g_known.hits = 0;
}

void ignore_pointers() {
  g_known.ignored = true;
}

void forget_pointer_lines() {
  g_known = {};
}

}  // namespace davsim::isa

void* davsim_global_access(void* at, std::uint64_t bytes, std::uint32_t how, const char* file,
                           std::uint32_t line) {
  using namespace davsim::isa;
  if (g_known.ignored || bytes == 0 || g_running_kernel.name == nullptr) return at;
  const auto addr = reinterpret_cast<std::uint64_t>(at);
  const bool stores = (how & kPointerStores) != 0, ends = (how & kPointerEnds) != 0;
  count(bytes, how);
  if (!ends) {
    if (void* const place = known_hit(addr, bytes, stores)) return place;
  }
  const SourceLocation where = SourceLocation::current(file, line);
  return current_core().access_by_pointer({addr, bytes, stores, ends, where});
}

void davsim_global_stored() {
  using namespace davsim::isa;
  if (!g_known.ignored && g_running_kernel.name != nullptr) current_core().stored_by_pointer();
}
