// Collective operations of ranks in processes of their own.
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/runtime/process_ranks_fixture.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

std::string sum_rows(const ProcessRank& rank) {
  void* const row = rank.rows(1);
  ProcessRank::require(
      HcclAllReduce(row, row, kRow, kReal, HCCL_REDUCE_SUM, rank.comm, rank.stream),
      "HcclAllReduce");
  std::vector<float> sum(kRow, 0.0f);
  for (std::uint32_t other = 0; other < kRanks; ++other) {
    const Row row_of_other = row_of(other);
    for (std::uint32_t i = 0; i < kRow; ++i) sum[i] += row_of_other[i];
  }
  return compare("AllReduce in place", rank.read(row, kRow), sum);
}

TEST_F(ProcessRanksTest, OperationsAreThoseOfOneProcess) {
  const auto operate = [](const ProcessRank& rank) {
    std::string wrong = sum_rows(rank);
    void* const row = rank.rows(1);
    void* const rows = rank.rows(kRanks);
    ProcessRank::require(HcclAllGather(row, rows, kRow, kReal, rank.comm, rank.stream),
                         "HcclAllGather");
    std::vector<float> all;
    for (std::uint32_t other = 0; other < kRanks; ++other) {
      const Row of = row_of(other);
      all.insert(all.end(), of.begin(), of.end());
    }
    wrong += compare("AllGather", rank.read(rows, kRanks * kRow), all);

    constexpr std::uint32_t kPart = kRow / kRanks;
    ProcessRank::require(
        HcclReduceScatter(row, rows, kPart, kReal, HCCL_REDUCE_MAX, rank.comm, rank.stream),
        "HcclReduceScatter");
    const Row last = row_of(kRanks - 1);
    wrong +=
        compare("ReduceScatter", rank.read(rows, kPart),
                {last.begin() + rank.number * kPart, last.begin() + (rank.number + 1) * kPart});

    ProcessRank::require(HcclBroadcast(row, kRow, kReal, 2, rank.comm, rank.stream),
                         "HcclBroadcast");
    const Row second = row_of(2);
    wrong += compare("Broadcast", rank.read(row, kRow), {second.begin(), second.end()});
    ProcessRank::require(HcclBarrier(rank.comm, rank.stream), "HcclBarrier");
    ProcessRank::require(aclrtSynchronizeStream(rank.stream), "aclrtSynchronizeStream");
    ProcessRank::require(HcclCommDestroy(rank.comm), "HcclCommDestroy");
    return wrong;
  };
  EXPECT_EQ(run({{0}, {1}, {2}, {3}}, operate), "");
  EXPECT_EQ(run({{3, 0}, {1, 2}}, operate), "");
}

TEST_F(ProcessRanksTest, RanksOfATableMeet) {
  const ScratchFolder folder;
  const std::string table = (folder / "ranks.json").string();
  std::ofstream(table) << R"({"server_list": [{"device": [{}, {}, {}, {}]}]})";
  const auto join = [&](std::uint32_t rank, HcclComm* comm) {
    return HcclCommInitClusterInfo(table.c_str(), rank, comm);
  };
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run({{0}, {2, 1}, {3}}, sum_rows, join), "");
}

/// Parts of different sizes, which do not begin where the buffers do.
TEST_F(ProcessRanksTest, PartsOfDifferentSizesFindTheirPlaces) {
  EXPECT_EQ(run({{0}, {1, 3}, {2}},
                [](const ProcessRank& rank) {
                  void* const from = rank.rows(1);
                  const std::vector<float> zeros(kRow, 0.0f);
                  void* const to = to_device(zeros.data(), kRow * sizeof(float));
                  std::vector<std::uint64_t> sent, sent_at, received, received_at;
                  std::vector<float> expected = zeros;
                  for (std::uint32_t other = 0; other < kRanks; ++other) {
                    sent.push_back(rank.number + other);
                    sent_at.push_back(5 + 10 * other);
                    received.push_back(other + rank.number);
                    received_at.push_back(3 + 12 * other);
                    for (std::uint64_t i = 0; i < received[other]; ++i) {
                      expected[received_at[other] + i] = row_of(other)[5 + 10 * rank.number + i];
                    }
                  }
                  ProcessRank::require(
                      HcclAlltoAllV(from, sent.data(), sent_at.data(), kReal, to, received.data(),
                                    received_at.data(), kReal, rank.comm, rank.stream),
                      "HcclAlltoAllV");
                  return compare("AlltoAllV", rank.read(to, kRow), expected);
                }),
            "");
}

