// Collective operations with counts of each rank, communicators of some ranks and of tables, and
// what operations refuse when their buffers are looked at.
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "runtime/launch.hpp"
#include "tests/runtime/communicator_fixture.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr auto kFloat = HCCL_DATA_TYPE_FP32;

/// One thread serves all ranks. Each has `blocks_`, its row, and `results_`, four rows of zeros.
class CollectivesTest : public CommunicatorTest {
 protected:
  static constexpr std::uint32_t kRoom = kRanks * kRow;

  void SetUp() override {
    CommunicatorTest::SetUp();
    ASSERT_NO_FATAL_FAILURE(begin(devices_, comms_, blocks_, streams_));
    const std::vector<float> zeros(kRoom, 0.0f);
    for (const std::int32_t device : devices_) {
      ASSERT_EQ(aclrtSetDevice(device), ACL_SUCCESS);
      results_.push_back(to_device(zeros.data(), kRoom * sizeof(float)));
    }
  }
  /// Calls for every rank, then waits for all of them.
  void on_ranks(const std::function<HcclResult(std::uint32_t)>& call) {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      ASSERT_EQ(aclrtSetDevice(devices_[rank]), ACL_SUCCESS);
      ASSERT_EQ(call(rank), HCCL_SUCCESS) << error_text();
    }
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      ASSERT_EQ(aclrtSetDevice(devices_[rank]), ACL_SUCCESS);
      ASSERT_EQ(aclrtSynchronizeStream(streams_[rank]), ACL_SUCCESS) << error_text();
    }
  }
  std::vector<float> result(std::uint32_t rank) const {
    std::vector<float> values(kRoom);
    EXPECT_EQ(aclrtMemcpy(values.data(), kRoom * sizeof(float), results_[rank],
                          kRoom * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return values;
  }
  /// The first operation that fails does so when all ranks have come.
  std::string failure(const std::function<HcclResult(std::uint32_t)>& call) {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(aclrtSetDevice(devices_[rank]), ACL_SUCCESS);
      EXPECT_EQ(call(rank), HCCL_SUCCESS) << error_text();
    }
    EXPECT_NE(aclrtSynchronizeStream(streams_[kRanks - 1]), ACL_SUCCESS);
    return error_text();
  }

  std::int32_t devices_[kRanks] = {0, 1, 2, 3};
  HcclComm comms_[kRanks] = {};
  std::vector<void*> blocks_, results_;
  std::vector<aclrtStream> streams_;
};

/// Rank r receives the sum of r + 1 elements, which lie at 10 * r in every rank's row.
TEST_F(CollectivesTest, ReduceScatterVSharesOutSumsOfDifferentSizes) {
  const Words counts = {1, 2, 3, 4}, offsets = {0, 10, 20, 30};
  on_ranks([&](std::uint32_t rank) {
    return HcclReduceScatterV(blocks_[rank], counts.data(), offsets.data(), results_[rank],
                              counts[rank], kFloat, HCCL_REDUCE_SUM, comms_[rank], streams_[rank]);
  });
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    std::vector<float> expected(kRoom, 0.0f);
    for (std::uint32_t i = 0; i <= rank; ++i) {
      for (std::uint32_t from = 0; from < kRanks; ++from) {
        expected[i] += row_of(from)[offsets[rank] + i];
      }
    }
    EXPECT_EQ(result(rank), expected) << rank;
  }
}

TEST_F(CollectivesTest, AllGatherVPlacesPartsOfDifferentSizes) {
  const Words counts = {4, 3, 0, 1}, offsets = {8, 0, 40, 20};
  on_ranks([&](std::uint32_t rank) {
    return HcclAllGatherV(blocks_[rank], counts[rank], results_[rank], counts.data(),
                          offsets.data(), kFloat, comms_[rank], streams_[rank]);
  });
  std::vector<float> expected(kRoom, 0.0f);
  for (std::uint32_t from = 0; from < kRanks; ++from) {
    for (std::uint64_t i = 0; i < counts[from]; ++i) expected[offsets[from] + i] = row_of(from)[i];
  }
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) EXPECT_EQ(result(rank), expected) << rank;
}

