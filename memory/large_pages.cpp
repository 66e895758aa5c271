#include "memory/large_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace davsim::memory {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

}  // namespace

void prefer_large_pages(std::uint64_t start, std::uint64_t bytes) {
  const std::uint64_t first = start / kPage * kPage;
  const std::uint64_t end = (start + bytes + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

void* LargePages::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t size = whole_pages(bytes);
  void* start = std::aligned_alloc(std::max(alignment, kLargePage), size);
  if (start == nullptr) throw std::bad_alloc();
  prefer_large_pages(reinterpret_cast<std::uint64_t>(start), size);
  return start;
}

void LargePages::do_deallocate(void* start, std::size_t, std::size_t) {
  std::free(start);
}

bool LargePages::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return dynamic_cast<const LargePages*>(&other) != nullptr;
}

}  // namespace davsim::memory