/// Who sends and who receives on another stream may come in any order, and both ways at once.
TEST_F(ProcessRanksTest, MessagesOnStreamsOfTheirOwnWaitForNoOthers) {
  EXPECT_EQ(run({{0}, {1}, {2, 3}},
                [](const ProcessRank& rank) {
                  void* const mine = rank.rows(1);
                  aclrtStream sends = nullptr;
                  ProcessRank::require(aclrtCreateStream(&sends), "aclrtCreateStream");
                  std::string wrong;
                  for (const std::uint32_t distance : {1u, 2u}) {
                    void* const got = rank.rows(1);
                    const std::uint32_t to = (rank.number + distance) % kRanks;
                    const std::uint32_t from = (rank.number + kRanks - distance) % kRanks;
                    ProcessRank::require(HcclSend(mine, kRow, kReal, to, rank.comm, sends),
                                         "HcclSend");
                    ProcessRank::require(HcclRecv(got, kRow, kReal, from, rank.comm, rank.stream),
                                         "HcclRecv");
                    const Row row = row_of(from);
                    wrong += compare("message", rank.read(got, kRow), {row.begin(), row.end()});
                  }
                  ProcessRank::require(aclrtSynchronizeStream(sends), "aclrtSynchronizeStream");
                  return wrong;
                }),
            "");
}

TEST_F(ProcessRanksTest, MessagesAndPartsOfACommunicatorCrossProcesses) {
  EXPECT_EQ(
      run({{0}, {1}, {2, 3}},
          [](const ProcessRank& rank) {
            // Around the ring: who is even sends first.
            void* const mine = rank.rows(1);
            void* const got = rank.rows(1);
            const std::uint32_t next = (rank.number + 1) % kRanks;
            const std::uint32_t before = (rank.number + kRanks - 1) % kRanks;
            for (const bool send : {rank.number % 2 == 0, rank.number % 2 != 0}) {
              ProcessRank::require(send
                                       ? HcclSend(mine, kRow, kReal, next, rank.comm, rank.stream)
                                       : HcclRecv(got, kRow, kReal, before, rank.comm, rank.stream),
                                   "HcclSend or HcclRecv");
            }
            const Row row = row_of(before);
            std::string wrong = compare("message", rank.read(got, kRow), {row.begin(), row.end()});

            // Two of them, of which the first is the last here.
            std::uint32_t members[] = {rank.number % 2 + 2, rank.number % 2};
            HcclComm whole = rank.comm, pair = nullptr;
            ProcessRank::require(HcclCreateSubCommConfig(&whole, 2, members, rank.number % 2,
                                                         rank.number < 2 ? 1 : 0, nullptr, &pair),
                                 "HcclCreateSubCommConfig");
            ProcessRank::require(
                HcclAllReduce(mine, got, kRow, kReal, HCCL_REDUCE_MIN, pair, rank.stream),
                "HcclAllReduce");
            const Row least = row_of(rank.number % 2);
            return wrong + compare("pair", rank.read(got, kRow), {least.begin(), least.end()});
          }),
      "");
}

