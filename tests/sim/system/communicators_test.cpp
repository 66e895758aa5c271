// Communicators by name and by the addresses of their contexts and windows.
#include "sim/system/communicators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "lib/hccl/hccl_common.h"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

class CommunicatorsTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kWindow = 1 << 16;

  void SetUp() override {
    sim::SystemConfig system = sim::SystemConfig::named("atlas_a3_server");
    system.use_dies(4);
    sim::DeviceOptions options;
    options.cores = false;
    device_ = std::make_unique<sim::Device>(without_code(system.soc()), system, options);
  }
  sim::Communicators& all() { return *device_->communicators(); }

  std::unique_ptr<sim::Device> device_;
};

TEST_F(CommunicatorsTest, AreFoundByTheirContextsAndByEachByteOfTheirWindows) {
  const sim::Communicator& pair = all().create("pair", {2, 0}, kWindow);
  const sim::Communicator& rest = all().create("rest", {1, 3}, kWindow);
  for (const sim::Communicator* of : {&pair, &rest}) {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(of->windows_out[rank], of->windows_in[rank] + kWindow);
      const std::uint64_t first = of->windows_in[rank], end = first + 2 * kWindow;
      for (const std::uint64_t inside : {of->contexts[rank], first, first + kWindow, end - 1}) {
        EXPECT_EQ(all().at(inside), of) << rank;
      }
      EXPECT_EQ(all().at(first - 1), nullptr);
      EXPECT_EQ(all().at(end), nullptr);
      EXPECT_EQ(all().at(of->contexts[rank] + 1), nullptr);
    }
  }
  EXPECT_EQ(all().at(0), nullptr);
}

/// Whatever lies in a die's memory before: where a row of a window is cut must not depend on it.
TEST_F(CommunicatorsTest, WindowsBeginOnALargePage) {
  constexpr std::uint64_t kPage = 2 << 20;
  for (std::uint32_t die = 0; die < 2; ++die)
    device_->memory(die).allocate(1 + die * 1536, "before");
  const sim::Communicator& group = all().create("group", {0, 1}, kPage);
  for (std::uint32_t die = 0; die < 2; ++die) {
    EXPECT_EQ((group.windows_in[die] - device_->memory(die).base()) % kPage, 0u) << die;
  }
}

/// What a rank reads of itself in its context. Where each member lies, hccl.h says.
TEST_F(CommunicatorsTest, TellEachRankItsWindows) {
  const sim::Communicator& group = all().create("group", {3, 1, 0}, kWindow);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    std::vector<std::uint64_t> words(group.context_bytes / 8);
    std::memcpy(words.data(), reinterpret_cast<const void*>(group.contexts[rank]),
                words.size() * 8);
    for (const std::uint64_t word : {group.windows_in[rank], group.windows_out[rank],
                                     group.windows_status[rank], group.status_bytes}) {
      EXPECT_EQ(std::count(words.begin(), words.end(), word) > 0, true) << rank << ": " << word;
    }
  }
}

/// As kernels do that take the place of the table from the context.
TEST_F(CommunicatorsTest, TellEachRankTheWindowsOfTheOthers) {
  const sim::Communicator& group = all().create("group", {3, 1, 0}, kWindow);
  for (const std::uint64_t address : group.contexts) {
    auto* const context = reinterpret_cast<AscendC::HcclContextDef::HcclOpResParam*>(address);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const auto* const remote = AscendC::GetRemoteRankAddrs(context, rank);
      ASSERT_NE(remote, nullptr);
      EXPECT_EQ(remote->remoteUsrRankId, rank);
      EXPECT_EQ(remote->windowsIn, group.windows_in[rank]);
      EXPECT_EQ(remote->windowsExp, group.windows_status[rank]);
    }
  }
}

TEST_F(CommunicatorsTest, GiveTheirMemoryBack) {
  const auto allocations = [&] {
    std::size_t count = 0;
    for (std::uint32_t die = 0; die < 4; ++die) {
      count += device_->memory(die).allocations().size();
    }
    return count;
  };
  const std::size_t before = allocations();
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t context = all().create("group", {0, 1, 2, 3}, kWindow).contexts[1];
    EXPECT_GT(allocations(), before);
    EXPECT_NE(all().named("group"), nullptr);
    all().destroy("group");
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(all().named("group"), nullptr);
    EXPECT_EQ(all().at(context), nullptr);
  }
  EXPECT_THROW(all().destroy("group"), std::invalid_argument);
}

TEST_F(CommunicatorsTest, HaveEachDieOnceAndOnlyDiesThatThereAre) {
  EXPECT_THROW(all().create("twice", {0, 1, 0}, kWindow), std::invalid_argument);
  EXPECT_THROW(all().create("beyond", {0, 4}, kWindow), std::invalid_argument);
  EXPECT_EQ(all().named("twice"), nullptr);
  EXPECT_EQ(all().named("beyond"), nullptr);
}

}  // namespace
}  // namespace davsim::test
