// Kernels of several devices that wait for each other in memory which each of them reaches.
#include <chrono>
#include <thread>

#include "tests/runtime/communicator_fixture.hpp"

namespace davsim::test {
namespace {

using Converse = void(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::int32_t, std::int32_t);

/// Devices 0 and 1 leave numbers with each other, and so do 2 and 3; with and without a clock.
class PeerLaunchesTest : public CommunicatorTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    setenv("DAVSIM_FUNCTIONAL", GetParam() ? "0" : "1", 1);
    CommunicatorTest::SetUp();
    for (std::uint32_t device = 0; device < kRanks; ++device) {
      use(device);
      ASSERT_EQ(aclrtDeviceEnablePeerAccess(static_cast<std::int32_t>(peer(device)), 0),
                ACL_SUCCESS);
      boxes_[device] = zeros(kBoxBytes);
      sums_[device] = zeros(sizeof(Sums));
    }
  }

  using Sums = std::array<std::int32_t, 8>;
  static constexpr std::size_t kBoxBytes = 256;
  static constexpr std::int32_t kRounds = 3;

  static void use(std::uint32_t device) {
    ASSERT_EQ(aclrtSetDevice(static_cast<std::int32_t>(device)), ACL_SUCCESS) << error_text();
  }
  static void* zeros(std::size_t bytes) {
    const std::vector<std::byte> none(bytes);
    return to_device(none.data(), bytes);
  }
  static std::uint32_t peer(std::uint32_t device) { return device ^ 1u; }
  static std::int32_t first_of(std::uint32_t device) {
    return static_cast<std::int32_t>(10 * (device + 1));
  }

  void converse(std::uint32_t device, std::int32_t rounds = kRounds) const {
    use(device);
    ASSERT_EQ(
        runtime::launch<Converse>("converse_custom", 2, nullptr, boxes_[device],
                                  boxes_[peer(device)], sums_[device], rounds, first_of(device)),
        0u);
  }
  void expect_sum(std::uint32_t device) const {
    use(device);
    ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << error_text();
    Sums sums{};
    ASSERT_EQ(aclrtMemcpy(sums.data(), sizeof sums, sums_[device], sizeof sums,
                          ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    EXPECT_EQ(sums.front(), kRounds * first_of(peer(device)) + 1 + 2 + 3) << "device " << device;
    EXPECT_EQ(sums.back(), sums.front());
  }
  void again() const {
    for (std::uint32_t device = 0; device < kRanks; ++device) {
      use(device);
      ASSERT_EQ(aclrtMemset(boxes_[device], kBoxBytes, 0, kBoxBytes), ACL_SUCCESS);
    }
  }

  std::array<void*, kRanks> boxes_{}, sums_{};
};

TEST_P(PeerLaunchesTest, OneThreadLaunchesOnAllDevices) {
  for (int i = 0; i < 3; ++i) {
    for (const std::uint32_t device : {0, 2, 3, 1}) converse(device);
    for (std::uint32_t device = 0; device < kRanks; ++device) expect_sum(device);
    again();
  }
}

TEST_P(PeerLaunchesTest, AllTakeTheTimeFromWhereTheyRunTogether) {
  std::array<std::array<aclrtEvent, 2>, 2> events{};
  for (const std::uint32_t device : {0u, 1u}) {
    use(device);
    for (aclrtEvent& event : events.at(device)) ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(events.at(device)[0], nullptr), ACL_SUCCESS);
    converse(device);
    ASSERT_EQ(aclrtRecordEvent(events.at(device)[1], nullptr), ACL_SUCCESS);
  }
  std::array<float, 2> took{};
  for (const std::uint32_t device : {0u, 1u}) {
    expect_sum(device);
    ASSERT_EQ(aclrtEventElapsedTime(&took.at(device), events.at(device)[0], events.at(device)[1]),
              ACL_SUCCESS);
  }
  EXPECT_NEAR(took[0], took[1], 0.05F * took[1]) << "milliseconds";
}

TEST_P(PeerLaunchesTest, EachThreadHasADevice) {
  std::vector<std::thread> threads;
  for (std::uint32_t device = 0; device < kRanks; ++device) {
    threads.emplace_back([this, device] {
      // The others wait meanwhile.
      std::this_thread::sleep_for(std::chrono::milliseconds(50 * device));
      use(device);
      zeros(64);
      converse(device);
      expect_sum(device);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(PeerLaunchesTest, WhatIsQueuedBeforeALaunchIsDoneFirst) {
  converse(0);
  Row row = row_of(7);
  std::array<void*, kRanks> rows{};
  for (std::uint32_t device = 1; device < kRanks; ++device) {
    use(device);
    aclrtStream other = nullptr;
    aclrtEvent copied = nullptr;
    ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&copied), ACL_SUCCESS);
    rows[device] = zeros(sizeof row);
    ASSERT_EQ(aclrtMemcpyAsync(rows[device], sizeof row, row.data(), sizeof row,
                               ACL_MEMCPY_HOST_TO_DEVICE, other),
              ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(copied, other), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(nullptr, copied), ACL_SUCCESS);
    converse(device);
  }
  for (std::uint32_t device = 0; device < kRanks; ++device) expect_sum(device);
  EXPECT_EQ(from_device(rows[3]), row);
}

TEST_P(PeerLaunchesTest, ALaunchThatDoesNotWaitRunsAlone) {
  converse(0, 0);
  use(0);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << error_text();
}

TEST_P(PeerLaunchesTest, AFaultOfOneEndsAll) {
  converse(0);
  converse(2);
  use(1);
  ASSERT_EQ(runtime::launch<Converse>("converse_custom", 2, nullptr, boxes_[1], nullptr, sums_[1],
                                      kRounds, 1),
            0u);
  use(0);
  EXPECT_NE(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  const std::string told = error_text();
  EXPECT_EQ(told.find("deadlock"), std::string::npos) << told;
  EXPECT_NE(told.find("converse_custom"), std::string::npos) << told;
}

class MissingPeerTest : public PeerLaunchesTest {
 protected:
  void SetUp() override {
    setenv("DAVSIM_HOST_TIMEOUT", "2", 1);
    PeerLaunchesTest::SetUp();
  }
};

TEST_P(MissingPeerTest, ALaunchThatNeverComesIsADeadlock) {
  converse(0);
  converse(2);
  use(0);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
  EXPECT_NE(error_text().find("deadlock"), std::string::npos) << error_text();
}

std::string mode_name(const ::testing::TestParamInfo<bool>& timed) {
  return timed.param ? "Timed" : "Functional";
}
INSTANTIATE_TEST_SUITE_P(Modes, PeerLaunchesTest, ::testing::Bool(), mode_name);
INSTANTIATE_TEST_SUITE_P(Modes, MissingPeerTest, ::testing::Bool(), mode_name);

}  // namespace
}  // namespace davsim::test
