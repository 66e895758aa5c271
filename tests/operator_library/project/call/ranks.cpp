// Calls an operator that communicates, with a thread for each rank.
#include <thread>

#include "aclnn_sum_ranks_custom.h"
#include "call/program.hpp"
#include "hccl/hccl.h"

using namespace program;

namespace {

constexpr int kRanks = 2;
constexpr int64_t kLength = 1000;

void sum(int rank, HcclComm communicator) {
  char group[128] = "";
  aclrtStream stream = nullptr;
  expect(aclrtSetDevice(rank) == 0 && aclrtCreateStream(&stream) == 0, "the device");
  expect(HcclGetCommName(communicator, group) == HCCL_SUCCESS, "the group's name");
  std::vector<int32_t> values(kLength);
  for (int64_t i = 0; i < kLength; ++i) values[i] = static_cast<int32_t>(i * (rank + 1));
  const Block<int32_t> x(values), y(std::vector<int32_t>(values.size()));
  aclTensor* in = x.tensor(ACL_INT32, {kLength});
  aclTensor* out = y.tensor(ACL_INT32, {kLength});
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  expect(aclnnSumRanksCustomGetWorkspaceSize(in, group, out, &bytes, &executor) == 0,
         "first phase of SumRanksCustom");
  expect(aclnnSumRanksCustom(nullptr, 0, executor, stream) == 0, "SumRanksCustom");
  expect(aclrtSynchronizeStream(stream) == 0, "the stream");
  const std::vector<int32_t> sums = y.values();
  for (int64_t i = 0; i < kLength; ++i) expect(sums[i] == 3 * i, "a sum");
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtDestroyStream(stream);
}

}  // namespace

int main() {
  int32_t devices[kRanks] = {0, 1};
  HcclComm communicators[kRanks];
  expect(aclInit(nullptr) == 0, "aclInit");
  expect(HcclCommInitAll(kRanks, devices, communicators) == HCCL_SUCCESS, "communicators");
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) ranks.emplace_back(sum, rank, communicators[rank]);
  for (std::thread& rank : ranks) rank.join();
  for (HcclComm communicator : communicators) HcclCommDestroy(communicator);
  return g_wrong == 0 ? 0 : 1;
}
