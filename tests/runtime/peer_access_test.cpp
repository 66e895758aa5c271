// Kernels of one device that reach memory of another one by its address.
#include <thread>

#include "tests/runtime/communicator_fixture.hpp"

namespace davsim::test {
namespace {

class PeerAccessTest : public CommunicatorTest {
 protected:
  /// Memory on device 1, which a kernel of device 0 is to write.
  void SetUp() override {
    CommunicatorTest::SetUp();
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS) << error_text();
    ASSERT_EQ(aclrtMalloc(&there_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST_P2P), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  }
  int scale_to(void* to) {
    const Row row = row_of(1);
    void* const here = to_device(row.data(), sizeof row);
    runtime::launch<Scale>("scale_custom", 1, nullptr, here, to, 2.0f, ScaleTiling{kRow, 1});
    return aclrtSynchronizeStream(nullptr);
  }
  void expect_scaled(void* at) {
    ASSERT_EQ(scale_to(at), ACL_SUCCESS) << error_text();
    EXPECT_EQ(from_device(at)[3], 2 * 103 + 1);
  }

  static constexpr std::size_t kBytes = kRow * sizeof(float);
  void* there_ = nullptr;
};

TEST_F(PeerAccessTest, IsRefusedUnlessItWasAskedFor) {
  EXPECT_NE(scale_to(there_), ACL_SUCCESS);
}

TEST_F(PeerAccessTest, ReachesWhatTheOtherDeviceHasAndWillHave) {
  ASSERT_EQ(aclrtDeviceEnablePeerAccess(1, 0), ACL_SUCCESS) << error_text();
  expect_scaled(there_);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  void* later = nullptr;
  ASSERT_EQ(aclrtMalloc(&later, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  expect_scaled(later);
}

TEST_F(PeerAccessTest, ReachesMemoryThatWasImported) {
  char key[65] = "";
  void* imported = nullptr;
  ASSERT_EQ(aclrtIpcMemGetExportKey(there_, kBytes, key, sizeof key, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtIpcMemImportByKey(&imported, key, 0), ACL_SUCCESS) << error_text();
  expect_scaled(imported);
}

/// An event of the device's clock on a stream.
aclrtEvent recorded(aclrtStream stream) {
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  return event;
}
float milliseconds(aclrtEvent begin, aclrtEvent end) {
  EXPECT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
  float time = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&time, begin, end), ACL_SUCCESS);
  return time;
}

float copy_time(void* to, const void* from, std::size_t bytes) {
  const aclrtEvent begin = recorded(nullptr);
  EXPECT_EQ(aclrtMemcpyAsync(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr),
            ACL_SUCCESS)
      << error_text();
  return milliseconds(begin, recorded(nullptr));
}

TEST_F(PeerAccessTest, ACopyToAnotherDeviceTakesTheTimeOfTheirLink) {
  constexpr std::size_t kMany = 26'200'000;
  void *one = nullptr, *two = nullptr, *peer = nullptr;
  ASSERT_EQ(aclrtMalloc(&one, kMany, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&two, kMany, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&peer, kMany, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_LT(copy_time(two, one, kMany), 0.2);
  EXPECT_NEAR(copy_time(peer, one, kMany), 1.0, 0.05) << "26.2 GB/s";
  EXPECT_NEAR(copy_time(one, peer, kMany), 1.0, 0.05);
}

TEST_F(PeerAccessTest, LaunchesOfTwoStreamsShareTheCoresOfTheirDeviceAlone) {
  const std::vector<float> rows(48 * kRow, 1.0f);
  struct Lane {
    aclrtStream stream = nullptr;
    void* data = nullptr;
    float end = 0;
  };
  std::vector<Lane> lanes(3);  // two of device 0, one of device 1
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(aclrtSetDevice(i == 2 ? 1 : 0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&lanes[i].stream), ACL_SUCCESS);
    lanes[i].data = to_device(rows.data(), rows.size() * sizeof(float));
  }
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtEvent begin = recorded(lanes[0].stream);
  std::vector<aclrtEvent> ends;
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(aclrtSetDevice(i == 2 ? 1 : 0), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(lanes[i].stream, begin), ACL_SUCCESS);
    runtime::launch<Scale>("scale_custom", 48, lanes[i].stream, lanes[i].data, lanes[i].data, 2.0f,
                           ScaleTiling{kRow, 1});  // all vector cores
    ends.push_back(recorded(lanes[i].stream));
  }
  for (std::size_t i = 0; i < 3; ++i) lanes[i].end = milliseconds(begin, ends[i]);
  EXPECT_GT(lanes[1].end, 1.5f * lanes[0].end) << "behind the first one";
  EXPECT_LT(lanes[2].end, 1.2f * lanes[0].end) << "beside the first one";
}

TEST_F(PeerAccessTest, TimesThatAThreadAsksForDelayNoOtherDevice) {
  const std::vector<float> rows(48 * kRow, 1.0f);
  const auto launched = [](aclrtStream stream, void* data) {
    runtime::launch<Scale>("scale_custom", 48, stream, data, data, 2.0f, ScaleTiling{kRow, 1});
    return recorded(stream);
  };
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  void* const data = to_device(rows.data(), rows.size() * sizeof(float));
  const aclrtEvent begin = recorded(stream);
  float alone = 0;
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    void* const own = to_device(rows.data(), rows.size() * sizeof(float));
    const aclrtEvent own_begin = recorded(nullptr);
    alone = milliseconds(own_begin, launched(nullptr, own));
  }).join();
  ASSERT_GT(alone, 0);
  EXPECT_LT(milliseconds(begin, launched(stream, data)), 1.2f * alone);
}

}  // namespace
}  // namespace davsim::test
