// Guards that set a device or a stream and put back what was before.
#pragma once

#include <c10/core/impl/InlineDeviceGuard.h>

#include <optional>

#include "torch_npu/csrc/core/npu/NPUStream.h"

namespace c10_npu {

/// Another device for the calling thread while it exists; -1 is the one that it has anyway. Throws
/// c10::Error for a device that does not exist.
class NPUGuard {
 public:
  explicit NPUGuard() = delete;
  explicit NPUGuard(c10::DeviceIndex device) : original_(c10_npu::current_device()) {
    set_index(device);
  }
  explicit NPUGuard(c10::Device device) : NPUGuard(device.index()) {}
  ~NPUGuard() { c10_npu::LazySetDevice(original_); }
  NPUGuard(const NPUGuard&) = delete;
  NPUGuard& operator=(const NPUGuard&) = delete;
  void set_device(c10::Device device) { set_index(device.index()); }
  void reset_device(c10::Device device) { set_index(device.index()); }
  void set_index(c10::DeviceIndex device) { c10_npu::set_device(device); }
  c10::Device original_device() const { return {c10::DeviceType::PrivateUse1, original_}; }
  c10::Device current_device() const {
    return {c10::DeviceType::PrivateUse1, c10_npu::current_device()};
  }

 private:
  c10::DeviceIndex original_;
};

class OptionalNPUGuard {
 public:
  explicit OptionalNPUGuard() = default;
  explicit OptionalNPUGuard(c10::optional<c10::Device> device) {
    if (device.has_value()) set_device(*device);
  }
  explicit OptionalNPUGuard(c10::optional<c10::DeviceIndex> device) {
    if (device.has_value()) set_index(*device);
  }
  OptionalNPUGuard(const OptionalNPUGuard&) = delete;
  OptionalNPUGuard& operator=(const OptionalNPUGuard&) = delete;
  void set_device(c10::Device device) {
    if (device.type() == c10::DeviceType::PrivateUse1) set_index(device.index());
  }
  void set_index(c10::DeviceIndex device) {
    if (!guard_.has_value()) guard_.emplace(c10_npu::current_device());
    guard_->set_index(device);
  }
  void reset() { guard_.reset(); }

 private:
  std::optional<NPUGuard> guard_;
};

class NPUStreamGuard {
 public:
  explicit NPUStreamGuard(c10::Stream stream)
      : before_(getCurrentNPUStream()), now_(NPUStream(stream)) {
    setCurrentNPUStream(now_);
  }
  ~NPUStreamGuard() { setCurrentNPUStream(before_); }
  NPUStreamGuard(const NPUStreamGuard&) = delete;
  NPUStreamGuard& operator=(const NPUStreamGuard&) = delete;
  void reset_stream(c10::Stream stream) { setCurrentNPUStream(now_ = NPUStream(stream)); }
  NPUStream original_stream() const { return before_; }
  NPUStream current_stream() const { return now_; }
  c10::Device current_device() const { return now_.device(); }
  c10::Device original_device() const { return before_.device(); }

 private:
  NPUStream before_, now_;
};

class OptionalNPUStreamGuard {
 public:
  explicit OptionalNPUStreamGuard() : before_(getCurrentNPUStream()) {}
  explicit OptionalNPUStreamGuard(c10::Stream stream) : OptionalNPUStreamGuard() {
    reset_stream(stream);
  }
  explicit OptionalNPUStreamGuard(c10::optional<c10::Stream> stream) : OptionalNPUStreamGuard() {
    if (stream.has_value()) reset_stream(*stream);
  }
  ~OptionalNPUStreamGuard() { setCurrentNPUStream(before_); }
  OptionalNPUStreamGuard(const OptionalNPUStreamGuard&) = delete;
  OptionalNPUStreamGuard& operator=(const OptionalNPUStreamGuard&) = delete;
  void reset_stream(c10::Stream stream) { setCurrentNPUStream(NPUStream(stream)); }

 private:
  NPUStream before_;
};

}  // namespace c10_npu