/// Milliseconds of an AllReduce as a rank sees it. ProcessRank `late` copies for a while before.
std::string time_of_sum(const ProcessRank& rank, bool late) {
  constexpr std::uint64_t kBytes = 1 << 20;
  const std::vector<float> zeros(kBytes / sizeof(float), 0.0f);
  void* const from = to_device(zeros.data(), kBytes);
  void* const to = to_device(zeros.data(), kBytes);
  return time_behind_barrier(rank, [&] {
    for (int i = 0; late && i < 100; ++i) {
      aclrtMemcpyAsync(to, kBytes, from, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream);
    }
    ProcessRank::require(HcclAllReduce(from, to, kBytes / sizeof(float), kReal, HCCL_REDUCE_SUM,
                                       rank.comm, rank.stream),
                         "HcclAllReduce");
  });
}

TEST_F(ProcessRanksTest, OperationsTakeTheTimeThatTheyTakeInOneProcess) {
  const auto measure = [](const ProcessRank& rank) { return time_of_sum(rank, false); };
  const std::string alone = run({{0, 1, 2, 3}}, measure);
  EXPECT_GT(std::stof(alone), 0.0f);
  EXPECT_EQ(run({{0}, {1, 2}, {3}}, measure), alone);
}

TEST_F(ProcessRanksTest, AnOperationBeginsWhenTheLastRankIsReady) {
  const auto measure = [](const ProcessRank& rank) { return time_of_sum(rank, rank.number == 1); };
  const std::string alone = run({{0, 1, 2, 3}}, measure);
  const std::string spread = run({{0}, {1}, {2}, {3}}, measure);
  EXPECT_EQ(spread, alone);
  EXPECT_GT(std::stof(spread), 2 * std::stof(run({{0, 1, 2, 3}}, [](const ProcessRank& rank) {
                                 return time_of_sum(rank, false);
                               })));
}

TEST_F(ProcessRanksTest, ARankWhoseProcessHasEndedIsNamed) {
  const std::string results = run({{0, 1, 2}, {3}}, [](const ProcessRank& rank) {
    return rank.number == 3 ? std::string("3 leaves; ") : sum_rows(rank);
  });
  EXPECT_NE(results.find("rank 0: aclrtSynchronizeStream"), std::string::npos) << results;
  EXPECT_NE(results.find("3 leaves; "), std::string::npos) << results;
  EXPECT_NE(results.find("rank 3 in process "), std::string::npos) << results;
}

/// Whose rank asks for what cannot be done, is told by its own process; the others by theirs.
TEST_F(ProcessRanksTest, AWrongPartFailsTheOthersToo) {
  const std::string results = run({{0}, {1}, {2, 3}}, [](const ProcessRank& rank) {
    void* const row = rank.rows(1);
    const std::uint64_t count = rank.number == 1 ? 1000 * kRow : kRow;
    ProcessRank::require(
        HcclAllReduce(row, row, count, kReal, HCCL_REDUCE_SUM, rank.comm, rank.stream),
        "HcclAllReduce");
    return aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS ? std::string("passed ")
                                                              : std::string("failed ");
  });
  EXPECT_EQ(results, "failed failed failed failed ");
}

/// The others are there and ask for nothing.
TEST_F(ProcessRanksTest, AStreamThatWaitsForOthersCanBeGivenUp) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string results = run({{0}, {1, 2, 3}}, [&](const ProcessRank& rank) {
    char leave[] = "123";
    if (rank.number != 0) return read(ends[0], leave, 1) == 1 ? std::string() : "no word";
    void* const row = rank.rows(1);
    ProcessRank::require(
        HcclAllReduce(row, row, kRow, kReal, HCCL_REDUCE_SUM, rank.comm, rank.stream),
        "HcclAllReduce");
    const int late = aclrtSynchronizeStreamWithTimeout(rank.stream, 50);
    ProcessRank::require(aclrtStreamAbort(rank.stream), "aclrtStreamAbort");
    const Row own = row_of(0);
    const std::string wrong = compare("row", rank.read(row, kRow), {own.begin(), own.end()});
    return wrong + std::to_string(late) + (write(ends[1], leave, 3) == 3 ? " went on" : "");
  });
  EXPECT_EQ(results, std::to_string(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) + " went on");
}

}  // namespace
}  // namespace davsim::test
