// What the tests of the runtime share: a device that is set, and kernels to launch.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "runtime/launch.hpp"

namespace davsim::test {

/// As in kernels/.
using Behave = void(std::uint8_t*, std::uint32_t);
using Spin = void(std::uint8_t*, std::int32_t);
struct ScaleTiling {
  std::uint32_t length;
  std::uint16_t offset;
};
using Scale = void(std::uint8_t*, std::uint8_t*, float, ScaleTiling);

inline std::string error_text() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }

  static void* device_memory(std::size_t bytes) {
    void* block = nullptr;
    EXPECT_EQ(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return block;
  }
  static aclrtStream stream() {
    aclrtStream made = nullptr;
    EXPECT_EQ(aclrtCreateStream(&made), ACL_SUCCESS);
    return made;
  }
  static aclrtEvent event() {
    aclrtEvent made = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&made), ACL_SUCCESS);
    return made;
  }
  static void spin(void* out, std::int32_t rounds, aclrtStream on, std::uint32_t blocks = 1) {
    EXPECT_EQ(runtime::launch<Spin>("spin_custom", blocks, on, out, rounds), 0u);
  }
  static void record(aclrtEvent event, aclrtStream on) {
    EXPECT_EQ(aclrtRecordEvent(event, on), ACL_SUCCESS);
  }
  /// Simulated microseconds between two events.
  static float elapsed(aclrtEvent start, aclrtEvent end) {
    EXPECT_EQ(aclrtSynchronizeEvent(start), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
    float ms = -1;
    EXPECT_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS) << error_text();
    return ms * 1000;
  }
};

}  // namespace davsim::test
