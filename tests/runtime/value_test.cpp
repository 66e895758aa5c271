// Streams that wait for values in memory.
#include <thread>

#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

class ValueTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    flag_ = static_cast<std::uint64_t*>(device_memory(64));
    out_ = device_memory(64);
    set(flag_, 0);
    set(out_, 0);
    waiting_ = stream();
    other_ = stream();
  }

  static void set(void* at, std::uint64_t value) {
    EXPECT_EQ(aclrtMemcpy(at, 8, &value, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  }
  static std::uint64_t value_at(const void* at) {
    std::uint64_t value = 0;
    EXPECT_EQ(aclrtMemcpy(&value, 8, at, 8, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return value;
  }
  void wait(std::uint64_t value, std::uint32_t how = ACL_VALUE_WAIT_EQ) {
    EXPECT_EQ(aclrtValueWait(flag_, value, how, waiting_), ACL_SUCCESS) << error_text();
  }
  void write(std::uint64_t value) {
    EXPECT_EQ(aclrtValueWrite(flag_, value, 0, other_), ACL_SUCCESS) << error_text();
  }
  /// The stream waits though the other one has done all that it was asked for.
  bool waits() const {
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
    return aclrtSynchronizeStreamWithTimeout(waiting_, 20) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
  }

  std::uint64_t* flag_ = nullptr;
  void* out_ = nullptr;
  aclrtStream waiting_ = nullptr, other_ = nullptr;
};

/// What is queued later on another stream is done before, in the order of that stream, and lies
/// before on the clock.
TEST_F(ValueTest, AStreamGoesOnWhenAnotherHasWrittenTheValue) {
  const aclrtEvent before = event(), after = event();
  wait(5);
  spin(out_, 7, waiting_);
  record(after, waiting_);
  spin(device_memory(64), 3, other_);
  write(4);
  EXPECT_TRUE(waits());
  EXPECT_EQ(value_at(out_), 0u) << "no kernel behind the wait has run";
  spin(device_memory(64), 3, other_);
  record(before, other_);
  write(5);
  EXPECT_EQ(aclrtSynchronizeStream(waiting_), ACL_SUCCESS);
  EXPECT_EQ(static_cast<std::uint32_t>(value_at(out_)), 7u);
  EXPECT_GT(elapsed(before, after), 0);
}

TEST_F(ValueTest, AValueThatIsThereIsNotAwaited) {
  write(9);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  wait(8, ACL_VALUE_WAIT_GEQ);
  wait(1, ACL_VALUE_WAIT_AND);
  wait(6, ACL_VALUE_WAIT_NOR);
  EXPECT_EQ(aclrtSynchronizeStream(waiting_), ACL_SUCCESS);
  wait(~std::uint64_t{0}, ACL_VALUE_WAIT_NOR);
  wait(10, ACL_VALUE_WAIT_GEQ);
  EXPECT_TRUE(waits());
  EXPECT_EQ(aclrtStreamAbort(waiting_), ACL_SUCCESS);
}

/// Of two streams that do not wait for each other otherwise, the one that waits lies behind.
TEST_F(ValueTest, TheWaitLiesBehindTheWriteOnTheClock) {
  const aclrtEvent before = event(), after = event();
  spin(device_memory(64), 300, other_);
  record(before, other_);
  write(9);
  wait(9);
  record(after, waiting_);
  EXPECT_GE(elapsed(before, after), 0);
}

/// One thread waits for its stream, another one writes the value later.
TEST_F(ValueTest, ThreadsMeetByAValue) {
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::thread waits([&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    wait(10);
    spin(out_, 2, waiting_);
    EXPECT_EQ(aclrtSynchronizeStream(waiting_), ACL_SUCCESS);
  });
  std::thread writes([&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    write(10);
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  });
  waits.join();
  writes.join();
  EXPECT_EQ(static_cast<std::uint32_t>(value_at(out_)), 2u);
}

TEST_F(ValueTest, TheHostOrAKernelWritesTheValue) {
  wait(3);
  EXPECT_TRUE(waits());
  set(flag_, 3);
  EXPECT_EQ(aclrtSynchronizeStream(waiting_), ACL_SUCCESS);
  set(flag_, 0);
  wait(0xFFFFFFFF, ACL_VALUE_WAIT_AND);
  EXPECT_TRUE(waits());
  spin(flag_, 6, other_);
  EXPECT_EQ(aclrtSynchronizeStream(waiting_), ACL_SUCCESS);
}

/// Who waits for an event behind the wait waits for the value too; others do not.
TEST_F(ValueTest, EventsBehindAWaitAreHeldUp) {
  const aclrtEvent behind = event();
  const aclrtStream third = stream();
  wait(1);
  record(behind, waiting_);
  EXPECT_EQ(aclrtStreamWaitEvent(third, behind), ACL_SUCCESS);
  spin(out_, 4, third);
  EXPECT_TRUE(waits());
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  EXPECT_EQ(aclrtQueryEventStatus(behind, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(third, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  write(1);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(static_cast<std::uint32_t>(value_at(out_)), 4u);
}

TEST_F(ValueTest, WhatStillWaitsIsGivenUp) {
  wait(1);
  spin(out_, 4, waiting_);
  EXPECT_EQ(aclrtStreamAbort(waiting_), ACL_SUCCESS);
  EXPECT_EQ(value_at(out_), 0u);
  wait(1);
  EXPECT_EQ(aclrtDestroyStreamForce(waiting_), ACL_SUCCESS);
  waiting_ = stream();
  wait(1);
  spin(out_, 4, waiting_);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  RuntimeTest::SetUp();
  spin(device_memory(64), 1, stream());
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_F(ValueTest, WrongArgumentsAreRefused) {
  std::uint64_t own = 0;
  EXPECT_EQ(aclrtValueWait(nullptr, 1, 0, waiting_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtValueWait(&own, 1, 0, waiting_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtValueWait(reinterpret_cast<char*>(flag_) + 4, 1, 0, waiting_),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtValueWait(flag_, 1, 4, waiting_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtValueWait(flag_, 1, 0, flag_), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtValueWrite(nullptr, 1, 0, other_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtValueWrite(flag_, 1, 1, other_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclmdlRICaptureBegin(waiting_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWait(flag_, 1, 0, waiting_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  aclmdlRI model = nullptr;
  EXPECT_EQ(aclmdlRICaptureEnd(waiting_, &model), ACL_SUCCESS);
}

}  // namespace
}  // namespace davsim::test
