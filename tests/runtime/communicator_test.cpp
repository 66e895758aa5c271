// Host programs with several devices: communicators, collective operations on streams, and kernels
// that communicate.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "runtime/launch.hpp"
#include "tests/runtime/communicator_fixture.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

using Gather = void(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*);

/// A program with a thread for each rank: an operation on streams, then a kernel that communicates.
void reduce_and_gather() {
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  std::uint32_t devices = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&devices), ACL_SUCCESS);
  ASSERT_EQ(devices, kRanks);
  HcclRootInfo root;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&root, rank] {
      ASSERT_EQ(aclrtSetDevice(static_cast<std::int32_t>(rank)), ACL_SUCCESS);
      aclrtStream stream = nullptr;
      ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      HcclComm comm = nullptr;
      ASSERT_EQ(HcclCommInitRootInfo(kRanks, &root, rank, &comm), HCCL_SUCCESS) << error_text();
      const Row mine = row_of(rank);
      void* const x = to_device(mine.data(), sizeof mine);
      void* const y = to_device(mine.data(), sizeof mine);
      ASSERT_EQ(HcclAllReduce(x, y, kRow, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream),
                HCCL_SUCCESS);
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      const Row sum = from_device(y);
      for (std::uint32_t i = 0; i < kRow; ++i) {
        ASSERT_EQ(sum[i], static_cast<float>(600 + 4 * i)) << rank << " " << i;
      }
      void* context = nullptr;
      std::uint64_t tiling[64] = {};
      ASSERT_EQ(HcclAllocComResourceByTiling(comm, stream, tiling, &context), HCCL_SUCCESS);
      std::vector<Row> zeros(kRanks);
      void* const gathered = to_device(zeros.data(), sizeof(Row) * kRanks);
      const auto bytes = [](void* block) { return static_cast<std::uint8_t*>(block); };
      ASSERT_EQ(runtime::launch<Gather>("gather_custom", 2, stream, bytes(context), bytes(x),
                                        bytes(gathered), bytes(y)),
                0u);
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << error_text();
      const Row added = from_device(y);
      for (std::uint32_t i = 0; i < kRow; ++i) {
        ASSERT_EQ(added[i], static_cast<float>(600 + 4 * i + rank)) << rank << " " << i;
      }
      EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
      EXPECT_EQ(aclrtResetDevice(static_cast<std::int32_t>(rank)), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_F(CommunicatorTest, RanksInThreadsReduceAndGather) {
  reduce_and_gather();
}

/// The trace of a launch has the cores of all devices and what passed their links, and the checker
/// finds nothing in a kernel that is in order.
TEST_F(CommunicatorTest, TracesShowTheCoresAndLinksOfAllDevices) {
  const ScratchFolder folder;
  const std::string path = folder / "trace.json";
  setenv("DAVSIM_TRACE", path.c_str(), 1);
  setenv("DAVSIM_CHECK", "1", 1);
  const auto program = [] {
    reduce_and_gather();
    std::exit(HasFailure() ? 1 : 0);  // what the program keeps is written when it ends
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(0), "0 findings");
  std::ifstream file(path);
  const std::string trace{std::istreambuf_iterator<char>(file), {}};
  for (const char* part : {"\"name\":\"die0.core0.veccore0\"", "\"name\":\"die3.core0.veccore0\"",
                           "\"name\":\"die0 links\"", "\"name\":\"die3 links\"",
                           "\"name\":\"hccs out to die1\"", "\"waited_cycles\":"}) {
    EXPECT_NE(trace.find(part), std::string::npos) << part;
  }
}

TEST_F(CommunicatorTest, OneThreadServesAllRanks) {
  std::int32_t devices[] = {0, 1, 2, 3};
  HcclComm comms[kRanks];
  std::vector<void*> blocks;
  std::vector<aclrtStream> streams;
  ASSERT_NO_FATAL_FAILURE(begin(devices, comms, blocks, streams));
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_EQ(aclrtSetDevice(devices[rank]), ACL_SUCCESS);
    ASSERT_EQ(HcclBroadcast(blocks[rank], kRow, HCCL_DATA_TYPE_FP32, 2, comms[rank], streams[rank]),
              HCCL_SUCCESS);
  }
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_EQ(aclrtSetDevice(devices[rank]), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(streams[rank]), ACL_SUCCESS);
    EXPECT_EQ(from_device(blocks[rank]), row_of(2)) << rank;
  }
}

