// Memory of the symmetric heap.
#include "acl/acl_rt.h"
#include "runtime/shmem/call.hpp"
#include "shmem/host.h"

using namespace davsim::shmem;

namespace {

/// Of what is allocated without one: lines of L2.
constexpr std::size_t kUsualAlignment = L2_CACHELINE_SIZE;

void* allocate(const char* function, std::size_t bytes, std::size_t alignment, bool zeroed) {
  return call_for<void*>(function, nullptr, [&]() -> void* {
    const auto pe = own_pe();
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      throw CallError(ACLSHMEM_INVALID_VALUE,
                      "alignment is " + std::to_string(alignment) + ", it is a power of two");
    }
    if (bytes == 0) return nullptr;
    std::byte* const start = pe->allocate(bytes, alignment);
    if (start == nullptr) {
      throw CallError(ACLSHMEM_MALLOC_FAILED,
                      "the heap of " + std::to_string(pe->state().heap_size) +
                          " bytes (local_mem_size) has no room for " + std::to_string(bytes));
    }
    if (zeroed) davsim::runtime::require_success(aclrtMemset(start, bytes, 0, bytes));
    pe->meet();
    return start;
  });
}

void* allocate_many(const char* function, std::size_t count, std::size_t size) {
  if (size != 0 && count > ACLSHMEM_MAX_LOCAL_SIZE / size)
    count = ACLSHMEM_MAX_LOCAL_SIZE, size = 1;
  return allocate(function, count * size, kUsualAlignment, true);
}

void require_device(aclshmem_mem_type_t type) {
  if (type == DEVICE_SIDE) return;
  throw CallError(ACLSHMEM_INVALID_PARAM, "mem_type: there is memory of DEVICE_SIDE only");
}

}  // namespace

void* aclshmem_malloc(std::size_t size) {
  return allocate("aclshmem_malloc", size, kUsualAlignment, false);
}

void* aclshmem_calloc(std::size_t nmemb, std::size_t size) {
  return allocate_many("aclshmem_calloc", nmemb, size);
}

void* aclshmem_align(std::size_t alignment, std::size_t size) {
  return allocate("aclshmem_align", size, alignment, false);
}

void aclshmem_free(void* ptr) {
  call("aclshmem_free", [&] {
    if (ptr == nullptr) return;
    const auto pe = own_pe();
    pe->meet();  // others may still write there
    if (!pe->free(ptr)) {
      throw CallError(ACLSHMEM_INVALID_PARAM, "ptr is not from aclshmem_malloc, or was freed");
    }
  });
}

void* aclshmemx_malloc(std::size_t size, aclshmem_mem_type_t mem_type) {
  return call("aclshmemx_malloc", [&] { require_device(mem_type); }) == ACLSHMEM_SUCCESS
             ? aclshmem_malloc(size)
             : nullptr;
}

void* aclshmemx_calloc(std::size_t count, std::size_t size, aclshmem_mem_type_t mem_type) {
  return call("aclshmemx_calloc", [&] { require_device(mem_type); }) == ACLSHMEM_SUCCESS
             ? aclshmem_calloc(count, size)
             : nullptr;
}

void* aclshmemx_align(std::size_t alignment, std::size_t size, aclshmem_mem_type_t mem_type) {
  return call("aclshmemx_align", [&] { require_device(mem_type); }) == ACLSHMEM_SUCCESS
             ? aclshmem_align(alignment, size)
             : nullptr;
}

void aclshmemx_free(void* ptr, aclshmem_mem_type_t mem_type) {
  if (call("aclshmemx_free", [&] { require_device(mem_type); }) == ACLSHMEM_SUCCESS) {
    aclshmem_free(ptr);
  }
}

void* aclshmem_ptr(void* ptr, int pe) {
  return call_for<void*>("aclshmem_ptr", nullptr,
                         [&] { return reinterpret_cast<void*>(own_pe()->on_pe(ptr, pe)); });
}
