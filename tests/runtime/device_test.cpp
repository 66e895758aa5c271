// Initialisation, devices, and kernels that go wrong.
#include <unistd.h>

#include "tests/child_process.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

TEST(Initialisation, HasTheDocumentedCodes) {
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_NE(error_text(), "");
  EXPECT_EQ(error_text(), "") << "a text is told once";
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS) << "again";
}

TEST(Devices, AreCountedAndChecked) {
  std::uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 1u);
  std::int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS) << "set twice, reset once";
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL);
}

/// The device's thread is not in a child: its calls are refused, where they would wait for ever.
TEST(Devices, AreNotThoseOfAChildProcess) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  void* block = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(block, 64, 1, 64), ACL_SUCCESS);
  const std::string text = in_child([&] {
    char bytes[64];
    for (const int code : {aclrtSetDevice(0), aclrtSynchronizeDevice(), aclrtFree(block),
                           aclrtMemcpy(bytes, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST)}) {
      if (code != ACL_ERROR_RT_FEATURE_NOT_SUPPORT) return std::to_string(code);
    }
    return error_text();
  });
  EXPECT_NE(text.find("this process was forked by one that had used the device"), std::string::npos)
      << text;
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_EQ(in_child([] { return std::string("ended"); }), "ended");
}

TEST(Devices, SayWhatTheyAre) {
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B3");
  std::int64_t value = 0;
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 40);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 20);
  EXPECT_EQ(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(999), &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetDeviceInfo(3, ACL_DEV_ATTR_CUBE_CORE_NUM, &value),
            ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 40);
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_HOST);
}

TEST(Devices, SayWhereTheyAre) {
  std::int64_t value = -1;
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_PHY_CHIP_ID, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 2201);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  std::int32_t status = -1;
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 0, &status), ACL_SUCCESS);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &status), ACL_ERROR_RT_INVALID_DEVICEID);
  aclrtUuid uuid;
  EXPECT_EQ(aclrtDeviceGetUuid(0, &uuid), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceGetUuid(0, nullptr), ACL_ERROR_INVALID_PARAM);
  aclrtUtilizationInfo use = {7, 7, 7, 7, nullptr};
  EXPECT_EQ(aclrtGetDeviceUtilizationRate(0, &use), ACL_SUCCESS);
  EXPECT_EQ(use.cubeUtilization + use.memoryUtilization, 0);
  EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &status), ACL_SUCCESS);
  EXPECT_EQ(status, 1);
  EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &status), ACL_ERROR_INVALID_PARAM);
  const aclCannAttr* attributes = nullptr;
  std::size_t count = 0;
  EXPECT_EQ(aclGetCannAttributeList(&attributes, &count), ACL_SUCCESS);
  ASSERT_EQ(count, 3u);
  EXPECT_EQ(attributes[2], ACL_CANN_ATTR_JIT_COMPILE);
  char package[] = "toolkit", version[ACL_PKG_VERSION_MAX_SIZE] = "";
  EXPECT_EQ(aclsysGetVersionStr(package, version), ACL_SUCCESS);
  EXPECT_STREQ(version, "8.3.RC1");
}

TEST(Initialisation, EndsWithNoReferenceLeft) {
  std::uint64_t left = 7;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 0u);
}

