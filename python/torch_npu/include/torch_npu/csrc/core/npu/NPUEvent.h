// An event of the simulated device. Times are simulated.
#pragma once

#include <acl/acl.h>

#include "torch_npu/csrc/core/npu/NPUStream.h"

namespace c10_npu {

class NPUEvent {
 public:
  NPUEvent() = default;
  explicit NPUEvent(unsigned int) {}
  ~NPUEvent() {
    if (event_ != nullptr) aclrtDestroyEvent(event_);
  }
  NPUEvent(const NPUEvent&) = delete;
  NPUEvent& operator=(const NPUEvent&) = delete;
  NPUEvent(NPUEvent&& other) noexcept : event_(other.event_) { other.event_ = nullptr; }
  NPUEvent& operator=(NPUEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  operator aclrtEvent() const { return event_; }
  aclrtEvent event() const { return event_; }
  bool isCreated() const { return event_ != nullptr; }
  c10::DeviceIndex device_index() const { return current_device(); }

  bool query() const {
    if (!isCreated()) return true;
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    NPU_CHECK_ERROR(aclrtQueryEventStatus(event_, &status));
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  }
  void record() { record(getCurrentNPUStream()); }
  void recordOnce(const NPUStream& stream) {
    if (!isCreated()) record(stream);
  }
  void record(const NPUStream& stream) {
    if (!isCreated()) NPU_CHECK_ERROR(aclrtCreateEvent(&event_));
    NPU_CHECK_ERROR(aclrtRecordEvent(event_, stream.stream()));
  }
  void block(const NPUStream& stream) {
    if (isCreated()) NPU_CHECK_ERROR(aclrtStreamWaitEvent(stream.stream(), event_));
  }
  /// Milliseconds.
  float elapsed_time(const NPUEvent& other) const {
    TORCH_CHECK(isCreated() && other.isCreated(), "both events have to be recorded before");
    synchronize();
    other.synchronize();
    float milliseconds = 0;
    NPU_CHECK_ERROR(aclrtEventElapsedTime(&milliseconds, event_, other.event_));
    return milliseconds;
  }
  void synchronize() const {
    if (isCreated()) NPU_CHECK_ERROR(aclrtSynchronizeEvent(event_));
  }

 private:
  aclrtEvent event_ = nullptr;
};

}  // namespace c10_npu
