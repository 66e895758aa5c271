#include "memory/global_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>

#include "isa/core/global_pointer.hpp"
#include "memory/address_space.hpp"
#include "memory/large_pages.hpp"

namespace davsim::memory {
namespace {

constexpr std::uint64_t kAlignment = GlobalMemory::kAlignment;
/// The last allocation leaves this behind it. Sets of L2 follow from addresses, so a change of this
/// changes cycles.
constexpr std::uint64_t kLeftBehind = 2 * kAlignment;
constexpr std::uint64_t kPage = 4096;
/// Larger allocations may be caches of which a case touches little here and there; each touch would
/// cost a large page.
constexpr std::uint64_t kLargestInLargePages = std::uint64_t{1} << 30;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t reserve(std::uint64_t bytes, int file, std::uint64_t place) {
  if (file != GlobalMemory::kNotShared && ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    throw std::system_error(
        errno, std::generic_category(),
        "the host refuses to make a file of " + std::to_string(bytes) + " bytes for global memory");
  }
  return address_space::take(bytes, file, place);
}

/// Up to here zeroing costs less than having the host grant the pages again: launches take and free
/// a workspace each.
constexpr std::uint64_t kLargestKept = std::uint64_t{64} << 20;

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t bytes, int shared_file)
    : GlobalMemory(bytes, shared_file, kPreferredBase, false) {}

GlobalMemory::GlobalMemory(std::uint64_t bytes, OneOfMany die)
    : GlobalMemory(bytes, kNotShared, die.place, true) {}

GlobalMemory::GlobalMemory(std::uint64_t bytes, int shared_file, std::uint64_t place,
                           bool one_of_many)
    : shared_(shared_file != kNotShared),
      one_of_many_(one_of_many),
      base_(reserve(bytes, shared_file, place)),
      capacity_(bytes),
      free_{{base_, bytes}} {
  isa::note_global_memory(base_, capacity_);
}

GlobalMemory::~GlobalMemory() {
  address_space::give_back(base_);
  if (own_file_ != kNotShared) close(own_file_);
}

int GlobalMemory::share_with_processes() {
  if (own_file_ != kNotShared) return own_file_;
  const int file = memfd_create("davsim global memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(capacity_)) != 0) {
    const std::system_error error(errno, std::generic_category(),
                                  "the host refuses a file for global memory");
    if (file >= 0) close(file);
    throw error;
  }
  own_file_ = file;
  address_space::move_to_file(base_, file);
  shared_ = true;
  return file;
}

std::byte* GlobalMemory::borrow(int file, std::uint64_t offset, std::uint64_t bytes,
                                std::string name) {
  const std::uint64_t from = offset / kPage * kPage, before = offset - from;
  const std::uint64_t pages = round_up(before + bytes, kPage);
  std::byte* start = nullptr;
  try {
    start = allocate_at(base_ + from, pages, name);
  } catch (const std::bad_alloc&) {
    start = allocate(pages, name, kPage);
  }
  const auto at = reinterpret_cast<std::uint64_t>(start);
  try {
    address_space::borrow(base_, at - base_, pages, file, from);
  } catch (const std::system_error&) {
    free(start);
    throw;
  }
  live_.at(at).bytes = before + bytes;
  live_.at(at).shared = true;
  allocated_ -= pages - (before + bytes);
  borrowed_[at] = pages;
  return start + before;
}

void GlobalMemory::end_borrowing(const std::byte* first) {
  const auto at = reinterpret_cast<std::uint64_t>(first) / kPage * kPage;
  const auto found = borrowed_.find(at);
  if (found == borrowed_.end()) {
    throw std::invalid_argument(hex(at) + " is no memory of another process");
  }
  const std::uint64_t pages = found->second;
  borrowed_.erase(found);
  address_space::end_borrowing(base_, at - base_, pages);
  Block& block = live_.at(at);
  allocated_ += pages - block.bytes;
  block.bytes = pages;
  free(reinterpret_cast<std::byte*>(at));
}

GlobalMemory::Visit::Visit(GlobalMemory& memory, const Elsewhere& elsewhere)
    : memory_(memory), allocated_(memory.allocated_), shared_(memory.shared_) {
  address_space::lend(memory.base_, elsewhere.file);
  for (const Allocation& of : elsewhere.allocations) {
    live_.emplace(of.start, Block{of.bytes, of.name, ++memory.serials_, false, of.shared});
    memory.allocated_ += of.bytes;
  }
  // Programs take memory from the beginning and communicators from the end.
  const std::uint64_t half = memory.capacity_ / 2, quarter = half / 2;
  free_.emplace(memory.base_ + half, quarter);
  live_.swap(memory.live_);
  free_.swap(memory.free_);
  memory.shared_ = memory.visited_ = true;
}

GlobalMemory::Visit::~Visit() {
  live_.swap(memory_.live_);
  free_.swap(memory_.free_);
  memory_.allocated_ = allocated_;
  memory_.shared_ = shared_;
  memory_.visited_ = false;
  address_space::take_back(memory_.base_);
}

// An allocation takes one line more than was asked for: neighbours never share a cache line, and an
// access right behind an allocation belongs to none.

std::byte* GlobalMemory::allocate(std::uint64_t bytes, std::string name, std::uint64_t alignment) {
  if (bytes > capacity_) throw std::bad_alloc();
  const std::uint64_t taken = round_up(bytes, kAlignment) + kAlignment;
  for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
    const std::uint64_t start = base_ + round_up(hole->first - base_, alignment);
    if (start + taken > hole->first + hole->second) continue;
    address_space::map_up_to(base_, start + taken - base_);
    return take(hole, start, taken, bytes, std::move(name));
  }
  throw std::bad_alloc();
}

