// Memory of npu: torch's allocator on the runtime's.
#include <acl/acl.h>
#include <c10/core/Allocator.h>

#include <atomic>
#include <cstring>
#include <memory>

#include "failure.hpp"
#include "graph.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace c10_npu::NPUCachingAllocator {
namespace {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;

std::atomic<size_t> allocated{0};
std::atomic<size_t> most{0};

struct Block {
  void* data;
  size_t bytes;
  std::shared_ptr<graph::Pool> pool = nullptr;  ///< of the graph that allocated it
};

void free_block(void* context) {
  auto* block = static_cast<Block*>(context);
  if (block->data != nullptr && block->pool == nullptr) aclrtFree(block->data);
  allocated -= block->bytes;
  delete block;
}

class Allocator final : public c10::Allocator {
 public:
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  c10::DataPtr allocate(size_t bytes) override {
    return data(bytes);
  }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    device_synchronize();
    std::memcpy(to, from, count);
  }
#else
  c10::DataPtr allocate(size_t bytes) const override {
    return data(bytes);
  }
#endif

 private:
  static c10::DataPtr data(size_t bytes) {
    const c10::Device device(kNpu, current_device());
    if (bytes == 0) return {nullptr, device};
    auto* block = new Block{nullptr, 0};
    c10::DataPtr made(nullptr, block, &free_block, device);
    block->data = raw_alloc(bytes);
    block->bytes = bytes;
    block->pool = graph::pool();
    if (block->pool != nullptr) {
      graph::put(*block->pool, block->data);
      // Kernels write it at an execution; what operators of the host take from it now are zeros.
      std::memset(block->data, 0, bytes);
    }
    const size_t now = allocated += bytes;
    for (size_t known = most; known < now && !most.compare_exchange_weak(known, now);) {
    }
    return {block->data, made.release_context(), &free_block, device};
  }
};

}  // namespace

void* raw_alloc(size_t bytes) {
  ensure_thread();
  void* data = nullptr;
  aclError code = davsim_malloc_shared(&data, bytes);
  if (code != 0) {
    // What was freed is given out again once the host has waited.
    device_synchronize();
    code = davsim_malloc_shared(&data, bytes);
  }
  TORCH_CHECK(code == 0, "NPU out of memory. Tried to allocate ", bytes, " bytes (",
              allocated.load(), " bytes are allocated): ", recent_error());
  return data;
}
void* raw_alloc_with_stream(size_t bytes, aclrtStream) {
  return raw_alloc(bytes);
}
void raw_delete(void* data) {
  aclrtFree(data);
}
c10::Allocator* get() {
  static auto* one = new Allocator;
  return one;
}
size_t allocated_bytes() {
  return allocated;
}
size_t most_allocated_bytes() {
  return most;
}
void reset_most_allocated_bytes() {
  most = allocated.load();
}

namespace {

const bool registered = [] {
  c10::SetAllocator(kNpu, get());
  return true;
}();

}  // namespace
}  // namespace c10_npu::NPUCachingAllocator

/// Allocated, and at most; with `reset` the most begins anew.
extern "C" void davsim_torch_memory(unsigned long long* now, unsigned long long* most, int reset) {
  if (reset != 0) c10_npu::NPUCachingAllocator::reset_most_allocated_bytes();
  *now = c10_npu::NPUCachingAllocator::allocated_bytes();
  *most = c10_npu::NPUCachingAllocator::most_allocated_bytes();
}
