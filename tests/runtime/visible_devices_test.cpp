// ASCEND_RT_VISIBLE_DEVICES: which devices a program sees, and how it counts them.
#include "runtime/core/visible_devices.hpp"

#include "tests/child_process.hpp"
#include "tests/runtime/communicator_fixture.hpp"

namespace davsim::test {
namespace {

using Dies = std::vector<std::uint32_t>;

TEST(ListedDiesTest, EndAtTheFirstNumberThatIsNone) {
  EXPECT_EQ(runtime::listed_dies(nullptr, 3), Dies({0, 1, 2}));
  EXPECT_EQ(runtime::listed_dies("", 2), Dies({0, 1}));
  EXPECT_EQ(runtime::listed_dies("3,0, 1", 4), Dies({3, 0, 1}));
  EXPECT_EQ(runtime::listed_dies("1,-1,2", 4), Dies({1}));
  EXPECT_EQ(runtime::listed_dies("1,2,1,3", 4), Dies({1, 2}));
  EXPECT_EQ(runtime::listed_dies("0,4", 4), Dies({0}));
  EXPECT_EQ(runtime::listed_dies("4,5", 4), Dies{});
  EXPECT_EQ(runtime::listed_dies("1x", 4), Dies{});
  // Scripts name devices of a server that has several.
  EXPECT_EQ(runtime::listed_dies("5", 1), Dies({0}));
}

class VisibleDevicesTest : public CommunicatorTest {
 protected:
  void SetUp() override {
    CommunicatorTest::SetUp();
    setenv("ASCEND_RT_VISIBLE_DEVICES", "3,1", 1);
  }
};

TEST_F(VisibleDevicesTest, AProgramCountsThoseThatItSees) {
  std::uint32_t count = 0;
  std::int32_t device = -1, number = -1;
  ASSERT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 2u);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS) << error_text();
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(aclrtGetPhyDevIdByUserDevId(0, &number), ACL_SUCCESS);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(aclrtGetUserDevIdByLogicDevId(1, &number), ACL_SUCCESS);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(aclrtGetUserDevIdByLogicDevId(2, &number), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtSetDevice(2), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_NE(std::string(error_text()).find("has 4, of which ASCEND_RT_VISIBLE_DEVICES shows 2"),
            std::string::npos);
  aclrtPtrAttributes of{};
  const Row row = row_of(0);
  EXPECT_EQ(aclrtPointerGetAttributes(to_device(row.data(), sizeof row), &of), ACL_SUCCESS);
  EXPECT_EQ(of.location.id, 1u);
}

TEST_F(VisibleDevicesTest, CommunicatorsAreOfThoseThatTheProgramNames) {
  std::int32_t devices[] = {0, 1};
  HcclComm comms[2];
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclCommInitAll(2, devices, comms), HCCL_SUCCESS) << error_text();
  aclrtStream streams[2];
  void* rows[2];
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(aclrtSetDevice(rank), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&streams[rank]), ACL_SUCCESS);
    const Row row = row_of(static_cast<std::uint32_t>(rank));
    rows[rank] = to_device(row.data(), sizeof row);
    ASSERT_EQ(HcclAllReduce(rows[rank], rows[rank], kRow, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                            comms[rank], streams[rank]),
              HCCL_SUCCESS)
        << error_text();
  }
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(aclrtSetDevice(rank), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(streams[rank]), ACL_SUCCESS);
    EXPECT_EQ(from_device(rows[rank])[5], 5 + 105);
  }
}

/// As launchers start ranks: each process sees a device of its own, which is its device 0.
TEST_F(VisibleDevicesTest, EachProcessMaySeeADeviceOfItsOwn) {
  HcclRootInfo root;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  std::vector<Child> children;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    children.push_back(start_child([&, rank]() -> std::string {
      setenv("ASCEND_RT_VISIBLE_DEVICES", rank == 0 ? "2" : "0", 1);
      HcclComm comm = nullptr;
      aclrtStream stream = nullptr;
      if (aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS ||
          HcclCommInitRootInfo(2, &root, rank, &comm) != HCCL_SUCCESS) {
        return error_text();
      }
      const Row row = row_of(rank);
      void* const block = to_device(row.data(), sizeof row);
      if (HcclAllReduce(block, block, kRow, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream) !=
              HCCL_SUCCESS ||
          aclrtSynchronizeStream(stream) != ACL_SUCCESS) {
        return error_text();
      }
      return from_device(block)[5] == 5 + 105 ? "" : "another sum";
    }));
  }
  for (const Child& child : children) EXPECT_EQ(result_of(child), "");
}

}  // namespace
}  // namespace davsim::test