TEST(Devices, AResetFreesEverything) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  std::size_t before = 0, after = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total), ACL_SUCCESS);
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), ACL_SUCCESS);
  EXPECT_EQ(after, before);
  EXPECT_EQ(aclrtFree(block), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(RuntimeTest, LimitsOfCoresAreThoseOfTheStreamThenTheDeviceThenTheHardware) {
  const aclrtDevResLimitType vectors = ACL_RT_DEV_RES_VECTOR_CORE, cubes = ACL_RT_DEV_RES_CUBE_CORE;
  const aclrtStream own = stream();
  uint32_t cores = 0;
  const auto of_stream = [&] { return aclrtGetStreamResLimit(own, vectors, &cores) ? 0 : cores; };
  const auto of_thread = [&] { return aclrtGetResInCurrentThread(vectors, &cores) ? 0 : cores; };
  const auto of_device = [&] { return aclrtGetDeviceResLimit(0, vectors, &cores) ? 0 : cores; };
  EXPECT_EQ(of_stream(), 40u);
  EXPECT_EQ(aclrtSetDeviceResLimit(0, vectors, 8), ACL_SUCCESS);
  EXPECT_EQ(of_device(), 8u);
  EXPECT_EQ(of_stream(), 8u);
  EXPECT_EQ(of_thread(), 8u);
  EXPECT_EQ(aclrtGetDeviceResLimit(0, cubes, &cores), ACL_SUCCESS);
  EXPECT_EQ(cores, 20u);
  EXPECT_EQ(aclrtSetStreamResLimit(own, vectors, 16), ACL_SUCCESS);
  EXPECT_EQ(of_stream(), 16u);
  EXPECT_EQ(of_thread(), 8u) << "the thread does not use the stream's";
  EXPECT_EQ(aclrtUseStreamResInCurrentThread(own), ACL_SUCCESS);
  EXPECT_EQ(of_thread(), 16u);
  EXPECT_EQ(aclrtUnuseStreamResInCurrentThread(own), ACL_SUCCESS);
  EXPECT_EQ(of_thread(), 8u);
  EXPECT_EQ(aclrtResetStreamResLimit(own), ACL_SUCCESS);
  EXPECT_EQ(of_stream(), 8u);
  EXPECT_EQ(aclrtSetDeviceResLimit(0, vectors, 1000), ACL_SUCCESS);
  EXPECT_EQ(of_device(), 40u) << "there are no more";
  EXPECT_EQ(aclrtResetDeviceResLimit(0), ACL_SUCCESS);
  EXPECT_EQ(of_thread(), 40u);
  EXPECT_EQ(aclrtSetDeviceResLimit(0, vectors, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetDeviceResLimit(9, vectors, 4), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetDeviceResLimit(0, static_cast<aclrtDevResLimitType>(7), &cores),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetResInCurrentThread(cubes, nullptr), ACL_ERROR_INVALID_PARAM);
}

class FaultTest : public RuntimeTest {
 protected:
  static void behave(std::uint32_t how) {
    void* data = device_memory(1024);
    EXPECT_EQ(runtime::launch<Behave>("behave_custom", 2, nullptr, data, how), 0u)
        << "a launch itself succeeds";
  }
};

TEST_F(RuntimeTest, QuestionsThatProgramsAskBeforeTheyStart) {
  aclCANNPackageVersion version;
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_TOOLKIT, &version), ACL_SUCCESS);
  EXPECT_STREQ(version.version, "8.3.RC1");
  EXPECT_STREQ(version.releaseVersion, "RC1");
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr), ACL_ERROR_INVALID_PARAM);
  int32_t least = 0, greatest = 1;
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(&least, &greatest), ACL_SUCCESS);
  EXPECT_GT(least, greatest);
  EXPECT_EQ(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_RT_PARAM_INVALID) << "itself";
  EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_INVALID_DEVICEID);
  int32_t number = -1;
  EXPECT_EQ(aclrtGetPhyDevIdByLogicDevId(0, &number), ACL_SUCCESS);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(aclrtGetLogicDevIdByPhyDevId(3, &number), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtDeviceGetBareTgid(&number), ACL_SUCCESS);
  EXPECT_EQ(number, getpid());
  int64_t option = 0;
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &option),
            ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  uint64_t actual = 0;
  EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(7, &actual), ACL_SUCCESS);
  EXPECT_EQ(actual, 7u);
  aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
  EXPECT_EQ(aclrtGetDeviceSatMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDeviceSatMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
  EXPECT_EQ(aclrtSetDeviceSatMode(static_cast<aclrtFloatOverflowMode>(9)),
            ACL_ERROR_RT_PARAM_INVALID);
  uint32_t overflow = 1;
  EXPECT_EQ(aclrtSetStreamOverflowSwitch(nullptr, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamOverflowSwitch(nullptr, &overflow), ACL_SUCCESS);
  EXPECT_EQ(overflow, 0u);
}

TEST_F(FaultTest, AnAccessOutsideIsToldByWhoWaits) {
  behave(2);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  const std::string text = error_text();
  EXPECT_NE(text.find("behave_custom"), std::string::npos) << text;
  EXPECT_NE(text.find("core0.veccore"), std::string::npos) << text;
  EXPECT_NE(text.find("behave_custom.cpp:18"), std::string::npos) << text;
}

struct Told {
  std::uint32_t calls = 0, task = 0, stream = 0, device = 0, code = 0;
};
Told g_told;

/// The callback of the last call that sets one is told of the launch that went wrong.
TEST_F(FaultTest, ACallbackIsToldWhatWentWrong) {
  EXPECT_EQ(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo* info) {
              g_told = {g_told.calls + 1, aclrtGetTaskIdFromExceptionInfo(info),
                        aclrtGetStreamIdFromExceptionInfo(info),
                        aclrtGetDeviceIdFromExceptionInfo(info),
                        aclrtGetErrorCodeFromExceptionInfo(info)};
            }),
            ACL_SUCCESS);
  behave(0);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(g_told.calls, 0u);
  behave(2);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(g_told.calls, 1u);
  EXPECT_EQ(g_told.task, 1u) << "the second launch";
  EXPECT_EQ(g_told.stream, 0u);
  EXPECT_EQ(g_told.device, 0u);
  EXPECT_EQ(g_told.code, std::uint32_t{ACL_ERROR_RT_VECTOR_CORE_EXCEPTION});
  EXPECT_EQ(aclrtGetErrorCodeFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  behave(2);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(g_told.calls, 1u);
}

TEST_F(FaultTest, TheDeviceStaysBrokenUntilItIsReset) {
  behave(2);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(runtime::launch<Behave>("behave_custom", 1, nullptr, nullptr, 0), 507035u);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  behave(0);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

TEST_F(FaultTest, ADeadlockAndATrapHaveCodesOfTheirOwn) {
  behave(4);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  behave(5);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
}

TEST_F(FaultTest, KernelsPrintOnStandardOutput) {
  ::testing::internal::CaptureStdout();
  behave(1);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(printed.find("block 0 says hello"), std::string::npos) << printed;
  EXPECT_NE(printed.find("block 1 says hello"), std::string::npos) << printed;
}

}  // namespace
}  // namespace davsim::test
