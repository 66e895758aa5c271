#include "memory/large_pages.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

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
  if (alignment > kLargePage) throw std::bad_alloc();
  // The host aligns to small pages: what is in front of and behind the large ones goes back.
  void* mapped = mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const auto first = reinterpret_cast<std::uint64_t>(mapped);
  const std::uint64_t start = (first + kLargePage - 1) / kLargePage * kLargePage;
  if (start > first) munmap(mapped, start - first);
  const std::uint64_t behind = first + kLargePage - start;
  if (behind > 0) munmap(reinterpret_cast<void*>(start + size), behind);
  if (preferred_) prefer_large_pages(start, size);
  return reinterpret_cast<void*>(start);
}

void LargePages::do_deallocate(void* start, std::size_t bytes, std::size_t) {
  munmap(start, whole_pages(bytes));
}

bool LargePages::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return dynamic_cast<const LargePages*>(&other) != nullptr;
}

namespace {

std::uint64_t end_of_heap() {
  return reinterpret_cast<std::uint64_t>(sbrk(0));
}

}  // namespace

HeapInLargePages::HeapInLargePages() : end_(end_of_heap()) {
  constexpr int kStep = 256 << 20;
  mallopt(M_TOP_PAD, kStep);
}

HeapInLargePages::~HeapInLargePages() {
  constexpr int kDefault = 128 << 10;  // of glibc
  mallopt(M_TOP_PAD, kDefault);
}

void HeapInLargePages::grown() {
  const std::uint64_t end = end_of_heap();
  if (end > end_) prefer_large_pages(end_, end - end_);
  end_ = end;
}

}  // namespace davsim::memory
