// Devices and streams of npu: torch's interfaces on those of the runtime.
#include <acl/acl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <map>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "graph.hpp"
#include "torch_npu/csrc/core/npu/NPUGuard.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/core/npu/NpuVariables.h"

namespace c10_npu {
namespace {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;

/// Devices that the process has: the dies of its system.
uint32_t count() {
  static const uint32_t found = [] {
    uint32_t number = 0;
    return aclrtGetDeviceCount(&number) == ACL_SUCCESS ? number : 1;
  }();
  return found;
}

void require_device(c10::DeviceIndex device) {
  if (device >= -1 && device < static_cast<int>(count())) return;
  TORCH_CHECK(false, "invalid device npu:", static_cast<int>(device), ": ",
              count() == 1
                  ? "there is one simulated device, npu:0; with "
                    "DAVSIM_SYSTEM=atlas_a2_server there are eight"
                  : "DAVSIM_SYSTEM has devices npu:0 to npu:" + std::to_string(count() - 1));
}

/// The device that a thread works on, and the one that it has told the runtime.
thread_local c10::DeviceIndex t_device = 0;
thread_local c10::DeviceIndex t_told = -1;

/// Devices that some thread has used.
std::mutex g_used_mutex;
std::set<c10::DeviceIndex> g_used;

/// Numbers of streams begin with their device. The first one is its default stream.
constexpr c10::StreamId kStreamsOfADevice = 1 << 16;
c10::DeviceIndex device_of(c10::StreamId id) {
  return static_cast<c10::DeviceIndex>(id / kStreamsOfADevice);
}
c10::StreamId default_of(c10::DeviceIndex device) {
  return device * kStreamsOfADevice;
}

/// All streams of a device. They live as long as the process.
class Streams {
 public:
  static Streams& of_device(c10::DeviceIndex device) {
    static auto* all = new std::map<c10::DeviceIndex, Streams>;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    return (*all)[device];
  }
  aclrtStream of(c10::StreamId id) {
    const std::lock_guard lock(mutex_);
    if (streams_.empty()) make();
    const c10::StreamId number = id % kStreamsOfADevice;
    TORCH_CHECK(id >= 0 && static_cast<std::size_t>(number) < streams_.size(),
                "there is no stream ", id, " of npu");
    return streams_[static_cast<std::size_t>(number)];
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
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kNpu, device_of(id)), id);
}

/// The stream of which a graph is captured; -1: none.
std::atomic<c10::StreamId> g_captured{-1};

/// The streams that a thread has chosen to work on, of each device.
thread_local std::map<c10::DeviceIndex, c10::StreamId> t_streams;

/// The stream that a thread works on. One that has chosen none, as those in which torch 1.13 does
/// backward passes, takes part in a capture.
c10::StreamId current_stream_of(c10::DeviceIndex device) {
  const auto chosen = t_streams.find(device);
  if (chosen != t_streams.end()) return chosen->second;
  const c10::StreamId captured = g_captured;
  return captured != -1 && device_of(captured) == device ? captured : default_of(device);
}

/// -1 is the current device.
c10::DeviceIndex named(c10::DeviceIndex device) {
  require_device(device);
  return device == -1 ? t_device : device;
}

}  // namespace

void ensure_thread() {
  if (t_told == t_device) return;
  NPU_CHECK_ERROR(aclrtSetDevice(t_device));
  t_told = t_device;
  const std::lock_guard lock(g_used_mutex);
  g_used.insert(t_device);
}

