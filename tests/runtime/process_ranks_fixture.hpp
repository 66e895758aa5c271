// Ranks of a communicator in processes of their own, as those that mpirun starts.
#pragma once

#include <unistd.h>

#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/child_process.hpp"
#include "tests/runtime/communicator_fixture.hpp"

namespace davsim::test {

inline constexpr auto kReal = HCCL_DATA_TYPE_FP32;

/// A rank of four, in whatever process: its device, its stream and rows of numbers.
struct ProcessRank {
  using Join = std::function<int(std::uint32_t rank, HcclComm* comm)>;

  ProcessRank(std::uint32_t of, const Join& join) : number(of) {
    require(aclrtSetDevice(static_cast<std::int32_t>(of)), "aclrtSetDevice");
    require(join(of, &comm), "HcclCommInit");
    require(aclrtCreateStream(&stream), "aclrtCreateStream");
  }
  static void require(int code, const std::string& what) {
    if (code != 0) throw std::runtime_error(what + ": " + error_text());
  }
  void* rows(std::uint32_t count) const {
    std::vector<float> values;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Row row = row_of(number);
      values.insert(values.end(), row.begin(), row.end());
    }
    return to_device(values.data(), values.size() * sizeof(float));
  }
  std::vector<float> read(const void* from, std::size_t count) const {
    require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    std::vector<float> values(count);
    const std::size_t bytes = count * sizeof(float);
    require(aclrtMemcpy(values.data(), bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
            "aclrtMemcpy");
    return values;
  }

  std::uint32_t number;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
};

/// Empty, or what is wrong.
inline std::string compare(const char* what, const std::vector<float>& got,
                           const std::vector<float>& expected) {
  if (got == expected) return "";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != expected[i]) {
      return std::string(what) + ": [" + std::to_string(i) + "] is " + std::to_string(got[i]) +
             ", not " + std::to_string(expected[i]) + "; ";
    }
  }
  return std::string(what) + ": sizes differ; ";
}

/// Milliseconds of what `work` queues on the rank's stream, behind a barrier; as text.
template <class Work>
std::string time_behind_barrier(const ProcessRank& rank, const Work& work) {
  ProcessRank::require(HcclBarrier(rank.comm, rank.stream), "HcclBarrier");
  ProcessRank::require(aclrtSynchronizeStream(rank.stream), "aclrtSynchronizeStream");
  aclrtEvent start = nullptr, end = nullptr;
  aclrtCreateEvent(&start);
  aclrtCreateEvent(&end);
  aclrtRecordEvent(start, rank.stream);
  work();
  aclrtRecordEvent(end, rank.stream);
  ProcessRank::require(aclrtSynchronizeStream(rank.stream), "aclrtSynchronizeStream");
  float milliseconds = 0;
  ProcessRank::require(aclrtEventElapsedTime(&milliseconds, start, end), "aclrtEventElapsedTime");
  return std::to_string(milliseconds) + " ";
}

class ProcessRanksTest : public CommunicatorTest {
 protected:
  using Body = std::function<std::string(const ProcessRank&)>;

  /// The ranks of each process in threads of their own. Returns what all bodies return.
  static std::string run(const std::vector<std::vector<std::uint32_t>>& processes,
                         const Body& body) {
    // A process of its own keeps the root: a child that is forked by one with threads may find
    // locks of its memory's allocator held for ever.
    int root_ends[2], stay_ends[2];
    EXPECT_EQ(pipe(root_ends), 0);
    EXPECT_EQ(pipe(stay_ends), 0);
    const Child keeper = start_child([&] {
      close(stay_ends[1]);
      HcclRootInfo made;
      const bool told = HcclGetRootInfo(&made) == HCCL_SUCCESS &&
                        write(root_ends[1], &made, sizeof made) == sizeof made;
      char none = 0;
      return std::string(told && read(stay_ends[0], &none, 1) == 0 ? "" : "there is no root");
    });
    HcclRootInfo root;
    EXPECT_EQ(read(root_ends[0], &root, sizeof root), ssize_t{sizeof root});
    const std::string results = run(processes, body, [&](std::uint32_t rank, HcclComm* comm) {
      return HcclCommInitRootInfo(kRanks, &root, rank, comm);
    });
    close(stay_ends[1]);
    const std::string kept = result_of(keeper);
    for (const int end : {root_ends[0], root_ends[1], stay_ends[0]}) close(end);
    return results + kept;
  }
  static std::string run(const std::vector<std::vector<std::uint32_t>>& processes, const Body& body,
                         const ProcessRank::Join& join) {
    std::vector<Child> children;
    for (const auto& ranks : processes) {
      children.push_back(start_child([&] { return run_threads(ranks, join, body); }));
    }
    std::string results;
    for (const Child& child : children) results += result_of(child);
    return results;
  }

 private:
  static std::string run_threads(const std::vector<std::uint32_t>& ranks,
                                 const ProcessRank::Join& join, const Body& body) {
    std::vector<std::string> results(ranks.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          results[i] = body(ProcessRank(ranks[i], join));
        } catch (const std::exception& error) {
          results[i] = "rank " + std::to_string(ranks[i]) + ": " + error.what() + "; ";
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return std::accumulate(results.begin(), results.end(), std::string());
  }
};

}  // namespace davsim::test