TEST_F(CollectivesTest, AlltoAllVCMovesWhatItsMatrixSays) {
  Words matrix;
  for (std::uint64_t from = 0; from < kRanks; ++from) {
    for (std::uint64_t to = 0; to < kRanks; ++to) matrix.push_back(3 * from + to);
  }
  on_ranks([&](std::uint32_t rank) {
    return HcclAlltoAllVC(blocks_[rank], matrix.data(), kFloat, results_[rank], kFloat,
                          comms_[rank], streams_[rank]);
  });
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    std::vector<float> expected;
    for (std::uint32_t from = 0; from < kRanks; ++from) {
      std::uint64_t at = 0;  // behind what goes to the ranks before this one
      for (std::uint32_t to = 0; to < rank; ++to) at += matrix[from * kRanks + to];
      for (std::uint64_t i = 0; i < matrix[from * kRanks + rank]; ++i) {
        expected.push_back(row_of(from)[at + i]);
      }
    }
    expected.resize(kRoom, 0.0f);
    EXPECT_EQ(result(rank), expected) << rank;
  }
}

/// Ranks 3 and 1 are ranks 0 and 1 of a communicator of their own.
TEST_F(CollectivesTest, SomeRanksMakeACommunicator) {
  std::uint32_t ranks[] = {3, 1};
  HcclComm parts[kRanks] = {};
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  for (std::uint32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(HcclCreateSubCommConfig(&comms_[ranks[i]], 2, ranks, 7, i, &config, &parts[i]),
              HCCL_SUCCESS)
        << error_text();
    std::uint32_t size = 0, rank = 9;
    EXPECT_EQ(HcclGetRankSize(parts[i], &size), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetRankId(parts[i], &rank), HCCL_SUCCESS);
    EXPECT_EQ(size, 2u);
    EXPECT_EQ(rank, i);
  }
  EXPECT_EQ(HcclCreateSubCommConfig(&comms_[0], 2, nullptr, 0xFFFFFFFF, 0, &config, &parts[2]),
            HCCL_SUCCESS);
  for (std::uint32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(aclrtSetDevice(devices_[ranks[i]]), ACL_SUCCESS);
    ASSERT_EQ(HcclAllGather(blocks_[ranks[i]], results_[ranks[i]], 2, kFloat, parts[i],
                            streams_[ranks[i]]),
              HCCL_SUCCESS)
        << error_text();
  }
  for (const std::uint32_t rank : ranks) {
    ASSERT_EQ(aclrtSetDevice(devices_[rank]), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(streams_[rank]), ACL_SUCCESS) << error_text();
    const std::vector<float> values = result(rank);
    EXPECT_EQ(std::vector<float>(values.begin(), values.begin() + 5),
              (std::vector<float>{300, 301, 100, 101, 0}));
  }
  EXPECT_EQ(HcclCreateSubCommConfig(&comms_[0], 2, ranks, 8, 1, &config, &parts[2]), HCCL_E_PARA);
  EXPECT_NE(error_text().find("rankIds does not have rank 0"), std::string::npos) << error_text();
  ranks[0] = 4;
  EXPECT_EQ(HcclCreateSubCommConfig(&comms_[1], 2, ranks, 9, 1, &config, &parts[2]), HCCL_E_PARA);
  EXPECT_NE(error_text().find("rankIds has 4, ranks are 0 to 3"), std::string::npos);
  for (std::uint32_t i = 0; i < 2; ++i) EXPECT_EQ(HcclCommDestroy(parts[i]), HCCL_SUCCESS);
}

/// As many ranks as the table has devices: two of the four.
TEST_F(CollectivesTest, TablesSayHowManyRanksThereAre) {
  const ScratchFolder folder;
  const std::string table = folder / "ranks.json", broken = folder / "broken.json";
  std::ofstream(table) << R"({"version": "1.0", "status": "completed", "server_count": "1",
    "server_list": [{"server_id": "a", "device": [{"device_id": "1", "rank_id": "0"},
                                                  {"device_id": "2", "rank_id": "1"}]}]})";
  std::ofstream(broken) << R"({"version": "1.0"})";
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      ASSERT_EQ(aclrtSetDevice(static_cast<std::int32_t>(rank + 1)), ACL_SUCCESS);
      HcclCommConfig config;
      HcclCommConfigInit(&config);
      HcclComm comm = nullptr;
      ASSERT_EQ(HcclCommInitClusterInfoConfig(table.c_str(), rank, &config, &comm), HCCL_SUCCESS)
          << error_text();
      std::uint32_t size = 0;
      EXPECT_EQ(HcclGetRankSize(comm, &size), HCCL_SUCCESS);
      EXPECT_EQ(size, 2u);
    });
  }
  for (std::thread& thread : threads) thread.join();
  HcclComm comm = nullptr;
  EXPECT_EQ(HcclCommInitClusterInfo(broken.c_str(), 0, &comm), HCCL_E_PARA);
  EXPECT_NE(error_text().find("server_list"), std::string::npos) << error_text();
  EXPECT_EQ(HcclCommInitClusterInfo((folder / "none.json").c_str(), 0, &comm), HCCL_E_PARA);
  EXPECT_NE(error_text().find("cannot be read"), std::string::npos) << error_text();
}

