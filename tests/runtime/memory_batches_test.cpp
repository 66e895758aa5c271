// Several copies by one call, copies that reduce, and memory that is exported.
#include <array>
#include <limits>

#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

constexpr std::size_t kNumbers = 16, kBytes = kNumbers * sizeof(float);
using Numbers = std::array<float, kNumbers>;

Numbers from(float first) {
  Numbers numbers{};
  for (std::size_t i = 0; i < kNumbers; ++i) numbers[i] = first + static_cast<float>(i);
  return numbers;
}

class MemoryBatchesTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    for (std::size_t i = 0; i < 2; ++i) {
      const Numbers numbers = from(100.0f * static_cast<float>(i));
      sources_[i] = device_memory(kBytes);
      targets_[i] = device_memory(kBytes);
      EXPECT_EQ(aclrtMemcpy(sources_[i], kBytes, numbers.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE),
                ACL_SUCCESS);
      EXPECT_EQ(aclrtMemset(targets_[i], kBytes, 0, kBytes), ACL_SUCCESS);
    }
  }
  static Numbers at(const void* block) {
    Numbers numbers{};
    EXPECT_EQ(aclrtMemcpy(numbers.data(), kBytes, block, kBytes, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return numbers;
  }
  void expect_copied() {
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(at(targets_[i]), at(sources_[i])) << i;
  }

  void* sources_[2] = {};
  void* targets_[2] = {};
  std::size_t most_[2] = {kBytes, kBytes}, sizes_[2] = {kBytes, kBytes};
};

TEST_F(MemoryBatchesTest, MemoryDescribesACopy) {
  const aclrtMemcpyKind within = ACL_MEMCPY_DEVICE_TO_DEVICE;
  std::size_t bytes = 0;
  EXPECT_EQ(aclrtGetMemcpyDescSize(within, &bytes), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetMemcpyDescSize(ACL_MEMCPY_HOST_TO_DEVICE, &bytes),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtGetMemcpyDescSize(within, nullptr), ACL_ERROR_INVALID_PARAM);
  void* const description = device_memory(bytes);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(aclrtSetMemcpyDesc(description, within, sources_[i], targets_[i], kBytes, nullptr),
              ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpyAsyncWithDesc(description, within, nullptr), ACL_SUCCESS) << error_text();
  }
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  expect_copied();
  EXPECT_EQ(aclrtSetMemcpyDesc(description, within, sources_[0], targets_[0], kBytes * 9, nullptr),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetMemcpyDesc(description, within, sources_[0], nullptr, kBytes, nullptr),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(nullptr, within, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(sources_[0], within, nullptr), ACL_ERROR_RT_PARAM_INVALID)
      << "no description";
}

/// Other names of what there is, and operations on the cache that have barriers.
TEST_F(MemoryBatchesTest, LaterNamesDoWhatTheEarlierDo) {
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(aclrtMemcpyAsyncWithCondition(targets_[i], kBytes, sources_[i], kBytes,
                                            ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr),
              ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  expect_copied();
  void *block = nullptr, *start = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(aclrtMallocForTaskScheduler(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtMemGetAddressRange(static_cast<char*>(block) + 5, &start, &bytes), ACL_SUCCESS);
  EXPECT_EQ(start, block);
  EXPECT_GE(bytes, 64u);
  EXPECT_EQ(aclrtMemGetAddressRange(&bytes, &start, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtCmoAsyncWithBarrier(block, 64, ACL_RT_CMO_TYPE_PREFETCH, 1, nullptr), ACL_SUCCESS);
  aclrtBarrierTaskInfo barrier = {};
  EXPECT_EQ(aclrtCmoWaitBarrier(&barrier, nullptr, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtCmoWaitBarrier(nullptr, nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocHost(&block, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHostWithDevSync(block), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(block), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryBatchesTest, CopiesGoOneAfterTheOtherOnAStream) {
  std::size_t failed = 0;
  EXPECT_EQ(aclrtMemcpyBatchAsync(targets_, most_, sources_, sizes_, 2, nullptr, nullptr, 0,
                                  &failed, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(failed, std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  expect_copied();
}

TEST_F(MemoryBatchesTest, TheSecondFormsHaveNoFailIndex) {
  EXPECT_EQ(aclrtMemcpyBatchV2(targets_, most_, sources_, sizes_, 2, nullptr, nullptr, 0),
            ACL_SUCCESS);
  expect_copied();
  EXPECT_EQ(aclrtMemset(targets_[1], kBytes, 0, kBytes), ACL_SUCCESS);
  EXPECT_EQ(
      aclrtMemcpyBatchAsyncV2(targets_, most_, sources_, sizes_, 2, nullptr, nullptr, 0, nullptr),
      ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  expect_copied();
}

TEST_F(MemoryBatchesTest, TheCopyThatFailsIsTold) {
  most_[1] = kBytes - 1;
  std::size_t failed = 0;
  EXPECT_EQ(aclrtMemcpyBatchAsync(targets_, most_, sources_, sizes_, 2, nullptr, nullptr, 0,
                                  &failed, nullptr),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(failed, 1u);
  EXPECT_NE(error_text().find("copy 1: "), std::string::npos);
  EXPECT_EQ(aclrtMemcpyBatchV2(targets_, most_, nullptr, sizes_, 2, nullptr, nullptr, 0),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyBatchV2(targets_, most_, sources_, sizes_, 0, nullptr, nullptr, 0),
            ACL_ERROR_INVALID_PARAM);
}

TEST_F(MemoryBatchesTest, ReducedCopiesAddOrTakeTheLargerOrTheSmallerOne) {
  const auto reduce = [this](aclrtReduceKind kind) {
    EXPECT_EQ(aclrtReduceAsync(sources_[0], sources_[1], kBytes, kind, ACL_FLOAT, nullptr, nullptr),
              ACL_SUCCESS)
        << error_text();
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    return at(sources_[0])[3];
  };
  EXPECT_EQ(reduce(ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM), 3.0f + 103.0f);
  EXPECT_EQ(reduce(ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX), 106.0f);
  EXPECT_EQ(reduce(ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN), 103.0f);
  const auto refused = [this](std::size_t bytes, int kind, aclDataType type) {
    return aclrtReduceAsync(sources_[0], sources_[1], bytes, static_cast<aclrtReduceKind>(kind),
                            type, nullptr, nullptr);
  };
  EXPECT_EQ(refused(kBytes, 9, ACL_FLOAT), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(refused(kBytes, 10, ACL_DOUBLE), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(refused(kBytes - 1, 10, ACL_FLOAT), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(refused(1 << 20, 10, ACL_FLOAT), ACL_ERROR_RT_PARAM_INVALID);
  Numbers own{};
  EXPECT_EQ(aclrtReduceAsync(own.data(), sources_[1], kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                             ACL_FLOAT, nullptr, nullptr),
            ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryBatchesTest, PoliciesAreThoseThatThereAre) {
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, 64, static_cast<aclrtMemMallocPolicy>(99)),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_NE(error_text().find("policy is 99"), std::string::npos);
  EXPECT_EQ(aclrtMalloc(&block, 64,
                        static_cast<aclrtMemMallocPolicy>(ACL_MEM_MALLOC_NORMAL_ONLY |
                                                          ACL_MEM_TYPE_HIGH_BAND_WIDTH)),
            ACL_SUCCESS);
}

TEST_F(MemoryBatchesTest, AProcessImportsWhatItExports) {
  char key[65] = {};
  EXPECT_EQ(aclrtIpcMemGetExportKey(sources_[0], kBytes, key, 64, 0), ACL_ERROR_RT_PARAM_INVALID);
  ASSERT_EQ(aclrtIpcMemGetExportKey(sources_[0], kBytes, key, sizeof key, 0), ACL_SUCCESS);
  std::int32_t pid = 1;
  EXPECT_EQ(aclrtIpcMemSetImportPid(key, &pid, 1), ACL_SUCCESS);
  void* got = nullptr;
  EXPECT_EQ(aclrtIpcMemImportByKey(&got, key, 0), ACL_SUCCESS);
  EXPECT_EQ(got, sources_[0]);
  EXPECT_EQ(aclrtFree(sources_[0]), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcMemImportByKey(&got, key, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemClose(key), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcMemImportByKey(&got, key, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(error_text().find("is closed"), std::string::npos);

  aclrtPhysicalMemProp prop{};
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle handle = nullptr, imported = nullptr;
  ASSERT_EQ(aclrtMallocPhysical(&handle, 2 << 20, &prop, 0), ACL_SUCCESS) << error_text();
  std::uint64_t number = 0;
  ASSERT_EQ(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtMemSetPidToShareableHandle(number, &pid, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemImportFromShareableHandle(number, 0, &imported), ACL_SUCCESS);
  EXPECT_EQ(imported, handle);
  EXPECT_EQ(aclrtMemImportFromShareableHandle(number + 7, 0, &imported),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number),
            ACL_ERROR_RT_PARAM_INVALID)
      << "it is gone";
  EXPECT_EQ(aclrtMemImportFromShareableHandle(number, 0, &imported), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
}  // namespace davsim::test