std::byte* GlobalMemory::allocate_last(std::uint64_t bytes, std::string name,
                                       std::uint64_t alignment) {
  if (bytes > capacity_) throw std::bad_alloc();
  const std::uint64_t taken = round_up(bytes, kAlignment) + kAlignment;
  const std::uint64_t end = base_ + capacity_ - kLeftBehind;
  for (auto next = free_.rbegin(); next != free_.rend(); ++next) {
    const std::uint64_t behind = std::min(next->first + next->second, end);
    if (behind < next->first + taken) continue;
    const std::uint64_t start = base_ + (behind - taken - base_) / alignment * alignment;
    if (start < next->first) continue;
    address_space::map_behind(base_, start - base_);
    return take(std::prev(next.base()), start, taken, bytes, std::move(name));
  }
  throw std::bad_alloc();
}

std::byte* GlobalMemory::allocate_at(std::uint64_t start, std::uint64_t bytes, std::string name) {
  const std::uint64_t taken = round_up(bytes, kAlignment) + kAlignment;
  const auto behind = free_.upper_bound(start);
  if (behind == free_.begin() || bytes > capacity_) throw std::bad_alloc();
  const auto hole = std::prev(behind);
  if (start + taken > hole->first + hole->second) throw std::bad_alloc();
  if (start - base_ < capacity_ / 2) {
    address_space::map_up_to(base_, start + taken - base_);
  } else {
    address_space::map_behind(base_, start - base_);
  }
  return take(hole, start, taken, bytes, std::move(name));
}

std::byte* GlobalMemory::take(std::map<std::uint64_t, std::uint64_t>::iterator hole,
                              std::uint64_t start, std::uint64_t taken, std::uint64_t bytes,
                              std::string name) {
  const std::uint64_t end = hole->first + hole->second;
  if (start > hole->first) {
    hole->second = start - hole->first;
  } else {
    free_.erase(hole);
  }
  if (end > start + taken) free_.emplace(start + taken, end - start - taken);
  if (!one_of_many_ && bytes <= kLargestInLargePages) prefer_large_pages(start, taken);
  live_.emplace(start, Block{bytes, std::move(name), ++serials_});
  allocated_ += bytes;
  return reinterpret_cast<std::byte*>(start);
}

