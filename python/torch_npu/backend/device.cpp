// Device, streams and memory of npu: torch's interfaces on those of the runtime.
#include <acl/acl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "failure.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/core/npu/NpuVariables.h"

namespace c10_npu {
namespace {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;

int device_total() {
  uint32_t count = 0;
  return aclrtGetDeviceCount(&count) == 0 && count > 0 ? static_cast<int>(count) : 1;
}

/// The device of the process: that which it names first. Others are for other processes.
std::atomic<int> own_device = -1;

c10::DeviceIndex own() {
  return static_cast<c10::DeviceIndex>(std::max(own_device.load(), 0));
}

void require_device(c10::DeviceIndex device) {
  if (device < 0) return;
  const int total = device_total();
  TORCH_CHECK(device < total, "invalid device npu:", static_cast<int>(device), ": there ",
              total == 1 ? "is one simulated device, npu:0"
                         : "are " + std::to_string(total) + " simulated devices");
  int before = -1;
  TORCH_CHECK(own_device.compare_exchange_strong(before, device) || before == device,
              "invalid device npu:", static_cast<int>(device), ": the process has npu:", before,
              " already; each device needs a process of its own");
}

/// All streams by their numbers. Number 0 is the default stream. They live as long as the process.
class Streams {
 public:
  static Streams& instance() {
    static auto* all = new Streams;
    return *all;
  }
  aclrtStream of(c10::StreamId id) {
    const std::lock_guard lock(mutex_);
    if (streams_.empty()) make();
    TORCH_CHECK(id >= 0 && static_cast<std::size_t>(id) < streams_.size(), "there is no stream ",
                id, " of npu");
    return streams_[static_cast<std::size_t>(id)];
  }
  /// As from torch's own pools: who takes streams in a loop gets those that there are again.
  c10::StreamId from_pool() {
    const std::lock_guard lock(mutex_);
    if (streams_.empty()) make();
    if (streams_.size() > kPool) return static_cast<c10::StreamId>(1 + taken_++ % kPool);
    make();
    return static_cast<c10::StreamId>(streams_.size() - 1);
  }

 private:
  void make() {
    aclrtStream stream = nullptr;
    NPU_CHECK_ERROR(aclrtCreateStream(&stream));
    streams_.push_back(stream);
  }
  static constexpr std::size_t kPool = 32;
  std::mutex mutex_;
  std::vector<aclrtStream> streams_;
  std::size_t taken_ = 0;  ///< how often one was given again
};

c10::Stream stream_numbered(c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kNpu, own()), id);
}

thread_local c10::StreamId t_stream = 0;

}  // namespace

void ensure_thread() {
  static thread_local const bool ready = [] {
    require_device(own());
    NPU_CHECK_ERROR(aclrtSetDevice(own()));
    return true;
  }();
  (void)ready;
}

c10::DeviceIndex device_count() noexcept {
  return static_cast<c10::DeviceIndex>(device_total());
}
c10::DeviceIndex device_count_ensure_non_zero() {
  return device_count();
}
c10::DeviceIndex current_device() {
  return own();
}
void set_device(c10::DeviceIndex device) {
  require_device(device);
  ensure_thread();
}
void device_synchronize() {
  ensure_thread();
  const aclError code = aclrtSynchronizeDevice();
  TORCH_CHECK(code == 0, "NPU error ", static_cast<int>(code), ": ", recent_error());
}
aclError GetDevice(int32_t* device) {
  *device = own();
  return ACL_SUCCESS;
}
aclError SetDevice(c10::DeviceIndex device) {
  set_device(device);
  return ACL_SUCCESS;
}
aclError MaybeSetDevice(c10::DeviceIndex device) {
  return SetDevice(device);
}
c10::DeviceIndex ExchangeDevice(c10::DeviceIndex device) {
  set_device(device);
  return own();
}
c10::DeviceIndex MaybeExchangeDevice(c10::DeviceIndex device) {
  return ExchangeDevice(device);
}

aclrtStream NPUStream::stream() const {
  ensure_thread();
  return Streams::instance().of(id());
}
bool NPUStream::query() const {
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  NPU_CHECK_ERROR(aclrtStreamQuery(stream(), &status));
  return status == ACL_STREAM_STATUS_COMPLETE;
}
void NPUStream::synchronize() const {
  const aclError code = aclrtSynchronizeStream(stream());
  TORCH_CHECK(code == 0, "NPU error ", static_cast<int>(code), ": ", recent_error());
}

NPUStream getNPUStreamFromPool(c10::DeviceIndex device) {
  require_device(device);
  ensure_thread();
  return NPUStream(stream_numbered(Streams::instance().from_pool()));
}
NPUStream getStreamFromPool(bool, c10::DeviceIndex device) {
  return getNPUStreamFromPool(device);
}
NPUStream getDefaultNPUStream(c10::DeviceIndex device) {
  require_device(device);
  return NPUStream(stream_numbered(0));
}
NPUStream getCurrentNPUStream(c10::DeviceIndex device) {
  require_device(device);
  return NPUStream(stream_numbered(t_stream));
}
aclrtStream getCurrentNPUStreamNoWait(c10::DeviceIndex device) {
  return getCurrentNPUStream(device).stream();
}
void setCurrentNPUStream(NPUStream stream) {
  t_stream = stream.id();
}
std::ostream& operator<<(std::ostream& to, const NPUStream& stream) {
  return to << stream.unwrap();
}