/// A kernel of two communicators begins when the devices of the larger one have theirs, whatever
/// comes first, and knows both by their places among its arguments.
TEST_F(CommunicatorTest, AKernelHasTwoCommunicators) {
  using Groups = void(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*);
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  HcclRootInfo roots[3];
  for (HcclRootInfo& root : roots) ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&roots, rank] {
      ASSERT_EQ(aclrtSetDevice(static_cast<std::int32_t>(rank)), ACL_SUCCESS);
      aclrtStream stream = nullptr;
      ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      HcclComm all = nullptr, pair = nullptr;
      ASSERT_EQ(HcclCommInitRootInfo(kRanks, &roots[0], rank, &all), HCCL_SUCCESS);
      ASSERT_EQ(HcclCommInitRootInfo(2, &roots[1 + rank / 2], rank % 2, &pair), HCCL_SUCCESS);
      void *of_all = nullptr, *of_pair = nullptr;
      std::uint64_t tiling[64] = {};
      ASSERT_EQ(HcclAllocComResourceByTiling(all, stream, tiling, &of_all), HCCL_SUCCESS);
      ASSERT_EQ(HcclAllocComResourceByTiling(pair, stream, tiling, &of_pair), HCCL_SUCCESS);
      const Row mine = row_of(rank), zeros[2] = {};
      void* const x = to_device(mine.data(), sizeof mine);
      void* const sum = to_device(zeros, sizeof(Row));
      void* const sums = to_device(zeros, sizeof zeros);
      const auto bytes = [](void* block) { return static_cast<std::uint8_t*>(block); };
      ASSERT_EQ(runtime::launch<Groups>("groups_custom", 2, stream, bytes(of_pair), bytes(of_all),
                                        bytes(x), bytes(sum), bytes(sums)),
                0u);
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << error_text();
      for (std::uint32_t half = 0; half < 2; ++half) {
        const Row row = from_device(bytes(sums) + half * sizeof(Row));
        for (std::uint32_t i = 0; i < kRow; ++i) {
          ASSERT_EQ(row[i], static_cast<float>(600 + 4 * i)) << rank << " " << half << " " << i;
        }
      }
      EXPECT_EQ(HcclCommDestroy(pair), HCCL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(all), HCCL_SUCCESS);
      EXPECT_EQ(aclrtResetDevice(static_cast<std::int32_t>(rank)), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

/// Around a ring, and back to the sender in the other direction.
TEST_F(CommunicatorTest, RanksPassMessages) {
  std::int32_t devices[] = {0, 1, 2, 3};
  HcclComm comms[kRanks];
  std::vector<void*> blocks;
  std::vector<aclrtStream> streams;
  ASSERT_NO_FATAL_FAILURE(begin(devices, comms, blocks, streams));
  const auto pass = [&](std::uint32_t from, std::uint32_t to) {
    EXPECT_EQ(aclrtSetDevice(devices[from]), ACL_SUCCESS);
    EXPECT_EQ(HcclSend(blocks[from], kRow, HCCL_DATA_TYPE_FP32, to, comms[from], streams[from]),
              HCCL_SUCCESS)
        << error_text();
    EXPECT_EQ(aclrtSetDevice(devices[to]), ACL_SUCCESS);
    EXPECT_EQ(HcclRecv(blocks[to], kRow, HCCL_DATA_TYPE_FP32, from, comms[to], streams[to]),
              HCCL_SUCCESS)
        << error_text();
  };
  pass(3, 1);
  pass(1, 2);
  pass(2, 0);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_EQ(aclrtSetDevice(devices[rank]), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(streams[rank]), ACL_SUCCESS) << error_text();
    EXPECT_EQ(from_device(blocks[rank])[5], row_of(3)[5]) << rank;
  }
  ASSERT_EQ(aclrtSetDevice(devices[1]), ACL_SUCCESS);
  EXPECT_EQ(HcclSend(blocks[1], kRow, HCCL_DATA_TYPE_FP32, 1, comms[1], streams[1]), HCCL_E_PARA);
  EXPECT_NE(error_text().find("another one of ranks 0 to 3"), std::string::npos);
  EXPECT_EQ(HcclRecv(nullptr, kRow, HCCL_DATA_TYPE_FP32, 0, comms[1], streams[1]), HCCL_E_PTR);
}

/// Around a ring at once, with a message of each rank to itself. A rank's second message waits for
/// its first, so each rank has a thread.
TEST_F(CommunicatorTest, RanksPassMessagesInBatches) {
  std::int32_t devices[] = {0, 1, 2, 3};
  HcclComm comms[kRanks];
  std::vector<void*> blocks;
  std::vector<aclrtStream> streams;
  ASSERT_NO_FATAL_FAILURE(begin(devices, comms, blocks, streams));
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      ASSERT_EQ(aclrtSetDevice(devices[rank]), ACL_SUCCESS);
      const Row nothing{};
      void* const received = to_device(nothing.data(), sizeof nothing);
      void* const kept = to_device(nothing.data(), sizeof nothing);
      const std::uint32_t next = (rank + 1) % kRanks, before = (rank + kRanks - 1) % kRanks;
      HcclSendRecvItem items[] = {{HCCL_SEND, blocks[rank], kRow, HCCL_DATA_TYPE_FP32, next},
                                  {HCCL_RECV, kept, kRow, HCCL_DATA_TYPE_FP32, rank},
                                  {HCCL_RECV, received, kRow, HCCL_DATA_TYPE_FP32, before},
                                  {HCCL_SEND, blocks[rank], kRow, HCCL_DATA_TYPE_FP32, rank}};
      ASSERT_EQ(HcclBatchSendRecv(items, 4, comms[rank], streams[rank]), HCCL_SUCCESS)
          << error_text();
      ASSERT_EQ(aclrtSynchronizeStream(streams[rank]), ACL_SUCCESS) << error_text();
      EXPECT_EQ(from_device(received), row_of(before)) << rank;
      EXPECT_EQ(from_device(kept), row_of(rank)) << rank;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(aclrtSetDevice(devices[3]), ACL_SUCCESS);
  HcclSendRecvItem wrong[] = {{HCCL_SEND, blocks[3], kRow, HCCL_DATA_TYPE_FP32, 7}};
  EXPECT_EQ(HcclBatchSendRecv(wrong, 1, comms[3], streams[3]), HCCL_E_PARA);
  EXPECT_NE(error_text().find("remoteRank is 7, ranks are 0 to 3"), std::string::npos);
  wrong[0].remoteRank = 3;
  EXPECT_EQ(HcclBatchSendRecv(wrong, 1, comms[3], streams[3]), HCCL_E_PARA);
  EXPECT_NE(error_text().find("sends itself 1 messages and receives 0"), std::string::npos);
  EXPECT_EQ(HcclBatchSendRecv(nullptr, 1, comms[3], streams[3]), HCCL_E_PTR);
}

/// Rank 0 of two asks for a sum; what it waits for comes late, or never.
class WaitingRankTest : public CommunicatorTest {
 protected:
  void ask(std::uint32_t rank) {
    ASSERT_EQ(aclrtSetDevice(devices_[rank]), ACL_SUCCESS);
    ASSERT_EQ(HcclAllReduce(blocks_[rank], blocks_[rank], kRow, HCCL_DATA_TYPE_FP32,
                            HCCL_REDUCE_SUM, comms_[rank], streams_[rank]),
              HCCL_SUCCESS)
        << error_text();
  }
  void ask_of_others() {
    for (std::uint32_t rank = 1; rank < kRanks; ++rank) ask(rank);
    ASSERT_EQ(aclrtSetDevice(devices_[0]), ACL_SUCCESS);
  }
  void SetUp() override {
    CommunicatorTest::SetUp();
    setenv("DAVSIM_HOST_TIMEOUT", "3", 1);
    begin(devices_, comms_, blocks_, streams_);
    ask(0);
  }

  std::int32_t devices_[kRanks] = {0, 1, 2, 3};
  HcclComm comms_[kRanks];
  std::vector<void*> blocks_;
  std::vector<aclrtStream> streams_;
};

TEST_F(WaitingRankTest, TimeoutsEndAndAQuerySaysThatItIsNotReady) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  ASSERT_EQ(aclrtStreamQuery(streams_[0], &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(streams_[0], 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  ask_of_others();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(streams_[0], 60000), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamQuery(streams_[0], &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST_F(WaitingRankTest, ADeviceIsSynchronisedWhenTheOthersHaveCome) {
  std::thread others([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ask_of_others();
  });
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(from_device(blocks_[0])[1], 604.0f);
  others.join();
}

TEST_F(WaitingRankTest, AnAbortedStreamLeavesTheGroup) {
  EXPECT_EQ(aclrtStreamAbort(streams_[0]), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(streams_[0]), ACL_SUCCESS);
  ask(0);
  EXPECT_EQ(aclrtDestroyStreamForce(streams_[0]), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&streams_[0]), ACL_SUCCESS);
  ask(0);
  ask_of_others();
  EXPECT_EQ(aclrtSynchronizeStream(streams_[0]), ACL_SUCCESS);
  EXPECT_EQ(from_device(blocks_[0])[1], 604.0f);
}

TEST_F(WaitingRankTest, TheHostTimeoutEndsAWaitWithoutOne) {
  EXPECT_EQ(aclrtSynchronizeStream(streams_[0]), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_NE(error_text().find("device 0 waits for the other devices of communicator"),
            std::string::npos)
      << error_text();
}

TEST_F(CommunicatorTest, CallsRefuseWhatNoCollectiveOperationTakes) {
  std::int32_t devices[] = {0, 1, 2, 3};
  HcclComm comms[kRanks];
  std::vector<void*> blocks;
  std::vector<aclrtStream> streams;
  begin(devices, comms, blocks, streams);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  constexpr auto kFloat = HCCL_DATA_TYPE_FP32;
  void* const x = blocks[0];
  EXPECT_EQ(HcclBroadcast(x, kRow, kFloat, 4, comms[0], streams[0]), HCCL_E_PARA);
  EXPECT_NE(error_text().find("Broadcast has root 4, ranks are 0 to 3"), std::string::npos);
  EXPECT_EQ(HcclReduce(x, x, kRow, kFloat, HCCL_REDUCE_SUM, 9, comms[0], streams[0]), HCCL_E_PARA);
  EXPECT_EQ(HcclAllReduce(x, x, kRow, static_cast<HcclDataType>(77), HCCL_REDUCE_SUM, comms[0],
                          streams[0]),
            HCCL_E_PARA);
  EXPECT_EQ(HcclAllReduce(x, x, kRow, kFloat, static_cast<HcclReduceOp>(9), comms[0], streams[0]),
            HCCL_E_PARA);
  EXPECT_EQ(HcclSend(x, kRow, static_cast<HcclDataType>(77), 1, comms[0], streams[0]), HCCL_E_PARA);
  // The stream is free: nothing has been queued.
  EXPECT_EQ(aclrtSynchronizeStream(streams[0]), ACL_SUCCESS);
}

TEST_F(CommunicatorTest, ContextsHaveTheLayoutThatKernelsRead) {
  std::int32_t devices[] = {0, 1, 2, 3};
  HcclComm comms[kRanks];
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  ASSERT_EQ(HcclCommInitAll(kRanks, devices, comms), HCCL_SUCCESS) << error_text();
  void* context = nullptr;
  ASSERT_EQ(HcclAllocComResource(comms[1], 0, &context), HCCL_SUCCESS);
  struct {
    std::uint64_t workspace, workspace_bytes;
    std::uint32_t rank, ranks;
    std::uint64_t window_bytes, windows_in[32], windows_out[32];
  } read;
  ASSERT_EQ(aclrtMemcpy(&read, sizeof read, context, sizeof read, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS)
      << error_text();
  EXPECT_EQ(read.rank, 1u);
  EXPECT_EQ(read.ranks, kRanks);
  EXPECT_EQ(read.window_bytes, std::uint64_t{200} << 20);
  void* window = nullptr;
  std::uint64_t bytes = 0;
  ASSERT_EQ(HcclGetRemoteIpcHcclBuf(comms[1], 3, &window, &bytes), HCCL_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(window), read.windows_in[3]);
  EXPECT_EQ(bytes, 2 * read.window_bytes);
  EXPECT_EQ(HcclGetRemoteIpcHcclBuf(comms[1], 4, &window, &bytes), HCCL_E_PARA);
  EXPECT_EQ(HcclGetRankSize(nullptr, nullptr), HCCL_E_PTR);
}

}  // namespace
}  // namespace davsim::test
