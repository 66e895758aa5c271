// Pools of memory that streams take and give back in their order.
#include "acl/acl_rt_memory.h"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

class MemoryPoolsTest : public RuntimeTest {
 protected:
  static constexpr std::size_t kBytes = 4096;

  void SetUp() override {
    RuntimeTest::SetUp();
    on_ = stream();
    pool_ = pool(1 << 20);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtMemPoolDestroy(pool_), ACL_SUCCESS) << error_text();
    EXPECT_EQ(aclrtDestroyStream(on_), ACL_SUCCESS);
  }

  static aclrtMemPool pool(std::size_t most) {
    aclrtMemPoolProps properties{};
    properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    properties.maxSize = most;
    aclrtMemPool made = nullptr;
    EXPECT_EQ(aclrtMemPoolCreate(&made, &properties), ACL_SUCCESS) << error_text();
    return made;
  }
  void* take(std::size_t bytes, aclrtStream on) {
    void* block = nullptr;
    EXPECT_EQ(aclrtMemPoolMallocAsync(&block, bytes, pool_, on), ACL_SUCCESS) << error_text();
    return block;
  }
  static void give_back(void* block, aclrtStream on) {
    EXPECT_EQ(aclrtMemPoolFreeAsync(block, on), ACL_SUCCESS) << error_text();
  }
  std::uint64_t attribute(aclrtMemPoolAttr which) {
    std::uint64_t value = ~std::uint64_t{0};
    EXPECT_EQ(aclrtMemPoolGetAttr(pool_, which, &value), ACL_SUCCESS) << error_text();
    return value;
  }
  void keep(std::uint64_t bytes) {
    EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &bytes),
              ACL_SUCCESS);
  }

  aclrtStream on_ = nullptr;
  aclrtMemPool pool_ = nullptr;
};

TEST_F(MemoryPoolsTest, AStreamTakesTheSmallestBlockThatWasGivenBack) {
  void* const large = take(4 * kBytes, on_);
  void* const small = take(kBytes, on_);
  give_back(large, on_);
  give_back(small, on_);
  EXPECT_EQ(take(kBytes / 2, on_), small);
  EXPECT_EQ(take(kBytes / 2, on_), large);
  give_back(large, on_);
  give_back(small, on_);
}

TEST_F(MemoryPoolsTest, MemoryIsThatOfADevice) {
  void* const block = take(kBytes, on_);
  const std::vector<char> bytes(kBytes, 7);
  EXPECT_EQ(aclrtMemcpyAsync(block, kBytes, bytes.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE, on_),
            ACL_SUCCESS);
  std::vector<char> back(kBytes);
  EXPECT_EQ(aclrtMemcpyAsync(back.data(), kBytes, block, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, on_),
            ACL_SUCCESS);
  EXPECT_EQ(back, bytes);
  give_back(block, on_);
}

TEST_F(MemoryPoolsTest, AnotherStreamComesBehindTheOneThatGaveBack) {
  void* const block = take(kBytes, on_);
  const aclrtStream other = stream();
  spin(block, 100000, on_);
  give_back(block, on_);
  const aclrtEvent before = event(), behind = event();
  record(before, on_);
  EXPECT_EQ(take(kBytes, other), block);
  record(behind, other);
  EXPECT_GE(elapsed(before, behind), 0);
  give_back(block, other);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(MemoryPoolsTest, FreeMemoryBeyondTheThresholdGoesWhereTheHostWaits) {
  keep(kBytes);
  void* const first = take(kBytes, on_);
  void* const second = take(kBytes, on_);
  EXPECT_EQ(attribute(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), 2 * kBytes);
  give_back(first, on_);
  give_back(second, on_);
  EXPECT_EQ(attribute(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_EQ(attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 2 * kBytes);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), kBytes);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool_, 0), ACL_SUCCESS);
  EXPECT_EQ(attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  EXPECT_EQ(attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 2 * kBytes);
  std::uint64_t none = 0;
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, &none), ACL_SUCCESS);
  EXPECT_EQ(attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 0u);
}

TEST_F(MemoryPoolsTest, WhatIsWrongIsRefused) {
  void* block = nullptr;
  EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 2 << 20, pool_, on_), ACL_ERROR_RT_MEMORY_ALLOCATION);
  for (const std::size_t all : {~std::size_t{0} / 32 * 32, ~std::size_t{0}}) {
    EXPECT_EQ(aclrtMemPoolMallocAsync(&block, all, pool_, on_), ACL_ERROR_RT_MEMORY_ALLOCATION);
  }
  EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 0, pool_, on_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 1, on_, on_), ACL_ERROR_RT_PARAM_INVALID);
  block = take(kBytes, on_);
  EXPECT_EQ(aclrtMemPoolDestroy(pool_), ACL_ERROR_RT_PARAM_INVALID) << "it is in use";
  give_back(block, on_);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, on_), ACL_ERROR_RT_PARAM_INVALID);
  std::uint64_t value = 1;
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value),
            ACL_ERROR_RT_PARAM_INVALID);
  aclrtMemPoolProps host{};
  EXPECT_EQ(aclrtMemPoolCreate(&block, &host), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
}  // namespace davsim::test
