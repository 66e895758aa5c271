// Host programs with four devices: a communicator of all, and a row of numbers on each.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {

inline constexpr std::uint32_t kRanks = 4, kRow = 64;
using Row = std::array<float, kRow>;

inline void* to_device(const void* from, std::size_t bytes) {
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(block, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  return block;
}
inline Row from_device(const void* block) {
  Row row{};
  EXPECT_EQ(aclrtMemcpy(row.data(), sizeof row, block, sizeof row, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  return row;
}
inline Row row_of(std::uint32_t rank) {
  Row row{};
  for (std::uint32_t i = 0; i < kRow; ++i) row[i] = static_cast<float>(100 * rank + i);
  return row;
}

class CommunicatorTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("DAVSIM_SYSTEM", "atlas_a2_server:4", 1); }

  /// A communicator of all devices, and on each a stream and the row of its rank.
  static void begin(std::int32_t* devices, HcclComm* comms, std::vector<void*>& blocks,
                    std::vector<aclrtStream>& streams) {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(HcclCommInitAll(kRanks, devices, comms), HCCL_SUCCESS) << error_text();
    streams.resize(kRanks);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      ASSERT_EQ(aclrtSetDevice(devices[rank]), ACL_SUCCESS);
      ASSERT_EQ(aclrtCreateStream(&streams[rank]), ACL_SUCCESS);
      const Row mine = row_of(rank);
      blocks.push_back(to_device(mine.data(), sizeof mine));
    }
  }
};

}  // namespace davsim::test
