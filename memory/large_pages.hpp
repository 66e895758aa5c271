// Memory of the host in large pages. The simulated memories are accessed in large strides. With
// small pages the host would need an address translation at nearly every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace davsim::memory {

/// Asks the host to back [start, start + bytes) by large pages. Only speed depends on
/// it.
void prefer_large_pages(std::uint64_t start, std::uint64_t bytes);

/// Allocates whole large pages: for a pool to take from. Throws std::bad_alloc.
class LargePages : public std::pmr::memory_resource {
 public:
  /// `preferred`: false leaves it to the host, which then gives small pages, one by one as they are
  /// used.
  explicit LargePages(bool preferred = true) : preferred_(preferred) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* start, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  bool preferred_;
};

/// While it exists, the heap grows in large steps, and grown() asks for large pages for what it has
/// grown by. Objects of many dies lie in more pages than the processor has translations for.
class HeapInLargePages {
 public:
  HeapInLargePages();
  ~HeapInLargePages();
  HeapInLargePages(const HeapInLargePages&) = delete;
  HeapInLargePages& operator=(const HeapInLargePages&) = delete;
  void grown();

 private:
  std::uint64_t end_;
};

}  // namespace davsim::memory
