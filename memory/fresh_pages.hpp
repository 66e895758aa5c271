// A large array of the host that starts as zeros and costs memory only where it has been used. The
// heap would clear it, and so take all of it, as soon as it hands out memory that it has anyway.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace davsim::memory {

template <class Element>
class FreshPages {
  static_assert(std::is_trivially_copyable_v<Element>);  // zeros are an element

 public:
  FreshPages() = default;
  /// Throws std::bad_alloc if the host has no room.
  explicit FreshPages(std::size_t count) : bytes_(count * sizeof(Element)) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<Element*>(mapped);
  }
  ~FreshPages() {
    if (first_ != nullptr) munmap(first_, bytes_);
  }
  FreshPages(FreshPages&& other) noexcept { swap(other); }
  FreshPages& operator=(FreshPages&& other) noexcept {
    FreshPages(std::move(other)).swap(*this);
    return *this;
  }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;

  Element* get() const { return first_; }
  std::size_t size() const { return bytes_ / sizeof(Element); }

 private:
  void swap(FreshPages& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(bytes_, other.bytes_);
  }

  Element* first_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace davsim::memory