/// Zeroes a range; the whole pages of a large one go back to the host.
void GlobalMemory::clear(std::uint64_t start, std::uint64_t bytes) const {
  const std::uint64_t end = start + bytes;
  const std::uint64_t first_page = round_up(start, kPage), last_page = end / kPage * kPage;
  if (first_page >= last_page || (!one_of_many_ && bytes <= kLargestKept)) {
    std::memset(reinterpret_cast<void*>(start), 0, bytes);
    return;
  }
  std::memset(reinterpret_cast<void*>(start), 0, first_page - start);
  // Pages of a file keep their contents until they are removed from the file itself.
  madvise(reinterpret_cast<void*>(first_page), last_page - first_page,
          shared_ ? MADV_REMOVE : MADV_DONTNEED);
  std::memset(reinterpret_cast<void*>(last_page), 0, end - last_page);
}

void GlobalMemory::free(std::byte* start) {
  const auto block = live_.find(reinterpret_cast<std::uint64_t>(start));
  if (block == live_.end()) {
    throw std::invalid_argument("free of " + hex(reinterpret_cast<std::uint64_t>(start)) +
                                ", which is not the start of an allocation");
  }
  std::uint64_t first = block->first;
  std::uint64_t size = round_up(block->second.bytes, kAlignment) + kAlignment;
  allocated_ -= block->second.bytes;
  live_.erase(block);
  clear(first, size);
  auto after = free_.lower_bound(first);
  if (after != free_.end() && after->first == first + size) {
    size += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == first) {
      before->second += size;
      return;
    }
  }
  free_.emplace(first, size);
}

void GlobalMemory::declare_unwritten(const std::byte* start) {
  const auto block = live_.find(reinterpret_cast<std::uint64_t>(start));
  if (block == live_.end()) {
    throw std::invalid_argument("declare_unwritten of " +
                                hex(reinterpret_cast<std::uint64_t>(start)) +
                                ", which is not the start of an allocation");
  }
  block->second.unwritten = true;
}

void GlobalMemory::share(const std::byte* start) {
  const auto block = live_.find(reinterpret_cast<std::uint64_t>(start));
  if (block == live_.end()) {
    throw std::invalid_argument("share of " + hex(reinterpret_cast<std::uint64_t>(start)) +
                                ", which is not the start of an allocation");
  }
  block->second.shared = true;
}

bool GlobalMemory::contains_shared(std::uint64_t addr, std::uint64_t bytes) const {
  if (!contains(addr, bytes)) return false;
  return std::prev(live_.upper_bound(addr))->second.shared;
}

std::vector<GlobalMemory::Allocation> GlobalMemory::allocations() const {
  std::vector<Allocation> all;
  for (const auto& [start, block] : live_) {
    all.push_back({start, block.bytes, block.name, block.serial, block.unwritten, block.shared});
  }
  return all;
}

bool GlobalMemory::contains(std::uint64_t addr, std::uint64_t bytes) const {
  auto after = live_.upper_bound(addr);
  if (after == live_.begin()) return false;
  const auto& [start, block] = *std::prev(after);
  const std::uint64_t offset = addr - start;
  return offset <= block.bytes && bytes <= block.bytes - offset;
}

std::string GlobalMemory::describe(std::uint64_t addr, std::uint64_t bytes) const {
  auto after = live_.upper_bound(addr);
  std::string behind;
  if (after != live_.end() && after->first - addr < capacity_) {
    behind = "; the one behind it is '" + after->second.name + "' (" +
             std::to_string(after->second.bytes) + " bytes), which starts " +
             std::to_string(after->first - addr) + " bytes later";
  }
  if (after != live_.begin()) {
    const auto& [start, block] = *std::prev(after);
    const std::uint64_t offset = addr - start;
    const std::string name = "'" + block.name + "' (" + std::to_string(block.bytes) + " bytes)";
    if (offset < block.bytes) {
      return "it starts at byte " + std::to_string(offset) + " of " + name + " and ends " +
             std::to_string(offset + bytes - block.bytes) + " bytes behind it";
    }
    if (offset - block.bytes < capacity_) {
      return "the allocation before it is " + name + ", which ends " +
             std::to_string(offset - block.bytes) + " bytes earlier" + behind;
    }
  }
  return "there is no allocation before it" + behind;
}

}  // namespace davsim::memory
