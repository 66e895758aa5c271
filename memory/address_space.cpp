#include "memory/address_space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace davsim::memory::address_space {
namespace {

/// Places that are tried behind the one that is wanted. Nothing else of a process is there.
#ifdef __SANITIZE_THREAD__
// ThreadSanitizer keeps its own records at most addresses. A program may use those below 2^39,
// which position-independent programs leave free, and those near its text, its heap and its stacks.
constexpr std::uint64_t kPlaces = 7, kPlaceBytes = std::uint64_t{1} << 36;
constexpr Starts kStartsOfDies{kPlaceBytes, kPlaceBytes, kPlaces};
std::uint64_t first_place(std::uint64_t wanted) {
  constexpr std::uint64_t kOwnRecords = std::uint64_t{1} << 39, kStacks = 0x7e8000000000;
  return wanted >= kOwnRecords && wanted < kStacks ? kPlaceBytes : wanted;
}
#else
constexpr std::uint64_t kPlaces = 16, kPlaceBytes = std::uint64_t{1} << 42;
// Programs, their libraries and stacks lie above. Places a TiB apart are tried up to 48 TiB,
// because what AddressSanitizer keeps for itself reaches to 16 TiB.
constexpr Starts kStartsOfDies{std::uint64_t{1} << 40, std::uint64_t{1} << 40, 48};
std::uint64_t first_place(std::uint64_t wanted) {
  return wanted;
}
#endif
/// Address space is taken in steps of this.
constexpr std::uint64_t kStep = std::uint64_t{32} << 20;

/// The first `mapped` bytes are usable and those from `tail` on.
struct Place {
  std::uint64_t capacity = 0, mapped = 0, tail = 0;
  int file = -1;
  /// Where its own bytes are while it is lent, piece by piece: from, to, bytes.
  struct Moved {
    std::uint64_t from, to, bytes;
  };
  std::vector<Moved> moved = {};
  bool lent = false;
  std::map<std::uint64_t, std::uint64_t> borrowed = {};  ///< bytes by offset
  std::set<std::uint64_t> cuts = {};  ///< where borrowed bytes began or ended at some time
};

std::mutex guard;
std::map<std::uint64_t, Place>& places() {
  static std::map<std::uint64_t, Place> all;
  return all;
}

[[noreturn]] void refuse(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), "the host refuses " + what);
}

/// Maps bytes [first, end) of a place. Returns MAP_FAILED if the host refuses or if something else
/// is there.
void* map(std::uint64_t start, std::uint64_t first, std::uint64_t end, int file, int how) {
  const int kind = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* wanted = reinterpret_cast<void*>(start + first);
  void* got = mmap(wanted, end - first, PROT_READ | PROT_WRITE, MAP_NORESERVE | kind | how, file,
                   file >= 0 ? static_cast<off_t>(first) : 0);
  // An old host takes the address for a hint.
  if (how != MAP_FIXED_NOREPLACE || got == MAP_FAILED || got == wanted) return got;
  munmap(got, end - first);
  errno = EEXIST;
  return MAP_FAILED;
}

/// Whether no other memory may grow into [start, start + bytes).
bool is_free(std::uint64_t start, std::uint64_t bytes) {
  const auto behind = places().lower_bound(start);
  if (behind != places().end() && behind->first < start + bytes) return false;
  if (behind == places().begin()) return true;
  const auto& [before, place] = *std::prev(behind);
  return before + place.capacity <= start;
}

}  // namespace

Starts starts_of_dies() {
  return kStartsOfDies;
}

std::uint64_t take(std::uint64_t capacity, int file, std::uint64_t wanted) {
  const std::lock_guard lock(guard);
  const std::uint64_t first = std::min(capacity, kStep);
  for (std::uint64_t i = 0; i < kPlaces; ++i) {
    const std::uint64_t start = first_place(wanted) + i * kPlaceBytes;
    if (!is_free(start, capacity)) continue;
    if (map(start, 0, first, file, MAP_FIXED_NOREPLACE) != MAP_FAILED) {
      places()[start] = {capacity, first, capacity, file};
      return start;
    }
    if (errno != EEXIST) break;
  }
  // All of it, wherever the host has room.
  void* anywhere = map(0, 0, capacity, file, 0);
  if (anywhere == MAP_FAILED) {
    refuse("to reserve " + std::to_string(capacity) + " bytes of address space for global memory");
  }
  const auto start = reinterpret_cast<std::uint64_t>(anywhere);
  places()[start] = {capacity, capacity, capacity, file};
  return start;
}

void map_up_to(std::uint64_t start, std::uint64_t bytes) {
  const std::lock_guard lock(guard);
  Place& place = places().at(start);
  const std::uint64_t end = std::min(place.tail, (bytes + kStep - 1) / kStep * kStep);
  if (place.lent || bytes <= place.mapped || end == place.mapped) return;
  if (map(start, place.mapped, end, place.file, MAP_FIXED_NOREPLACE) == MAP_FAILED) {
    refuse("to give " + std::to_string(end) + " bytes of address space to global memory");
  }
  place.mapped = end;
}

void map_behind(std::uint64_t start, std::uint64_t from) {
  const std::lock_guard lock(guard);
  Place& place = places().at(start);
  const std::uint64_t first = std::max(place.mapped, from / kStep * kStep);
  if (place.lent || first >= place.tail) return;
  if (map(start, first, place.tail, place.file, MAP_FIXED_NOREPLACE) == MAP_FAILED) {
    refuse("to give " + std::to_string(place.tail - first) +
           " bytes of address space to global memory");
  }
  place.tail = first;
}

