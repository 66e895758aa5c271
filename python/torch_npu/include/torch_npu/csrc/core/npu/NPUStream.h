// Streams of the simulated device as torch sees them.
#pragma once

#include <acl/acl.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

#include "torch_npu/csrc/core/npu/NPUException.h"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"
#include "torch_npu/csrc/core/npu/NPUMacros.h"

namespace c10_npu {

class NPUStream {
 public:
  enum Unchecked { UNCHECKED };
  explicit NPUStream(c10::Stream stream) : stream_(stream) {
    TORCH_CHECK(stream_.device_type() == c10::DeviceType::PrivateUse1, "not a stream of npu");
  }
  NPUStream(Unchecked, c10::Stream stream) : stream_(stream) {}

  bool operator==(const NPUStream& other) const noexcept { return unwrap() == other.unwrap(); }
  bool operator!=(const NPUStream& other) const noexcept { return unwrap() != other.unwrap(); }
  operator aclrtStream() const { return stream(); }
  operator c10::Stream() const { return unwrap(); }

  c10::DeviceType device_type() const { return c10::DeviceType::PrivateUse1; }
  c10::DeviceIndex device_index() const { return stream_.device_index(); }
  c10::Device device() const { return stream_.device(); }
  c10::StreamId id() const { return stream_.id(); }
  c10::Stream unwrap() const { return stream_; }

  /// Whether all that was queued has ended.
  bool query() const;
  /// Waits. Throws c10::Error if a kernel went wrong.
  void synchronize() const;
  aclrtStream stream() const;
  /// There is no queue of tasks between torch and the stream, so nothing has to be emptied.
  aclrtStream stream(bool /*need_empty*/) const { return stream(); }
  void setDataPreprocessStream(bool) {}
  bool isDataPreprocessStream() const { return false; }

 private:
  c10::Stream stream_;
};

/// A stream of its own; -1 is the current device.
NPUStream getNPUStreamFromPool(c10::DeviceIndex device = -1);
NPUStream getStreamFromPool(bool isHighPriority = false, c10::DeviceIndex device = -1);
NPUStream getDefaultNPUStream(c10::DeviceIndex device = -1);
/// That of the calling thread.
NPUStream getCurrentNPUStream(c10::DeviceIndex device = -1);
aclrtStream getCurrentNPUStreamNoWait(c10::DeviceIndex device = -1);
inline NPUStream getCurrentSecondaryStream(c10::DeviceIndex device = -1) {
  return getCurrentNPUStream(device);
}
void setCurrentNPUStream(NPUStream stream);
inline aclError npuSynchronizeDevice(bool /*check_error*/ = true) {
  device_synchronize();
  return ACL_SUCCESS;
}
inline aclError npuSynchronizeUsedDevices(bool /*check_error*/ = true) {
  return npuSynchronizeDevice();
}

std::ostream& operator<<(std::ostream& to, const NPUStream& stream);

}  // namespace c10_npu
