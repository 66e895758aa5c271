#include "sim/system/die_memory.hpp"

#include <sys/mman.h>

#include <bit>
#include <string>
#include <system_error>

#include "memory/address_space.hpp"

namespace davsim::sim {
namespace {

[[noreturn]] void no_room(const std::string& what) {
  throw std::system_error(std::make_error_code(std::errc::not_enough_memory), what);
}

/// Whether nothing lies in a range of addresses of the host.
bool is_free(std::uint64_t start, std::uint64_t bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const wanted = reinterpret_cast<void*>(start);
  void* const got = mmap(wanted, bytes, PROT_NONE, kFlags, -1, 0);
  if (got == MAP_FAILED) return false;
  munmap(got, bytes);
  return got == wanted;
}

/// The start of a free range of addresses of the host; the same in most processes, so that those
/// with ranks of one communicator can use each other's addresses.
std::uint64_t free_range(std::uint64_t bytes) {
  const auto [first, step, number] = memory::address_space::starts_of_dies();
  for (std::uint64_t i = 0; i < number; ++i) {
    const std::uint64_t start = first + i * step;
    if (is_free(start, bytes)) return start;
  }
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* start = mmap(nullptr, bytes, PROT_NONE, kFlags, -1, 0);
  if (start == MAP_FAILED) {
    no_room("the host has no room for " + std::to_string(bytes >> 30) +
            " GiB of addresses, which the memories of the dies take");
  }
  munmap(start, bytes);
  return reinterpret_cast<std::uint64_t>(start);
}

/// The start of a range that is free in the processes of all ranks.
std::uint64_t range_of_all(std::uint64_t bytes, RankGroup& group) {
  const std::vector<std::string> nothing(group.ranks());
  const auto [first, step, number] = memory::address_space::starts_of_dies();
  for (std::uint64_t i = 0; i < number; ++i) {
    const std::uint64_t start = first + i * step;
    const bool all_have_it = group.exchange(nothing, is_free(start, bytes) ? 1 : 0).least == 1;
    if (all_have_it) return start;
  }
  no_room("the processes have no common room for " + std::to_string(bytes >> 30) +
          " GiB of addresses, which the memories of the dies take");
}

}  // namespace

class DieMemories::Reach : public isa::GlobalAddressMap {
 public:
  Reach(const DieMemories& all, std::uint32_t die) : all_(all), die_(die) {}

  bool contains(std::uint64_t addr, std::uint64_t bytes) const override {
    const memory::GlobalMemory& own = *all_.memories_[die_];
    if (addr - own.base() < own.capacity()) return own.contains(addr, bytes);
    const std::uint32_t other = all_.die_of(addr);
    return other < all_.dies() && all_.memories_[other]->contains_shared(addr, bytes);
  }
  std::string describe(std::uint64_t addr, std::uint64_t bytes) const override {
    const std::uint32_t other = all_.die_of(addr);
    if (other == die_ || other == all_.dies()) {
      return all_.memories_[die_]->describe(addr, bytes);
    }
    const memory::GlobalMemory& memory = *all_.memories_[other];
    const std::string place = "it lies on die " + std::to_string(other) + ", and ";
    if (!memory.contains(addr, bytes)) return place + memory.describe(addr, bytes);
    return place + "the allocation is not shared: other dies reach windows of communicators and " +
           "what was made accessible to them";
  }

 private:
  const DieMemories& all_;
  std::uint32_t die_;
};

DieMemories::DieMemories(std::uint32_t dies, std::uint64_t bytes, int shared_file,
                         RankGroup* group) {
  if (dies == 1) {
    stride_ = ~std::uint64_t{0};
    memories_.push_back(std::make_unique<memory::GlobalMemory>(bytes, shared_file));
    return;
  }
  stride_ = std::bit_ceil(2 * bytes);
  const std::uint64_t all = dies * stride_;
  const std::uint64_t base = group == nullptr ? free_range(all) : range_of_all(all, *group);
  for (std::uint32_t die = 0; die < dies; ++die) {
    memories_.push_back(std::make_unique<memory::GlobalMemory>(
        bytes, memory::GlobalMemory::OneOfMany{base + die * stride_}));
    if (memories_.back()->base() != base + die * stride_) {
      no_room("the host has no room for the memory of die " + std::to_string(die));
    }
    reaches_.push_back(std::make_unique<Reach>(*this, die));
  }
}

const isa::GlobalAddressMap& DieMemories::reached_from(std::uint32_t die) const {
  if (reaches_.empty()) return *memories_.front();
  return *reaches_.at(die);
}

std::uint32_t DieMemories::die_of(std::uint64_t address) const {
  const memory::GlobalMemory& first = *memories_.front();
  const std::uint64_t offset = address - first.base();
  const std::uint64_t die = offset / stride_;
  if (die >= dies() || offset % stride_ >= first.capacity()) return dies();
  return static_cast<std::uint32_t>(die);
}

}  // namespace davsim::sim