namespace {

/// What of a place is mapped: its first and its last bytes, as offsets.
std::vector<std::pair<std::uint64_t, std::uint64_t>> mapped_parts(const Place& place) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts{{0, place.mapped}};
  if (place.tail < place.capacity) parts.emplace_back(place.tail, place.capacity);
  return parts;
}

/// The same in pieces. The host moves only what it keeps as one mapping, and it may join
/// neighbouring steps or not.
std::vector<std::pair<std::uint64_t, std::uint64_t>> mapped_pieces(const Place& place) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for (const auto& [first, end] : mapped_parts(place)) {
    for (std::uint64_t at = first; at < end; at = pieces.back().second) {
      const auto cut = place.cuts.upper_bound(at);
      const std::uint64_t until = cut == place.cuts.end() ? end : std::min(end, *cut);
      pieces.emplace_back(at, std::min(until, at + kStep));
    }
  }
  return pieces;
}

bool is_borrowed(const Place& place, std::uint64_t offset) {
  const auto behind = place.borrowed.upper_bound(offset);
  if (behind == place.borrowed.begin()) return false;
  const auto& [first, bytes] = *std::prev(behind);
  return offset - first < bytes;
}

/// Copies what is not zero: pages of zeros need none in the file.
void copy_pages(const std::byte* from, std::byte* to, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  static constexpr std::byte kZeros[kPage] = {};
  for (std::uint64_t at = 0; at < bytes; at += kPage) {
    const std::uint64_t size = std::min(kPage, bytes - at);
    if (std::memcmp(from + at, kZeros, size) != 0) std::memcpy(to + at, from + at, size);
  }
}

/// Moves a mapping to wherever the host has room.
std::uint64_t move_away(std::uint64_t from, std::uint64_t bytes) {
  void* const room =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) refuse("to reserve address space for the memory of a die");
  void* const to =
      mremap(reinterpret_cast<void*>(from), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, room);
  if (to == MAP_FAILED) refuse("to move the memory of a die");
  return reinterpret_cast<std::uint64_t>(to);
}

}  // namespace

void move_to_file(std::uint64_t start, int file) {
  const std::lock_guard lock(guard);
  Place& place = places().at(start);
  for (const auto& [first, end] : mapped_pieces(place)) {
    if (is_borrowed(place, first)) continue;
    void* const there = map(0, first, end, file, 0);
    if (there == MAP_FAILED) refuse("to map a file of global memory");
    copy_pages(reinterpret_cast<const std::byte*>(start + first), static_cast<std::byte*>(there),
               end - first);
    munmap(there, end - first);
    if (map(start, first, end, file, MAP_FIXED) == MAP_FAILED) {
      refuse("to map a file of global memory");
    }
  }
  place.file = file;
}

namespace {

void put_back(std::uint64_t start, Place& place) {
  if (place.lent) munmap(reinterpret_cast<void*>(start), place.capacity);
  for (const auto& [from, to, bytes] : place.moved) {
    mremap(reinterpret_cast<void*>(to), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
           reinterpret_cast<void*>(from));
  }
  place.moved.clear();
  place.lent = false;
}

}  // namespace

void lend(std::uint64_t start, int file) {
  const std::lock_guard lock(guard);
  Place& place = places().at(start);
  try {
    for (const auto& [first, end] : mapped_pieces(place)) {
      const std::uint64_t bytes = end - first;
      place.moved.push_back({start + first, move_away(start + first, bytes), bytes});
    }
    if (map(start, 0, place.capacity, file, MAP_FIXED_NOREPLACE) == MAP_FAILED) {
      refuse("to map the memory that another process has for a die");
    }
  } catch (const std::system_error&) {
    put_back(start, place);
    throw;
  }
  place.lent = true;
}

void take_back(std::uint64_t start) {
  const std::lock_guard lock(guard);
  put_back(start, places().at(start));
}

void borrow(std::uint64_t start, std::uint64_t first, std::uint64_t bytes, int file,
            std::uint64_t offset) {
  const std::lock_guard lock(guard);
  void* const got = mmap(reinterpret_cast<void*>(start + first), bytes, PROT_READ | PROT_WRITE,
                         MAP_NORESERVE | MAP_SHARED | MAP_FIXED, file, static_cast<off_t>(offset));
  if (got == MAP_FAILED) refuse("to map memory of another process");
  Place& place = places().at(start);
  place.borrowed[first] = bytes;
  place.cuts.insert({first, first + bytes});
}

void end_borrowing(std::uint64_t start, std::uint64_t first, std::uint64_t bytes) {
  const std::lock_guard lock(guard);
  Place& place = places().at(start);
  if (map(start, first, first + bytes, place.file, MAP_FIXED) == MAP_FAILED) {
    refuse("to map global memory");
  }
  place.borrowed.erase(first);
}

void give_back(std::uint64_t start) {
  const std::lock_guard lock(guard);
  const auto place = places().find(start);
  for (const auto& [first, end] : mapped_parts(place->second)) {
    munmap(reinterpret_cast<void*>(start + first), end - first);
  }
  places().erase(place);
}

}  // namespace davsim::memory::address_space