SocVersion GetSocVersion() {
  ensure_thread();
  const char* const found = aclrtGetSocName();
  const std::string name = found == nullptr ? "" : found;
  static const std::vector<std::pair<std::string, SocVersion>> known = {
      {"Ascend910B1", SocVersion::Ascend910B1},
      {"Ascend910B2", SocVersion::Ascend910B2},
      {"Ascend910B2C", SocVersion::Ascend910B2C},
      {"Ascend910B3", SocVersion::Ascend910B3},
      {"Ascend910B4", SocVersion::Ascend910B4},
      {"Ascend910B4-1", SocVersion::Ascend910B4_1},
      {"Ascend910_9391", SocVersion::Ascend910_9391},
      {"Ascend910_9392", SocVersion::Ascend910_9392},
      {"Ascend910_9381", SocVersion::Ascend910_9381},
      {"Ascend910_9382", SocVersion::Ascend910_9382},
      {"Ascend910_9372", SocVersion::Ascend910_9372},
      {"Ascend910_9362", SocVersion::Ascend910_9362}};
  for (const auto& [soc, version] : known) {
    if (soc == name) return version;
  }
  return SocVersion::UnsupportedSocVersion;
}

// --- memory

namespace NPUCachingAllocator {
namespace {

std::atomic<size_t> allocated{0};
std::atomic<size_t> most{0};

struct Block {
  void* data;
  size_t bytes;
};

void free_block(void* context) {
  auto* block = static_cast<Block*>(context);
  if (block->data != nullptr) aclrtFree(block->data);
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
    const c10::Device device(kNpu, own());
    if (bytes == 0) return {nullptr, device};
    auto* block = new Block{nullptr, 0};
    c10::DataPtr made(nullptr, block, &free_block, device);
    block->data = raw_alloc(bytes);
    block->bytes = bytes;
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

}  // namespace NPUCachingAllocator

// --- what torch asks of a device

namespace {

struct GuardImpl final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kNpu; }
  c10::Device exchangeDevice(c10::Device) const override { return {kNpu, own()}; }
  c10::Device getDevice() const override { return {kNpu, own()}; }
  // Autograd has a thread for each device there is, and sets it; what makes tensors checks theirs.
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const noexcept override { return stream_numbered(t_stream); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream_numbered(0); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNPUStreamFromPool(device.index());
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
    const c10::Stream before = stream_numbered(t_stream);
    t_stream = stream.id();
    return before;
  }
  c10::DeviceIndex deviceCount() const noexcept override { return device_count(); }
  bool queryStream(const c10::Stream& stream) const override { return NPUStream(stream).query(); }
  void synchronizeStream(const c10::Stream& stream) const override {
    NPUStream(stream).synchronize();
  }
  // Work runs in the order in which the host queued it, over all streams.
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}
  void record(void**, const c10::Stream&, const c10::DeviceIndex,
              const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
};

const c10::impl::DeviceGuardImplRegistrar guard_registrar(kNpu, new GuardImpl);
const bool allocator_registered = [] {
  c10::SetAllocator(kNpu, NPUCachingAllocator::get());
  return true;
}();

}  // namespace
}  // namespace c10_npu

// --- what the Python module calls by ctypes. Functions that can fail return a text, null for none,
// which is the thread's until its next call.

namespace {

using c10_npu::text_of_failure;

c10_npu::NPUStream numbered(long long id) {
  return c10_npu::NPUStream(c10_npu::stream_numbered(id));
}

}  // namespace

extern "C" {

const char* davsim_torch_synchronize() {
  return text_of_failure([] { c10_npu::device_synchronize(); });
}
const char* davsim_torch_take_device(int device) {
  return text_of_failure([&] { c10_npu::require_device(static_cast<c10::DeviceIndex>(device)); });
}
int davsim_torch_device() {
  return c10_npu::current_device();
}
int davsim_torch_device_count() {
  return c10_npu::device_count();
}
const char* davsim_torch_start() {
  return text_of_failure([] { c10_npu::ensure_thread(); });
}
const char* davsim_torch_stream_make(long long* id) {
  return text_of_failure([&] { *id = c10_npu::getNPUStreamFromPool().id(); });
}
long long davsim_torch_stream_current() {
  return c10_npu::getCurrentNPUStream().id();
}
void davsim_torch_stream_set(long long id) {
  c10_npu::setCurrentNPUStream(numbered(id));
}
const char* davsim_torch_stream_handle(long long id, void** handle) {
  return text_of_failure([&] { *handle = numbered(id).stream(); });
}
const char* davsim_torch_stream_synchronize(long long id) {
  return text_of_failure([&] { numbered(id).synchronize(); });
}
const char* davsim_torch_stream_query(long long id, int* ended) {
  return text_of_failure([&] { *ended = numbered(id).query(); });
}
/// Allocated, and at most; with `reset` the most begins anew.
void davsim_torch_memory(unsigned long long* now, unsigned long long* most, int reset) {
  if (reset != 0) c10_npu::NPUCachingAllocator::reset_most_allocated_bytes();
  *now = c10_npu::NPUCachingAllocator::allocated_bytes();
  *most = c10_npu::NPUCachingAllocator::most_allocated_bytes();
}
const char* davsim_torch_soc() {
  return aclrtGetSocName();
}

}  // extern "C"
