// Memory and copies, used well and badly.
#include <array>
#include <numeric>

#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

using MemoryTest = RuntimeTest;

TEST_F(MemoryTest, BlocksAreAlignedAndHaveTheDocumentedRoom) {
  void* block = device_memory(33);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(block) % 64, 0u);
  EXPECT_EQ(aclrtMemset(block, 96, 7, 96), ACL_SUCCESS) << "33 rounded up to 64, and 32 more";
  EXPECT_EQ(aclrtMemset(block, 97, 7, 97), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(error_text().find("has room for 96 bytes"), std::string::npos);
  void* host = nullptr;
  EXPECT_EQ(aclrtMallocHost(&host, 10), ACL_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(host) % 64, 0u);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
}

TEST_F(MemoryTest, CopiesGoEveryWay) {
  std::array<int, 64> from{}, to{};
  std::iota(from.begin(), from.end(), 1);
  constexpr std::size_t kBytes = sizeof from;
  void* a = device_memory(kBytes);
  void* b = device_memory(kBytes);
  EXPECT_EQ(aclrtMemcpy(a, kBytes, from.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(b, kBytes, a, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(to.data(), kBytes, b, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(to, from);
  std::array<int, 64> again{};
  EXPECT_EQ(aclrtMemcpy(again.data(), kBytes, to.data(), kBytes, ACL_MEMCPY_HOST_TO_HOST),
            ACL_SUCCESS);
  EXPECT_EQ(again, from);
  EXPECT_EQ(
      aclrtMemcpyAsync(again.data(), kBytes, to.data(), kBytes, ACL_MEMCPY_HOST_TO_HOST, nullptr),
      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST_F(MemoryTest, AnAsynchronousCopyTakesWhatTheHostHasAtTheCall) {
  void* block = device_memory(64);
  {
    int value = 5;
    EXPECT_EQ(aclrtMemcpyAsync(block, 64, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE, nullptr),
              ACL_SUCCESS);
    value = 6;
  }
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  int value = 0;
  EXPECT_EQ(aclrtMemcpy(&value, sizeof value, block, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  EXPECT_EQ(value, 5);
}

TEST_F(MemoryTest, RowsAreCopiedApart) {
  void* block = device_memory(64);
  EXPECT_EQ(aclrtMemset(block, 64, 0, 64), ACL_SUCCESS);
  const std::array<char, 6> rows = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(aclrtMemcpy2d(block, 16, rows.data(), 3, 2, 2, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  std::array<char, 32> got{};
  EXPECT_EQ(
      aclrtMemcpy2dAsync(got.data(), 32, block, 32, 32, 1, ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
      ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  std::array<char, 32> expected{};
  expected[0] = 1, expected[1] = 2, expected[16] = 4, expected[17] = 5;
  EXPECT_EQ(got, expected);
  EXPECT_EQ(aclrtMemcpy2d(block, 1, rows.data(), 3, 2, 2, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpy2d(block, 1ul << 62, rows.data(), 3, 2, 8, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryTest, MemoryKeepsItsBytesFromOneAddressToAnother) {
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  const aclrtPhysicalMemProp prop{};
  void* start = nullptr;
  aclrtDrvMemHandle a = nullptr, b = nullptr, found = nullptr;
  ASSERT_EQ(aclrtReserveMemAddress(&start, 2 * kBytes, 0, nullptr, HUGE_PAGE_TYPE), ACL_SUCCESS);
  void* const second = static_cast<char*>(start) + kBytes;
  ASSERT_EQ(aclrtMallocPhysical(&a, kBytes, &prop, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocPhysical(&b, kBytes, &prop, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMapMem(start, kBytes, 0, a, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMapMem(second, kBytes, 0, a, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtMapMem(static_cast<char*>(start) + 32, kBytes, 0, b, 0),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMapMem(static_cast<char*>(second) + 32, kBytes, 0, b, 0),
            ACL_ERROR_RT_PARAM_INVALID)
      << "beyond what is reserved";
  EXPECT_EQ(aclrtMemset(start, kBytes, 7, kBytes), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemRetainAllocationHandle(static_cast<char*>(start) + 5, &found), ACL_SUCCESS);
  EXPECT_EQ(found, a);
  EXPECT_EQ(aclrtUnmapMem(start), ACL_SUCCESS);
  EXPECT_EQ(aclrtMapMem(start, kBytes, 0, b, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(start, kBytes, 8, kBytes), ACL_SUCCESS);
  EXPECT_EQ(aclrtMapMem(second, kBytes, 0, a, 0), ACL_SUCCESS);
  char byte = 0;
  EXPECT_EQ(aclrtMemcpy(&byte, 1, static_cast<char*>(second) + 100, 1, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  EXPECT_EQ(byte, 7);
  EXPECT_EQ(aclrtReleaseMemAddress(start), ACL_ERROR_RT_PARAM_INVALID) << "still mapped";
  EXPECT_EQ(aclrtFreePhysical(a), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(a), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtUnmapMem(second), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(second), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtUnmapMem(start), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(b), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(start), ACL_SUCCESS);
}

TEST_F(MemoryTest, WrongUseIsRefused) {
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMalloc(&block, std::size_t{1} << 50, ACL_MEM_MALLOC_HUGE_FIRST),
            ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(aclrtMalloc(&block, ~std::size_t{0}, ACL_MEM_MALLOC_HUGE_FIRST),
            ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(aclrtMallocHost(&block, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocHost(&block, ~std::size_t{0}), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  int own = 0;
  EXPECT_EQ(aclrtFree(&own), ACL_ERROR_RT_PARAM_INVALID);
  block = device_memory(8);
  EXPECT_EQ(aclrtFreeHost(block), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(static_cast<char*>(block) + 8), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpy(block, 2, &own, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpy(block, 4, nullptr, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy(&own, 1000, block, 1000, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_ERROR_RT_PARAM_INVALID) << "freed before";
  EXPECT_EQ(aclrtMemcpy(block, 4, &own, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryTest, KernelsReadWhatIsFreedBehindThem) {
  void* out = device_memory(64);
  void* kept = out;
  for (int i = 0; i < 3; ++i) spin(out, 1, nullptr);
  EXPECT_EQ(aclrtFree(out), ACL_SUCCESS);
  out = device_memory(64);
  EXPECT_NE(out, kept) << "the kernels may still write there";
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

TEST_F(MemoryTest, MemInfoCounts) {
  std::size_t before = 0, after = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total), ACL_SUCCESS);
  EXPECT_GT(total, std::size_t{1} << 30);
  void* block = device_memory(1 << 20);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), ACL_SUCCESS);
  EXPECT_EQ(before - after, (1u << 20) + 32);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
}

TEST_F(MemoryTest, PointersTellWhereTheyPoint) {
  void* block = device_memory(64);
  int own = 0;
  aclrtPtrAttributes attributes;
  EXPECT_EQ(aclrtPointerGetAttributes(static_cast<char*>(block) + 5, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(aclrtPointerGetAttributes(&own, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

TEST_F(MemoryTest, KernelsReachRegisteredMemoryOfTheHost) {
  std::vector<float> host(64, 3);
  void *device = nullptr, *other = nullptr;
  ASSERT_EQ(aclrtHostRegister(host.data(), 256, ACL_HOST_REGISTER_MAPPED, &device), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostRegister(host.data() + 60, 64, ACL_HOST_REGISTER_MAPPED, &other),
            ACL_ERROR_RT_PARAM_INVALID)
      << "a part of it is registered";
  EXPECT_EQ(aclrtHostGetDevicePointer(host.data() + 8, &other, 0), ACL_SUCCESS);
  EXPECT_EQ(other, static_cast<float*>(device) + 8);
  // The first half is scaled in place. What the host writes between two kernels counts.
  const auto scale = [&] {
    EXPECT_EQ(runtime::launch<Scale>("scale_custom", 1, nullptr, device, device, 2.0f,
                                     ScaleTiling{32, 1}),
              0u);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  };
  scale();
  EXPECT_EQ(host[0], 7);
  EXPECT_EQ(host[31], 7);
  EXPECT_EQ(host[32], 3);
  host[1] = 10;
  scale();
  EXPECT_EQ(host[0], 15);
  EXPECT_EQ(host[1], 21);
  // Copies by the device's address change the host's memory as well.
  EXPECT_EQ(aclrtMemset(device, 4, 0, 4), ACL_SUCCESS);
  EXPECT_EQ(host[0], 0);
  EXPECT_EQ(aclrtHostUnregister(host.data()), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(host.data()), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostGetDevicePointer(host.data(), &other, 0), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
}  // namespace davsim::test
