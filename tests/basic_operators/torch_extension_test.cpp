// Functions as extensions of torch call them: all by name from libopapi.so.
#include <dlfcn.h>

#include <cstdint>

#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::torch_extension {
namespace {

class TorchExtensionTest : public BasicTest {
 protected:
  template <class Function>
  Function* of_name(const char* name) {
    void* const library = dlopen("libopapi.so", RTLD_LAZY);
    EXPECT_NE(library, nullptr) << dlerror();
    void* const function = dlsym(library, name);
    EXPECT_NE(function, nullptr) << name;
    return reinterpret_cast<Function*>(function);
  }
};

TEST_F(TorchExtensionTest, CallsBetweenBeginningAndEndOfThePool) {
  const DeviceTensor self({3}, {-1, 0, 2}), out({3}, Numbers(3));
  EXPECT_EQ(of_name<int(void*, bool)>("InitHugeMemThreadLocal")(nullptr, false), 0);
  std::uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ((of_name<aclnnStatus(const aclTensor*, aclTensor*, std::uint64_t*, aclOpExecutor**)>(
                "aclnnReluGetWorkspaceSize")(self, out, &bytes, &executor)),
            ACL_SUCCESS);
  ASSERT_EQ((of_name<aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream)>("aclnnRelu")(
                nullptr, bytes, executor, stream_)),
            ACL_SUCCESS);
  of_name<void(void*, bool)>("ReleaseHugeMem")(nullptr, false);
  of_name<void(void*, bool)>("UnInitHugeMemThreadLocal")(nullptr, false);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(out.values(), Numbers({0, 0, 2}));
}

TEST_F(TorchExtensionTest, FindsNothingInTheCache) {
  EXPECT_FALSE(of_name<bool(const char*)>("CanUsePTACache")("aclnnRelu"));
  of_name<void()>("InitPTACacheThreadLocal")();
  of_name<void(std::uint64_t)>("SetPTAHashKey")(17);
  std::uint8_t key[4] = {};
  of_name<void(std::uint8_t*, std::size_t)>("SetPTACacheHashKey")(key, sizeof key);
  of_name<void(void*)>("AddTensorAddrToCachedList")(key);
  std::uint64_t bytes = 0;
  EXPECT_EQ((of_name<aclOpExecutor*(std::uint64_t, std::uint64_t*)>("PTAGetExecCache")(17, &bytes)),
            nullptr);
  EXPECT_EQ((of_name<aclOpExecutor*(std::uint8_t*, std::size_t, std::uint64_t*)>(
                "PTAFindExecCache")(key, sizeof key, &bytes)),
            nullptr);
  of_name<void()>("UnInitPTACacheThreadLocal")();
}

}  // namespace
}  // namespace davsim::test::torch_extension
