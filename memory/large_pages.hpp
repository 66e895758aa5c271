// Memory of the host in large pages: what the simulated machine's memories hold is read and written
// in strides that small pages make the host translate anew at nearly every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace davsim::memory {

/// Asks the host to back [start, start + bytes) by large pages where it can. Nothing else changes,
/// whether it does or not.
void prefer_large_pages(std::uint64_t start, std::uint64_t bytes);

/// Allocates whole large pages: for a pool to take from. Throws std::bad_alloc.
class LargePages : public std::pmr::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* start, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;
};

}  // namespace davsim::memory
