// Kernels of one device that reach memory of another one by its address.
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

}  // namespace
}  // namespace davsim::test
