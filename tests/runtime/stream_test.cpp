// Streams and events: order, simulated time, callbacks.
#include <pthread.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

using StreamTest = RuntimeTest;

TEST_F(StreamTest, TheFirstElementIsThatOfTheLastLaunch) {
  void* out = device_memory(64);
  const aclrtStream on = stream();
  for (int rounds = 1; rounds <= 5; ++rounds) spin(out, rounds, on);
  EXPECT_EQ(aclrtSynchronizeStream(on), ACL_SUCCESS);
  std::int32_t last = 0;
  EXPECT_EQ(aclrtMemcpy(&last, sizeof last, out, sizeof last, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  EXPECT_EQ(last, 5);
  EXPECT_EQ(aclrtDestroyStream(on), ACL_SUCCESS);
}

TEST_F(StreamTest, AttributesAndOptionsAreKept) {
  const aclrtStream on = stream(), other = stream();
  aclrtStreamAttrValue value{};
  value.userCustomTag = 7;
  EXPECT_EQ(aclrtSetStreamAttribute(on, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamAttribute(other, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  EXPECT_EQ(value.userCustomTag, 0u);
  EXPECT_EQ(aclrtGetStreamAttribute(on, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  EXPECT_EQ(value.userCustomTag, 7u);
  EXPECT_NE(aclrtGetStreamAttribute(on, static_cast<aclrtStreamAttr>(9), &value), ACL_SUCCESS);
  std::int64_t option = 0;
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &option), ACL_SUCCESS);
  EXPECT_EQ(option, 1);
  std::int32_t number = -1;
  EXPECT_EQ(aclrtGetPhyDevIdByUserDevId(0, &number), ACL_SUCCESS);
  EXPECT_EQ(number, 0);
  EXPECT_NE(aclrtGetUserDevIdByPhyDevId(99, &number), ACL_SUCCESS);
}

TEST_F(StreamTest, PrioritiesAreThoseThatThereAre) {
  aclrtStream made = nullptr;
  EXPECT_EQ(aclrtCreateStreamWithConfig(&made, 7, ACL_STREAM_FAST_LAUNCH), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateStreamWithConfig(&made, 8, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(error_text().find("priority is 8, allowed are 0 to 7"), std::string::npos);
}

TEST_F(StreamTest, AConfigurationMakesAStream) {
  aclrtStreamConfigHandle* const config = aclrtCreateStreamConfigHandle();
  const std::size_t flag = ACL_STREAM_FAST_SYNC;
  const std::uint32_t priority = 3;
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof flag), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, 3), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, static_cast<aclrtStreamConfigAttr>(9), &flag, 8),
            ACL_ERROR_INVALID_PARAM);
  std::uint32_t before = 0, after = 0, value = 0;
  EXPECT_EQ(aclrtGetStreamAvailableNum(&before), ACL_SUCCESS);
  aclrtStream made = nullptr;
  EXPECT_EQ(aclrtCreateStreamV2(&made, config), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamAvailableNum(&after), ACL_SUCCESS);
  EXPECT_EQ(after, before - 1);
  EXPECT_EQ(aclrtStreamGetPriority(made, &value), ACL_SUCCESS);
  EXPECT_EQ(value, priority);
  EXPECT_EQ(aclrtStreamGetFlags(made, &value), ACL_SUCCESS);
  EXPECT_EQ(value, flag);
  EXPECT_EQ(aclrtDestroyStreamConfigHandle(config), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamConfigHandle(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetEventAvailNum(&before), ACL_SUCCESS);
  event();
  EXPECT_EQ(aclrtGetEventAvailNum(&after), ACL_SUCCESS);
  EXPECT_EQ(after, before - 1);
}

TEST_F(StreamTest, NoOverflowIsTold) {
  void* status = device_memory(64);
  std::uint64_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(aclrtMemcpy(status, 64, words, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetOverflowStatus(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetOverflowStatus(status, 64, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetOverflowStatus(nullptr, 64, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(words, 64, status, 64, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  for (const std::uint64_t word : words) EXPECT_EQ(word, 0u);
}

/// Of an event that was not recorded, it depends on the call that made it.
TEST_F(StreamTest, EventsOfTheExFormAreCompleteUntilTheyAreRecorded) {
  aclrtEvent plain = nullptr, ex = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&plain, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC), ACL_SUCCESS);
  aclrtEventRecordedStatus status{};
  EXPECT_EQ(aclrtQueryEventStatus(plain, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtQueryEventStatus(ex, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(StreamTest, ElapsedTimeIsSimulatedTime) {
  void* out = device_memory(64);
  const aclrtEvent start = event(), middle = event(), end = event();
  spin(out, 1, nullptr);  // its code is in the caches afterwards
  record(start, nullptr);
  spin(out, 10, nullptr);
  record(middle, nullptr);
  spin(out, 20, nullptr);
  record(end, nullptr);
  const float ten = elapsed(start, middle), twenty = elapsed(middle, end);
  EXPECT_GT(ten, 0);
  // An Adds of 16384 floats takes the vector unit at least 16384 / 64 cycles at 1.8 GHz.
  EXPECT_GE(twenty - ten, 10 * 256 / 1800.0f);
  EXPECT_LT(twenty, 2 * ten) << "the overhead of a launch is in both";
  EXPECT_FLOAT_EQ(elapsed(start, end), ten + twenty);
}

TEST_F(StreamTest, LaunchesOfDifferentStreamsOverlapOnFreeCores) {
  void* out = device_memory(64 * 40);
  const aclrtStream one = stream(), other = stream();
  const aclrtEvent start = event(), first = event(), second = event(), third = event();
  spin(out, 1, one);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  record(start, one);
  EXPECT_EQ(aclrtStreamWaitEvent(other, start), ACL_SUCCESS);
  spin(out, 50, one, 20);
  record(first, one);
  spin(out, 50, other, 20);
  record(second, other);
  spin(out, 50, one, 40);
  record(third, one);
  const float alone = elapsed(start, first);
  EXPECT_NEAR(elapsed(start, second), alone, alone * 0.2f) << "20 of 40 cores were free";
  EXPECT_GT(elapsed(start, third), 1.7f * alone) << "no core was free";
}

TEST_F(StreamTest, CopiesTakeTimeOnTheirStream) {
  constexpr std::size_t kBytes = 1 << 20;
  void* device = device_memory(kBytes);
  void* other = device_memory(kBytes);
  void* host = nullptr;
  EXPECT_EQ(aclrtMallocHost(&host, kBytes), ACL_SUCCESS);
  const aclrtStream on = stream();
  const aclrtEvent events[5] = {event(), event(), event(), event(), event()};
  record(events[0], on);
  EXPECT_EQ(aclrtMemcpyAsync(device, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, on), 0);
  record(events[1], on);
  EXPECT_EQ(aclrtMemcpyAsync(other, kBytes, device, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, on), 0);
  record(events[2], on);
  EXPECT_EQ(aclrtMemcpyAsync(host, kBytes, other, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, on), 0);
  record(events[3], on);
  EXPECT_EQ(aclrtMemsetAsync(device, kBytes, 1, kBytes, on), 0);
  record(events[4], on);
  // PCIe moves a MiB in about 40 us, HBM in less than 3.
  const float down = elapsed(events[0], events[1]), up = elapsed(events[2], events[3]);
  EXPECT_GT(down, 33);
  EXPECT_LT(down, 80);
  EXPECT_FLOAT_EQ(up, down);
  const float within = elapsed(events[1], events[2]), set = elapsed(events[3], events[4]);
  EXPECT_GT(set, 1);
  EXPECT_GT(within, set);
  EXPECT_LT(within, down / 2);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
}

TEST_F(StreamTest, WhatTheHostQueuesBehindAWaitStartsBehindIt) {
  void* out = device_memory(64);
  const aclrtStream one = stream(), other = stream();
  const aclrtEvent start = event(), end = event();
  spin(out, 1, one);
  EXPECT_EQ(aclrtSynchronizeStream(one), ACL_SUCCESS);
  record(start, one);
  spin(out, 50, one);
  EXPECT_EQ(aclrtSynchronizeStream(one), ACL_SUCCESS);
  spin(out, 50, other);
  record(end, other);
  const float both = elapsed(start, end);
  const aclrtEvent first = event(), last = event();
  record(first, one);
  spin(out, 50, one);
  record(last, one);
  EXPECT_NEAR(both, 2 * elapsed(first, last), 1);
}

TEST_F(StreamTest, EveryWayToWaitCounts) {
  void* out = device_memory(64);
  const aclrtStream one = stream(), other = stream();
  spin(out, 1, one);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  const aclrtEvent begin = event(), middle = event(), waited = event(), end = event();
  record(begin, one);
  spin(out, 50, one);
  record(middle, one);
  EXPECT_EQ(aclrtSynchronizeEvent(middle), ACL_SUCCESS);
  spin(out, 50, other);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  record(waited, one);
  spin(out, 50, one);
  record(end, one);
  const float each = elapsed(begin, middle);
  EXPECT_NEAR(elapsed(middle, waited), each, 1);
  EXPECT_NEAR(elapsed(waited, end), each, 1);
}

TEST_F(StreamTest, ACopyThatTheHostWaitsForTakesTimeToo) {
  constexpr std::size_t kBytes = 1 << 20;
  void* device = device_memory(kBytes);
  const std::vector<char> host(kBytes);
  const aclrtStream on = stream();
  const aclrtEvent start = event(), end = event();
  record(start, on);
  EXPECT_EQ(aclrtMemcpy(device, kBytes, host.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  record(end, on);
  EXPECT_GT(elapsed(start, end), 33);
}

TEST_F(StreamTest, AStreamWaitsForAnEventOfAnother) {
  void* out = device_memory(64);
  const aclrtStream one = stream(), other = stream();
  const aclrtEvent first = event(), second = event();
  spin(out, 50, one);
  record(first, one);
  EXPECT_EQ(aclrtStreamWaitEvent(other, first), ACL_SUCCESS);
  record(second, other);
  EXPECT_FLOAT_EQ(elapsed(first, second), 0);
}

TEST_F(StreamTest, EventsThatCannotTellAreRefused) {
  const aclrtEvent never = event();
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  ASSERT_EQ(aclrtQueryEventStatus(never, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  aclrtEvent wrong = nullptr;
  EXPECT_EQ(aclrtCreateEventWithFlag(&wrong, 0x1000), ACL_ERROR_INVALID_PARAM);
  float ms = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, never, never), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtEventElapsedTime(nullptr, never, never), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyEvent(never), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(never), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtRecordEvent(never, nullptr), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtRecordEvent(nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(StreamTest, HandlesThatAreGoneAreRefused) {
  const aclrtStream gone = stream();
  EXPECT_EQ(aclrtDestroyStream(gone), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(gone), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtSynchronizeStream(gone), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, -2), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(StreamTest, AStreamBelongsToItsContext) {
  const aclrtStream of_first = stream();
  aclrtContext first = nullptr, second = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&first), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&second, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(of_first), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtSetCurrentContext(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(of_first), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(second), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(second), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyContext(first), ACL_ERROR_RT_PARAM_INVALID) << "of aclrtSetDevice";
}

TEST_F(StreamTest, AThreadNeedsAContext) {
  aclError without = ACL_SUCCESS, with = ACL_SUCCESS;
  std::thread([&] {
    aclrtStream made = nullptr;
    without = aclrtCreateStream(&made);
    aclrtSetDevice(0);
    with = aclrtCreateStream(&made);
  }).join();
  EXPECT_EQ(without, ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(with, ACL_SUCCESS);
}

TEST_F(StreamTest, ATimeoutThatPassesIsTold) {
  void* out = device_memory(64);
  std::atomic<bool> go = false;
  const auto wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
  };
  EXPECT_EQ(aclrtLaunchHostFunc(nullptr, wait, &go), ACL_SUCCESS);
  spin(out, 1, nullptr);
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  go = true;
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, -1), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST_F(StreamTest, CallbacksComeInTheSubscribedThread) {
  const aclrtStream on = stream();
  pthread_t called_in{};
  std::atomic<bool> end = false;
  std::thread thread([&] {
    while (!end) aclrtProcessReport(10);
  });
  const pthread_t reporter = thread.native_handle();
  EXPECT_EQ(aclrtSubscribeReport(reporter, on), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(reporter, on), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  const auto note = [](void* id) { *static_cast<pthread_t*>(id) = pthread_self(); };
  EXPECT_EQ(aclrtLaunchCallback(note, &called_in, ACL_CALLBACK_BLOCK, on), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(on), ACL_SUCCESS);
  EXPECT_EQ(called_in, reporter);
  EXPECT_EQ(aclrtUnSubscribeReport(reporter, on), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(reporter, on), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  end = true;
  thread.join();
  EXPECT_EQ(aclrtProcessReport(0), ACL_ERROR_RT_WAIT_TIMEOUT);
  EXPECT_EQ(aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, on), ACL_ERROR_INVALID_PARAM);
}

/// Bytes of host memory in use.
std::size_t resident_bytes() {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*s %zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * 4096;
}

TEST_F(StreamTest, MoreLaunchesNeedNoMoreMemory) {
  void* out = device_memory(64);
  const auto launches = [&](int count) {
    for (int i = 0; i < count; ++i) {
      void* tiling = device_memory(64);
      spin(out, 1, nullptr);
      EXPECT_EQ(aclrtFree(tiling), ACL_SUCCESS);
    }
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  };
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what is freed for a while";
#endif
  // The queue of what the device has to do becomes as long as it gets.
  for (int round = 0; round < 4; ++round) launches(500);
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 4; ++round) launches(500);
  EXPECT_LT(resident_bytes(), before + (4u << 20));
}

}  // namespace
}  // namespace davsim::test