TEST_F(CollectivesTest, SettingsAreKept) {
  HcclConfigValue value = {1};
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_SUCCESS);
  value.value = 0;
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_SUCCESS);
  EXPECT_EQ(value.value, 1);
  value.value = 3;
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_E_PARA);
  EXPECT_EQ(HcclSetConfig(HCCL_CONFIG_RESERVED, value), HCCL_E_PARA);
  EXPECT_GT(HcclGetCommConfigCapability(), std::uint32_t{HCCL_COMM_CONFIG_COMM_NAME});
}

/// Four rows do not fit behind the second one of four.
TEST_F(CollectivesTest, BuffersOfAllRanksAreLookedAt) {
  const std::string text = failure([&](std::uint32_t rank) {
    return HcclAllGather(blocks_[rank], static_cast<float*>(results_[rank]) + kRow, kRow, kFloat,
                         comms_[rank], streams_[rank]);
  });
  EXPECT_NE(text.find("AllGather of rank 0 receives 1024 bytes"), std::string::npos) << text;
}

TEST_F(CollectivesTest, PartsLieInTheirBuffers) {
  const Words counts = {1, 1, 1, 1}, offsets = {0, 1, 2, 2 * kRow};
  const std::string text = failure([&](std::uint32_t rank) {
    return HcclReduceScatterV(blocks_[rank], counts.data(), offsets.data(), results_[rank], 1,
                              kFloat, HCCL_REDUCE_SUM, comms_[rank], streams_[rank]);
  });
  EXPECT_NE(text.find("ReduceScatterV of rank 0 sends 4 bytes"), std::string::npos) << text;
}

TEST_F(CollectivesTest, WhatIsSentIsWhatIsReceived) {
  const Words sent = {1, 2, 1, 1}, received = {1, 1, 1, 1}, offsets = {0, 4, 8, 12};
  const std::string text = failure([&](std::uint32_t rank) {
    return HcclAlltoAllV(blocks_[rank], sent.data(), offsets.data(), kFloat, results_[rank],
                         received.data(), offsets.data(), kFloat, comms_[rank], streams_[rank]);
  });
  EXPECT_NE(text.find("sends 2 elements to rank 1, which receives 1"), std::string::npos) << text;
}

/// A process with one device, as programs are tried first: operations are copies.
TEST(OneDeviceTest, HasCommunicatorsOfOneRank) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  HcclRootInfo root;
  HcclComm comm = nullptr, none = nullptr;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  ASSERT_EQ(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_SUCCESS) << error_text();
  const Row mine = row_of(2), zeros{};
  void* const x = to_device(mine.data(), sizeof mine);
  void* const y = to_device(zeros.data(), sizeof zeros);
  ASSERT_EQ(HcclAllReduce(x, y, kRow, kFloat, HCCL_REDUCE_SUM, comm, nullptr), HCCL_SUCCESS)
      << error_text();
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << error_text();
  EXPECT_EQ(from_device(y), mine);
  void* context = nullptr;
  ASSERT_EQ(HcclAllocComResource(comm, 0, &context), HCCL_SUCCESS);
  void* const gathered = to_device(zeros.data(), sizeof zeros);
  using Gather = void(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*);
  ASSERT_EQ(runtime::launch<Gather>("gather_custom", 2, nullptr, context, x, gathered, y), 0u);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << error_text();
  EXPECT_EQ(from_device(gathered), mine) << "by a kernel's own operation";
  char name[COMM_NAME_MAX_LENGTH] = {};
  EXPECT_EQ(HcclGetCommName(comm, name), HCCL_SUCCESS);
  HcclComm found = nullptr;
  EXPECT_EQ(HcclCommGetHandleWithName(name, &found), HCCL_SUCCESS);
  EXPECT_EQ(found, comm);
  HcclRootInfo other;
  ASSERT_EQ(HcclGetRootInfo(&other), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommInitRootInfo(2, &other, 0, &none), HCCL_E_NOT_SUPPORT);
  EXPECT_NE(error_text().find("2 ranks, the process 1 device; with DAVSIM_SYSTEM="),
            std::string::npos)
      << error_text();
  std::int32_t devices[] = {0, 1};
  EXPECT_EQ(HcclCommInitAll(2, devices, &none), HCCL_E_NOT_SUPPORT);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
}

}  // namespace
}  // namespace davsim::test
