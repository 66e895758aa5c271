// Kernels and operators that communicate, with ranks in processes of their own.
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <vector>

#include "aclnnop/aclnn_matmul_all_reduce.h"
#include "davsim/launch_log.h"
#include "runtime/launch.hpp"
#include "tests/runtime/process_ranks_fixture.hpp"

namespace davsim::test {
namespace {

std::uint8_t* bytes(void* of) {
  return static_cast<std::uint8_t*>(of);
}

void* context_of(HcclComm comm) {
  void* context = nullptr;
  ProcessRank::require(HcclAllocComResource(comm, 0, &context), "HcclAllocComResource");
  return context;
}

std::vector<float> sum_of_all() {
  std::vector<float> sum(kRow, 0.0f);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const Row row = row_of(rank);
    for (std::uint32_t i = 0; i < kRow; ++i) sum[i] += row[i];
  }
  return sum;
}

/// Gathers the rows of all ranks by the server, and adds the rank's number.
void launch_gather(const ProcessRank& rank, void* gathered, void* y) {
  runtime::launch<void(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*)>(
      "gather_custom", 2, rank.stream, bytes(context_of(rank.comm)), bytes(rank.rows(1)),
      bytes(gathered), bytes(y));
}

std::string gather(const ProcessRank& rank) {
  void* const gathered = rank.rows(kRanks);
  void* const y = rank.rows(1);
  launch_gather(rank, gathered, y);
  std::vector<float> sum = sum_of_all();
  for (float& value : sum) value += static_cast<float>(rank.number);
  return compare("sum", rank.read(y, kRow), sum);
}

class ProcessKernelsTest : public ProcessRanksTest {};

TEST_F(ProcessKernelsTest, KernelsCommunicateAsInOneProcess) {
  EXPECT_EQ(run({{0}, {1}, {2}, {3}}, gather), "");
  EXPECT_EQ(run({{3, 1}, {0, 2}}, gather), "");
}

TEST_F(ProcessKernelsTest, LaunchesFollowEachOtherAndOperationsOfTheHost) {
  EXPECT_EQ(run({{0}, {1, 2}, {3}},
                [](const ProcessRank& rank) {
                  std::string wrong = gather(rank);
                  void* const row = rank.rows(1);
                  ProcessRank::require(
                      HcclAllReduce(row, row, kRow, kReal, HCCL_REDUCE_SUM, rank.comm, rank.stream),
                      "HcclAllReduce");
                  void* const gathered = rank.rows(kRanks);
                  void* const y = rank.rows(1);
                  launch_gather(rank, gathered, y);
                  launch_gather(rank, gathered, y);
                  wrong += compare("AllReduce", rank.read(row, kRow), sum_of_all());
                  return wrong + gather(rank);
                }),
            "");
}

/// A communicator of all ranks and one of a pair, of which the leading process knows one only.
TEST_F(ProcessKernelsTest, AKernelUsesCommunicatorsThatTheLeaderDoesNotKnow) {
  EXPECT_EQ(run({{0, 1}, {2}, {3}},
                [](const ProcessRank& rank) {
                  std::uint32_t members[] = {rank.number / 2 * 2, rank.number / 2 * 2 + 1};
                  HcclComm whole = rank.comm, pair = nullptr;
                  ProcessRank::require(HcclCreateSubCommConfig(&whole, 2, members, rank.number / 2,
                                                               rank.number % 2, nullptr, &pair),
                                       "HcclCreateSubCommConfig");
                  void* const sum = rank.rows(1);
                  void* const sums = rank.rows(2);
                  runtime::launch<void(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*,
                                       std::uint8_t*)>(
                      "groups_custom", 2, rank.stream, bytes(context_of(pair)),
                      bytes(context_of(rank.comm)), bytes(rank.rows(1)), bytes(sum), bytes(sums));
                  std::vector<float> expected = sum_of_all();
                  std::string wrong = compare("sum", rank.read(sum, kRow), expected);
                  const std::vector<float> again = expected;
                  expected.insert(expected.end(), again.begin(), again.end());
                  return wrong + compare("sums", rank.read(sums, 2 * kRow), expected);
                }),
            "");
}

std::string time_of_gather(const ProcessRank& rank) {
  void* const gathered = rank.rows(kRanks);
  void* const y = rank.rows(1);
  return time_behind_barrier(rank, [&] { launch_gather(rank, gathered, y); });
}

TEST_F(ProcessKernelsTest, LaunchesTakeTime) {
  const std::string times = run({{0}, {1, 2}, {3}}, time_of_gather);
  const float first = std::stof(times);
  EXPECT_GT(first, 0.001f);
  EXPECT_EQ(times, run({{1}, {0}, {3, 2}}, time_of_gather));
  // Windows lie elsewhere there.
  EXPECT_NEAR(first, std::stof(run({{0, 1, 2, 3}}, time_of_gather)), 0.05f * first);
}

TEST_F(ProcessKernelsTest, TheLogOfEachProcessHasItsLaunches) {
  const std::string logged = run({{0}, {1}, {2, 3}}, [](const ProcessRank& rank) {
    if (rank.number == 3) return gather(rank);
    ProcessRank::require(davsim_log_launches(1), "davsim_log_launches");
    const std::string wrong = gather(rank);
    const char* text = nullptr;
    ProcessRank::require(davsim_logged_launches(&text), "davsim_logged_launches");
    const auto launches = boost::json::parse(text).as_array();
    const auto of_rank =
        std::find_if(launches.begin(), launches.end(), [&](const boost::json::value& launch) {
          return launch.at("device").to_number<std::uint32_t>() == rank.number;
        });
    if (of_rank == launches.end()) return wrong + text;
    const double taken =
        of_rank->at("end_us").to_number<double>() - of_rank->at("start_us").to_number<double>();
    const bool cores = of_rank->at("AIV").at("cores").to_number<int>() == 2;
    return wrong +
           (taken > 1 && cores ? boost::json::value_to<std::string>(of_rank->at("kernel"))
                               : std::string(text)) +
           " ";
  });
  EXPECT_EQ(logged, "gather_custom gather_custom gather_custom ");
}

TEST_F(ProcessKernelsTest, WhatGoesWrongInAKernelIsToldToAll) {
  const std::string results = run({{0}, {1}, {2, 3}}, [](const ProcessRank& rank) {
    void* const y = rank.rows(1);
    void* const gathered = rank.number == 2 ? y : rank.rows(kRanks);
    launch_gather(rank, gathered, y);  // the row of one rank has no room for all
    return aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS ? std::string("passed ")
                                                              : std::string("failed ");
  });
  EXPECT_EQ(results, "failed failed failed failed ");
}

TEST_F(ProcessKernelsTest, ALeaderThatHasEndedIsNamed) {
  const std::string results = run({{0}, {1}, {2, 3}}, [](const ProcessRank& rank) {
    return rank.number == 0 ? std::string("0 leaves; ") : gather(rank);
  });
  EXPECT_NE(results.find("0 leaves; "), std::string::npos) << results;
  EXPECT_NE(results.find("rank 0 in process "), std::string::npos) << results;
}

TEST_F(ProcessKernelsTest, HostsDoNotCopyFromWindowsOfOtherProcesses) {
  const std::string results = run({{0}, {1, 2, 3}}, [](const ProcessRank& rank) {
    void* window = nullptr;
    std::uint64_t size = 0;
    const std::uint32_t other = rank.number == 0 ? 1 : 0;
    ProcessRank::require(HcclGetRemoteIpcHcclBuf(rank.comm, other, &window, &size), "window");
    char byte = 0;
    return aclrtMemcpy(&byte, 1, window, 1, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
               ? std::string("copied ")
               : std::string("refused ");
  });
  EXPECT_EQ(results, "refused refused refused refused ");
}

TEST_F(ProcessKernelsTest, WindowsOfOtherRanksHaveTheSameAddresses) {
  const std::string results = run({{0}, {1, 2, 3}}, [](const ProcessRank& rank) {
    std::string addresses;
    for (std::uint32_t other = 0; other < kRanks; ++other) {
      void* window = nullptr;
      std::uint64_t size = 0;
      ProcessRank::require(HcclGetRemoteIpcHcclBuf(rank.comm, other, &window, &size), "window");
      addresses += std::to_string(reinterpret_cast<std::uintptr_t>(window)) + " ";
    }
    return addresses;
  });
  const std::size_t each = results.size() / kRanks;
  for (std::uint32_t rank = 1; rank < kRanks; ++rank) {
    EXPECT_EQ(results.substr(rank * each, each), results.substr(0, each));
  }
}

/// The process that leads gives its stream up; the others learn of it once theirs are there.
TEST_F(ProcessKernelsTest, ALeaderThatGivesUpFailsTheOthers) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string results = run({{0}, {1, 2, 3}}, [&](const ProcessRank& rank) {
    void* const y = rank.rows(1);
    void* const gathered = rank.rows(kRanks);
    char leave[] = "123";
    if (rank.number != 0) {
      if (read(ends[0], leave, 1) != 1) return std::string("no word");
      launch_gather(rank, gathered, y);
      return aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS ? std::string("passed ")
                                                                : std::string("failed ");
    }
    launch_gather(rank, gathered, y);
    const int late = aclrtSynchronizeStreamWithTimeout(rank.stream, 50);
    ProcessRank::require(aclrtStreamAbort(rank.stream), "aclrtStreamAbort");
    ProcessRank::require(aclrtSynchronizeStream(rank.stream), "aclrtSynchronizeStream");
    return std::to_string(late) + (write(ends[1], leave, 3) == 3 ? " went on " : " ");
  });
  EXPECT_EQ(results,
            std::to_string(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) + " went on failed failed failed ");
}

/// A matrix of 16-bit numbers on the device.
aclTensor* matrix(std::int64_t rows, std::int64_t columns, float value, void** data) {
  const std::vector<aclFloat16> values(static_cast<std::size_t>(rows * columns),
                                       aclFloatToFloat16(value));
  *data = to_device(values.data(), values.size() * sizeof(aclFloat16));
  const std::int64_t shape[] = {rows, columns};
  return aclCreateTensor(shape, 2, ACL_FLOAT16, nullptr, 0, ACL_FORMAT_ND, shape, 2, *data);
}

TEST_F(ProcessKernelsTest, OperatorsCommunicateAsInOneProcess) {
  const auto multiply = [](const ProcessRank& rank) {
    constexpr std::int64_t kSize = 64;
    void *a = nullptr, *b = nullptr, *y = nullptr;
    aclTensor* const x1 = matrix(kSize, kSize, static_cast<float>(rank.number + 1), &a);
    aclTensor* const x2 = matrix(kSize, kSize, 0.5f, &b);
    aclTensor* const out = matrix(kSize, kSize, 0.0f, &y);
    char name[128] = {};
    ProcessRank::require(HcclGetCommName(rank.comm, name), "HcclGetCommName");
    std::uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    ProcessRank::require(aclnnMatmulAllReduceGetWorkspaceSize(x1, x2, nullptr, name, "sum", 0, 1,
                                                              out, &bytes, &executor),
                         "aclnnMatmulAllReduceGetWorkspaceSize");
    ProcessRank::require(aclnnMatmulAllReduce(nullptr, bytes, executor, rank.stream),
                         "aclnnMatmulAllReduce");
    ProcessRank::require(aclrtSynchronizeStream(rank.stream), "aclrtSynchronizeStream");
    aclFloat16 first = 0;
    ProcessRank::require(aclrtMemcpy(&first, 2, y, 2, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    return std::to_string(static_cast<int>(aclFloat16ToFloat(first))) + " ";
  };
  EXPECT_EQ(run({{0}, {1, 3}, {2}}, multiply), "320 320 320 320 ");  // 64 * 0.5 * (1 + 2 + 3 + 4)
}

}  // namespace
}  // namespace davsim::test
