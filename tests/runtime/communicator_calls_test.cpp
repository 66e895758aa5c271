// What a thread asks of communicators and devices beside operations: groups of calls, memory.
#include <array>
#include <cstring>
#include <string>

#include "tests/child_process.hpp"
#include "tests/runtime/communicator_fixture.hpp"

namespace davsim::test {
namespace {

/// One thread asks for all: communicators, two operations of each rank, and a ring of messages in
/// which every rank sends first.
TEST_F(CommunicatorTest, AGroupOfCallsIsBegunTogether) {
  HcclRootInfo root;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  std::array<HcclComm, kRanks> comms{};
  std::array<aclrtStream, kRanks> streams{};
  std::array<void*, kRanks> mine{}, sum{}, got{};
  const auto on_each = [](const auto& body) {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      ASSERT_EQ(aclrtSetDevice(static_cast<std::int32_t>(rank)), ACL_SUCCESS);
      body(rank);
    }
  };
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  on_each([&](std::uint32_t rank) {
    EXPECT_EQ(HcclCommInitRootInfo(kRanks, &root, rank, &comms[rank]), HCCL_SUCCESS);
    EXPECT_EQ(comms[rank], nullptr);
  });
  ASSERT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << error_text();
  on_each([&](std::uint32_t rank) {
    ASSERT_NE(comms[rank], nullptr);
    ASSERT_EQ(aclrtCreateStream(&streams[rank]), ACL_SUCCESS);
    const Row row = row_of(rank);
    for (auto* blocks : {&mine, &sum, &got}) (*blocks)[rank] = to_device(row.data(), sizeof row);
  });
  const auto floats = HCCL_DATA_TYPE_FP32;
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS) << "a group within";
  on_each([&](std::uint32_t rank) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(HcclAllReduce(i == 0 ? mine[rank] : sum[rank], sum[rank], kRow, floats,
                              HCCL_REDUCE_SUM, comms[rank], streams[rank]),
                HCCL_SUCCESS);
    }
  });
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << error_text();
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  on_each([&](std::uint32_t rank) {
    const std::uint32_t next = (rank + 1) % kRanks, last = (rank + kRanks - 1) % kRanks;
    EXPECT_EQ(HcclSend(mine[rank], kRow, floats, next, comms[rank], streams[rank]), HCCL_SUCCESS);
    EXPECT_EQ(HcclRecv(got[rank], kRow, floats, last, comms[rank], streams[rank]), HCCL_SUCCESS);
  });
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << error_text();
  on_each([&](std::uint32_t rank) {
    EXPECT_EQ(aclrtSynchronizeStream(streams[rank]), ACL_SUCCESS);
    EXPECT_EQ(from_device(sum[rank])[1], 4.0f * (600 + 4));
    EXPECT_EQ(from_device(got[rank]), row_of((rank + kRanks - 1) % kRanks));
  });
  EXPECT_EQ(HcclGroupEnd(), HCCL_E_PARA) << "none was started";
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  EXPECT_EQ(HcclSend(mine[3], kRow, floats, 9, comms[3], streams[3]), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupEnd(), HCCL_E_PARA) << "there is no rank 9";
}

TEST_F(CommunicatorTest, FreeMemoryIsThatOfTheThreadsDevice) {
  std::size_t first = 0, second = 0, after = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &first, &total), ACL_ERROR_RT_CONTEXT_NULL);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &first, &total), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &second, &total), ACL_SUCCESS);
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), ACL_SUCCESS);
  EXPECT_LE(after, second - (1 << 20));
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), ACL_SUCCESS);
  EXPECT_EQ(after, first);
}

/// Nothing fails, so nothing is held up.
TEST_F(CommunicatorTest, SuspendingAndResumingAskForACommunicator) {
  std::int32_t devices[] = {0, 1, 2, 3};
  HcclComm comms[kRanks] = {};
  std::vector<void*> blocks;
  std::vector<aclrtStream> streams;
  begin(devices, comms, blocks, streams);
  EXPECT_EQ(HcclCommSuspend(comms[1]), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommResume(comms[1]), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommSuspend(nullptr), HCCL_E_PTR);
  EXPECT_NE(HcclCommResume(blocks[0]), HCCL_SUCCESS);
}

TEST_F(CommunicatorTest, ARootOfAProcessThatHasEndedIsRefused) {
  const std::string foreign = in_child([] {
    HcclRootInfo root;
    return HcclGetRootInfo(&root) == HCCL_SUCCESS ? std::string(root.internal) : error_text();
  });
  HcclRootInfo root{};
  foreign.copy(root.internal, sizeof root.internal - 1);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  HcclComm comm = nullptr;
  EXPECT_EQ(HcclCommInitRootInfo(2, &root, 1, &comm), HCCL_E_RUNTIME);
  EXPECT_NE(error_text().find("which made the root information, is not there or has ended"),
            std::string::npos);
}

TEST_F(CommunicatorTest, ARankThatStaysAloneIsTold) {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  setenv("HCCL_CONNECT_TIMEOUT", "soon", 1);
  EXPECT_EQ(HcclCommInitRootInfo(2, &root, 0, &comm), HCCL_E_PARA);
  EXPECT_NE(error_text().find("HCCL_CONNECT_TIMEOUT is 'soon'"), std::string::npos);
  setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
  for (int i = 0; i < 2; ++i) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(HcclCommInitRootInfo(2, &root, 0, &comm), HCCL_E_RUNTIME);
    EXPECT_NE(error_text().find("not all ranks came within 1 s"), std::string::npos);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("1 of 2 are there"), std::string::npos);
  }
  unsetenv("HCCL_CONNECT_TIMEOUT");
}

}  // namespace
}  // namespace davsim::test
