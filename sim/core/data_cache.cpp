#include "sim/core/data_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace davsim::sim {

DataCache::DataCache(std::uint32_t bytes, std::uint32_t line, std::uint32_t ways)
    : line_(line), ways_(ways), sets_(line > 0 && ways > 0 ? bytes / line / ways : 0) {
  if (line == 0 || line > kMaxLine || sets_ == 0) {
    throw std::invalid_argument("a data cache of " + std::to_string(bytes) + " bytes in lines of " +
                                std::to_string(line) + " bytes and " + std::to_string(ways) +
                                " ways; lines have 1 to 64 bytes, and a set must fit");
  }
}

DataCache::Line* DataCache::find(std::uint64_t line_addr) {
  if (lines_.empty()) return nullptr;
  Line* set = set_of(line_addr);
  for (std::uint32_t way = 0; way < ways_; ++way) {
    if (set[way].last_use != 0 && set[way].addr == line_addr) return &set[way];
  }
  return nullptr;
}

bool DataCache::holds(std::uint64_t addr) const {
  return const_cast<DataCache*>(this)->find(line_of(addr)) != nullptr;
}

void DataCache::fill(std::uint64_t line_addr, const std::byte* bytes, const WriteBack& write_back) {
  if (lines_.empty()) lines_.resize(std::size_t{sets_} * ways_);
  Line* set = set_of(line_addr);
  Line* oldest = std::min_element(
      set, set + ways_, [](const Line& a, const Line& b) { return a.last_use < b.last_use; });
  if (oldest->last_use == 0) held_.push_back(static_cast<std::uint32_t>(oldest - lines_.data()));
  clean(*oldest, write_back);
  oldest->addr = line_addr;
  oldest->last_use = ++clock_;
  oldest->dirty = 0;
  std::memcpy(oldest->bytes.data(), bytes, line_);
}

void DataCache::read(std::uint64_t addr, void* to, std::uint32_t bytes) {
  Line* line = find(line_of(addr));
  line->last_use = ++clock_;
  std::memcpy(to, line->bytes.data() + (addr - line->addr), bytes);
}

void DataCache::write(std::uint64_t addr, const void* from, std::uint32_t bytes) {
  Line* line = find(line_of(addr));
  line->last_use = ++clock_;
  const std::uint64_t first = addr - line->addr;
  std::memcpy(line->bytes.data() + first, from, bytes);
  line->dirty |= isa::line_bits(first, bytes);
}

std::byte* DataCache::access(std::uint64_t addr, std::uint64_t bytes, bool writes, bool again) {
  Line* line = find(line_of(addr));
  line->last_use = ++clock_;
  if (writes) line->dirty |= isa::line_bits(addr - line->addr, bytes);
  if (again && line_ == kMaxLine) isa::keep_pointer_line(*line, clock_);
  return line->bytes.data() + (addr - line->addr);
}

void DataCache::clean(Line& line, const WriteBack& write_back) {
  if (line.last_use == 0) return;
  // Only the bytes that were written go back, because another core may have written the others.
  while (line.dirty != 0) {
    const int first = std::countr_zero(line.dirty);
    const int run = std::countr_one(line.dirty >> first);
    write_back(line.addr + static_cast<std::uint64_t>(first), line.bytes.data() + first,
               static_cast<std::uint32_t>(run));
    line.dirty &= run == 64 ? 0 : ~(((std::uint64_t{1} << run) - 1) << first);
  }
}

void DataCache::clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                                     const WriteBack& write_back) {
  // The order of the write-backs is that of the lines in the cache.
  std::sort(held_.begin(), held_.end());
  std::erase_if(held_, [&](std::uint32_t index) {
    Line& line = lines_[index];
    const bool inside = bytes == 0 || (line.addr < addr + bytes && addr < line.addr + line_);
    if (!inside) return false;
    clean(line, write_back);
    line.last_use = 0;
    line.dirty = 0;
    return true;
  });
}

void DataCache::drop_all() {
  for (const std::uint32_t index : held_) lines_[index].last_use = lines_[index].dirty = 0;
  held_.clear();
}

}  // namespace davsim::sim
