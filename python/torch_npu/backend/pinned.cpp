// Pinned memory of the host. Torch asks CUDA for it, and a host without CUDA has none. All memory
// of the host is as good for the simulated device, so that pinned memory is the host's, and known
// as pinned.
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <torch/library.h>
#include <torch/version.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace at_npu::native {
namespace {

class PinnedAllocator final : public c10::Allocator {
 public:
  static PinnedAllocator& instance() {
    static auto* one = new PinnedAllocator;  // tensors may outlive static variables
    return *one;
  }

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  c10::DataPtr allocate(size_t bytes) override {
    return data(bytes);
  }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    default_copy_data(to, from, count);
  }
#else
  c10::DataPtr allocate(size_t bytes) const override {
    return instance().data(bytes);
  }
#endif

  bool has(const void* address) {
    const std::lock_guard lock(mutex_);
    auto behind = blocks_.upper_bound(address);
    if (behind == blocks_.begin()) return false;
    const auto& [start, block] = *--behind;
    return address < static_cast<const char*>(start) + block.second;
  }

 private:
  c10::DataPtr data(size_t bytes) {
    c10::DataPtr held = c10::GetCPUAllocator()->allocate(bytes);
    void* const start = held.get();
    if (start == nullptr) return held;
    const std::lock_guard lock(mutex_);
    blocks_[start] = {std::move(held), bytes};
    return {start, start, &release, c10::Device(c10::DeviceType::CPU)};
  }

  static void release(void* start) {
    const std::lock_guard lock(instance().mutex_);
    instance().blocks_.erase(start);
  }

  std::mutex mutex_;
  std::map<const void*, std::pair<c10::DataPtr, size_t>> blocks_;  ///< by their starts
};

at::Tensor pin_memory(const at::Tensor& self, c10::optional<at::Device>) {
  constexpr c10::DispatchKeySet kCpu(c10::DispatchKey::CPU);
  at::Tensor made = at::detail::empty_generic(self.sizes(), &PinnedAllocator::instance(), kCpu,
                                              self.scalar_type(), c10::nullopt);
  return made.copy_(self);
}
bool is_pinned(const at::Tensor& self, c10::optional<at::Device>) {
  return self.is_cpu() && self.numel() > 0 && PinnedAllocator::instance().has(self.data_ptr());
}

#if TORCH_VERSION_MAJOR < 2
/// What torch.empty(..., pin_memory=True) asks. The registry knows it by this name.
struct CUDAHooks final : at::CUDAHooksInterface {
  explicit CUDAHooks(at::CUDAHooksArgs) {}
  at::Allocator* getPinnedMemoryAllocator() const override { return &PinnedAllocator::instance(); }
  bool isPinnedPtr(void* address) const override {
    return PinnedAllocator::instance().has(address);
  }
};
#endif

const bool pins = [] {
#if TORCH_VERSION_MAJOR < 2
  if (at::CUDAHooksRegistry()->Has("CUDAHooks")) return false;
  at::CUDAHooksRegistry()->Register(
      "CUDAHooks", [](at::CUDAHooksArgs arguments) -> std::unique_ptr<at::CUDAHooksInterface> {
        return std::make_unique<CUDAHooks>(arguments);
      });
#else
  if (at::hasCUDA()) return false;
#endif
  // A tensor's pin_memory() asks cuda, pin_memory("npu") asks npu.
  static std::vector<torch::Library> libraries;
  for (const auto key : {c10::DispatchKey::CUDA, c10::DispatchKey::PrivateUse1}) {
    auto& library = libraries.emplace_back(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
    library.impl("_pin_memory", TORCH_FN(pin_memory));
    library.impl("is_pinned", TORCH_FN(is_pinned));
  }
  return true;
}();

}  // namespace
}  // namespace at_npu::native