c10::DeviceIndex device_count() noexcept {
  return static_cast<c10::DeviceIndex>(count());
}
c10::DeviceIndex device_count_ensure_non_zero() {
  return device_count();
}
c10::DeviceIndex current_device() {
  return t_device;
}
void set_device(c10::DeviceIndex device) {
  t_device = named(device);
  ensure_thread();
}
void LazySetDevice(c10::DeviceIndex device) {
  t_device = named(device);
}
void device_synchronize() {
  ensure_thread();
  std::set<c10::DeviceIndex> used;
  {
    const std::lock_guard lock(g_used_mutex);
    used = g_used;
  }
  for (const c10::DeviceIndex device : used) {
    const NPUGuard here(device);
    const aclError code = aclrtSynchronizeDevice();
    TORCH_CHECK(code == 0, "NPU error ", static_cast<int>(code), ": ", recent_error());
  }
  ensure_thread();
  graph::throw_failure();
}
aclError GetDevice(int32_t* device) {
  *device = t_device;
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
  const c10::DeviceIndex before = t_device;
  set_device(device);
  return before;
}
c10::DeviceIndex MaybeExchangeDevice(c10::DeviceIndex device) {
  return ExchangeDevice(device);
}

aclrtStream NPUStream::stream() const {
  const NPUGuard here(device_index());
  return Streams::of_device(device_index()).of(id());
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
  const NPUGuard here(device);
  const c10::StreamId number = Streams::of_device(t_device).from_pool();
  return NPUStream(stream_numbered(default_of(t_device) + number));
}
NPUStream getStreamFromPool(bool, c10::DeviceIndex device) {
  return getNPUStreamFromPool(device);
}
NPUStream getDefaultNPUStream(c10::DeviceIndex device) {
  return NPUStream(stream_numbered(default_of(named(device))));
}
NPUStream getCurrentNPUStream(c10::DeviceIndex device) {
  return NPUStream(stream_numbered(current_stream_of(named(device))));
}
aclrtStream getCurrentNPUStreamNoWait(c10::DeviceIndex device) {
  return getCurrentNPUStream(device).stream();
}
void setCurrentNPUStream(NPUStream stream) {
  t_streams[stream.device_index()] = stream.id();
}
void graph::share_stream(c10::StreamId captured) {
  g_captured = captured;
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

// --- what torch asks of a device

namespace {

struct GuardImpl final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kNpu; }
  c10::Device exchangeDevice(c10::Device device) const override {
    return {kNpu, ExchangeDevice(device.index())};
  }
  c10::Device getDevice() const override { return {kNpu, t_device}; }
  void setDevice(c10::Device device) const override { LazySetDevice(device.index()); }
  void uncheckedSetDevice(c10::Device device) const noexcept override { t_device = device.index(); }
  c10::Stream getStream(c10::Device device) const noexcept override {
    return stream_numbered(current_stream_of(device.has_index() ? device.index() : t_device));
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return stream_numbered(default_of(named(device.index())));
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNPUStreamFromPool(device.index());
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
    const c10::StreamId before = current_stream_of(stream.device_index());
    // Guards of torch put back the stream that was there; for a thread that had chosen none it is
    // the default one, and it has chosen none again.
    if (stream.id() == default_of(stream.device_index())) {
      t_streams.erase(stream.device_index());
    } else {
      t_streams[stream.device_index()] = stream.id();
    }
    return stream_numbered(before);
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
const char* davsim_torch_start() {
  return text_of_failure([] { c10_npu::ensure_thread(); });
}
const char* davsim_torch_require_device(int device) {
  return text_of_failure([&] { c10_npu::require_device(static_cast<c10::DeviceIndex>(device)); });
}
int davsim_torch_device_count() {
  return c10_npu::device_count();
}
int davsim_torch_device() {
  return c10_npu::current_device();
}
const char* davsim_torch_set_device(int device) {
  return text_of_failure([&] { c10_npu::set_device(static_cast<c10::DeviceIndex>(device)); });
}
const char* davsim_torch_stream_make(int device, long long* id) {
  return text_of_failure(
      [&] { *id = c10_npu::getNPUStreamFromPool(static_cast<c10::DeviceIndex>(device)).id(); });
}
long long davsim_torch_stream_current(int device) {
  return c10_npu::getCurrentNPUStream(static_cast<c10::DeviceIndex>(device)).id();
}
long long davsim_torch_stream_default(int device) {
  return c10_npu::getDefaultNPUStream(static_cast<c10::DeviceIndex>(device)).id();
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
const char* davsim_torch_soc() {
  return aclrtGetSocName();
}

}  // extern "C"
