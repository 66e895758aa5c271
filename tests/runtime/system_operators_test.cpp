// Host programs that call operators of several devices by their aclnn functions, with a thread for
// each rank.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_all_gather_matmul.h"
#include "aclnnop/aclnn_matmul_all_reduce.h"
#include "aclnnop/aclnn_matmul_reduce_scatter.h"
#include "aclnnop/aclnn_moe_distribute_combine.h"
#include "aclnnop/aclnn_moe_distribute_combine_v2.h"
#include "aclnnop/aclnn_moe_distribute_dispatch.h"
#include "aclnnop/aclnn_moe_distribute_dispatch_v2.h"
#include "davsim/system_call.h"
#include "hccl/hccl.h"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// A tensor on the device of the calling thread.
class DeviceTensor {
 public:
  template <class T>
  DeviceTensor(aclDataType type, Shape shape, const std::vector<T>& values)
      : bytes_(static_cast<std::size_t>(count(shape)) * sizeof(T)), shape_(std::move(shape)) {
    EXPECT_EQ(static_cast<std::size_t>(count(shape_)), values.size());
    EXPECT_EQ(aclrtMalloc(&data_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpy(data_, bytes_, values.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_SUCCESS);
    tensor_ = aclCreateTensor(shape_.data(), shape_.size(), type, nullptr, 0, ACL_FORMAT_ND,
                              shape_.data(), shape_.size(), data_);
  }
  ~DeviceTensor() {
    aclDestroyTensor(tensor_);
    aclrtFree(data_);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  operator aclTensor*() const { return tensor_; }
  /// The same matrix where rows are stored as columns.
  aclTensor* transposed() const {
    const Shape view = {shape_[1], shape_[0]}, strides = {1, shape_[1]};
    return aclCreateTensor(view.data(), 2, ACL_FLOAT16, strides.data(), 0, ACL_FORMAT_ND,
                           shape_.data(), 2, data_);
  }
  template <class T>
  std::vector<T> values() const {
    std::vector<T> all(bytes_ / sizeof(T));
    EXPECT_EQ(aclrtMemcpy(all.data(), bytes_, data_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return all;
  }

 private:
  std::size_t bytes_;
  Shape shape_;
  void* data_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

using Half = std::uint16_t;
std::vector<Half> halves(const Shape& shape, const std::function<float(std::int64_t)>& value) {
  std::vector<Half> all;
  for (std::int64_t i = 0; i < count(shape); ++i) all.push_back(aclFloatToFloat16(value(i)));
  return all;
}
DeviceTensor real(const Shape& shape, const std::function<float(std::int64_t)>& value) {
  return {ACL_FLOAT16, shape, halves(shape, value)};
}
DeviceTensor words(aclDataType type, const Shape& shape) {
  return {type, shape, std::vector<std::int32_t>(static_cast<std::size_t>(count(shape)), 0)};
}
std::vector<float> floats(const DeviceTensor& tensor) {
  std::vector<float> all;
  for (const Half value : tensor.values<Half>()) all.push_back(aclFloat16ToFloat(value));
  return all;
}

using Second = aclnnStatus (*)(void*, std::uint64_t, aclOpExecutor*, aclrtStream);

/// A rank's thread.
struct Rank {
  std::int32_t number = 0;
  std::string group;
  aclrtStream stream = nullptr;

  /// The second phase, and what follows it in programs.
  void run(Second second, aclnnStatus first, std::uint64_t bytes, aclOpExecutor* executor) const {
    ASSERT_EQ(first, ACL_SUCCESS) << error_text();
    void* workspace = nullptr;
    if (bytes > 0) {
      ASSERT_EQ(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    }
    ASSERT_EQ(second(workspace, bytes, executor, stream), ACL_SUCCESS) << error_text();
    ASSERT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 100000), ACL_SUCCESS) << error_text();
    if (workspace != nullptr) aclrtFree(workspace);
  }
};

/// Runs `body` in a thread for each of these devices of a system, the first of them rank 0.
void on_devices(const char* system, std::vector<std::int32_t> devices,
                const std::function<void(const Rank&)>& body) {
  setenv("DAVSIM_SYSTEM", system, 1);
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  const auto ranks = static_cast<std::int32_t>(devices.size());
  std::vector<HcclComm> comms(devices.size());
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclCommInitAll(static_cast<std::uint32_t>(ranks), devices.data(), comms.data()),
            HCCL_SUCCESS)
      << error_text();
  std::vector<std::thread> threads;
  for (std::int32_t number = 0; number < ranks; ++number) {
    threads.emplace_back([&, number] {
      Rank rank{number, {}, nullptr};
      char name[COMM_NAME_MAX_LENGTH] = "";
      ASSERT_EQ(HcclGetCommName(comms[static_cast<std::size_t>(number)], name), HCCL_SUCCESS);
      rank.group = name;
      ASSERT_EQ(aclrtSetDevice(devices[static_cast<std::size_t>(number)]), ACL_SUCCESS);
      ASSERT_EQ(aclrtCreateStream(&rank.stream), ACL_SUCCESS);
      body(rank);
      ASSERT_EQ(aclrtDestroyStream(rank.stream), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (HcclComm comm : comms) EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

void on_ranks(const char* system, std::int32_t ranks,
              const std::function<void(const Rank&)>& body) {
  std::vector<std::int32_t> devices(static_cast<std::size_t>(ranks));
  std::iota(devices.begin(), devices.end(), 0);
  on_devices(system, std::move(devices), body);
}

constexpr std::int64_t kTokens = 4, kWidth = 64, kExperts = 4, kTopK = 2, kWorld = 2;

/// Tensors of a dispatch and of the combine behind it.
struct Tokens {
  explicit Tokens(std::int64_t rank)
      : x(real({kTokens, kWidth},
               [&](std::int64_t i) { return static_cast<float>(rank * 16 + i % 16); })),
        ids(ACL_INT32, {kTokens, kTopK},
            std::vector<std::int32_t>{0, 1, 2, 3, 1, 2, static_cast<std::int32_t>(3 * rank),
                                      1 + static_cast<std::int32_t>(rank)}),
        weights(ACL_FLOAT, {kTokens, kTopK}, std::vector<float>{.25F, .75F, .5F, .5F, 1, 1, 2, 1}) {
  }

  static constexpr std::int64_t kRows = kTokens * kWorld * 2;
  static constexpr std::int64_t kCounts = kExperts + 2 * kTokens * kWorld * kTopK;
  DeviceTensor x, ids, weights;
  DeviceTensor expand_x = real({kRows, kWidth}, [](std::int64_t) { return -1.0F; });
  DeviceTensor info = words(ACL_INT32, {kRows * 128}), index = words(ACL_INT32, {kTokens * kTopK});
  DeviceTensor scales = words(ACL_FLOAT, {kRows}), expand_scales = words(ACL_FLOAT, {kRows});
  DeviceTensor nums{ACL_INT64, {kExperts / kWorld}, std::vector<std::int64_t>(2)};
  DeviceTensor counts = words(ACL_INT32, {kCounts}), tp_counts = words(ACL_INT32, {1});
  DeviceTensor out = real({kTokens, kWidth}, [](std::int64_t) { return -1.0F; });

  /// Each token comes back times the sum of its weights, because the experts change nothing.
  void expect_back() const {
    const std::vector<float> in = floats(x), back = floats(out);
    const std::vector<float> weight = weights.values<float>();
    for (std::int64_t i = 0; i < kTokens * kWidth; ++i) {
      const auto row = static_cast<std::size_t>(i / kWidth * kTopK);
      const float sum = weight[row] + weight[row + 1];
      ASSERT_EQ(back[static_cast<std::size_t>(i)], sum * in[static_cast<std::size_t>(i)]) << i;
    }
  }
};

void dispatch_and_combine(const Rank& rank) {
  const Tokens t(rank.number);
  const char* const group = rank.group.c_str();
  std::uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  aclnnStatus status = aclnnMoeDistributeDispatchV2GetWorkspaceSize(
      t.x, t.ids, nullptr, nullptr, t.weights, group, kWorld, rank.number, kExperts, "", 1, 0, 0, 1,
      0, 0, 0, 1, nullptr, t.expand_x, t.scales, t.info, t.nums, t.counts, t.tp_counts,
      t.expand_scales, &bytes, &executor);
  rank.run(aclnnMoeDistributeDispatchV2, status, bytes, executor);
  // Expert 0 has tokens of ranks 0 and 0, expert 1 of 0, 0, 1 and 1.
  const std::vector<std::int64_t> expected =
      rank.number == 0 ? std::vector<std::int64_t>{3, 5} : std::vector<std::int64_t>{5, 3};
  EXPECT_EQ(t.nums.values<std::int64_t>(), expected);
  status = aclnnMoeDistributeCombineV2GetWorkspaceSize(
      t.expand_x, t.ids, t.info, t.counts, t.weights, t.tp_counts, nullptr, nullptr, nullptr,
      nullptr, t.expand_scales, nullptr, group, kWorld, rank.number, kExperts, "", 1, 0, 0, 1, 0, 0,
      0, 0, 0, nullptr, t.out, &bytes, &executor);
  rank.run(aclnnMoeDistributeCombineV2, status, bytes, executor);
  t.expect_back();
}

TEST(SystemOperatorsTest, DispatchAndCombineRunFromAThreadForEachRank) {
  on_ranks("atlas_a2_server:2", kWorld, dispatch_and_combine);
}

TEST(SystemOperatorsTest, TheFirstVersionsOfDispatchAndCombineRun) {
  on_ranks("atlas_a2_server:2", kWorld, [](const Rank& rank) {
    const Tokens t(rank.number);
    const char* const group = rank.group.c_str();
    std::uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status = aclnnMoeDistributeDispatchGetWorkspaceSize(
        t.x, t.ids, nullptr, nullptr, t.weights, group, kWorld, rank.number, kExperts, nullptr, 0,
        0, 0, 1, 0, 0, 0, 1, t.expand_x, nullptr, t.index, t.nums, t.counts, nullptr,
        t.expand_scales, &bytes, &executor);
    rank.run(aclnnMoeDistributeDispatch, status, bytes, executor);
    status = aclnnMoeDistributeCombineGetWorkspaceSize(
        t.expand_x, t.ids, t.index, t.counts, t.weights, nullptr, nullptr, nullptr, nullptr,
        nullptr, t.expand_scales, group, kWorld, rank.number, kExperts, nullptr, 0, 0, 0, 1, 0, 0,
        0, 0, 0, t.out, &bytes, &executor);
    rank.run(aclnnMoeDistributeCombine, status, bytes, executor);
    t.expect_back();
  });
}

constexpr std::int64_t kRows = 32, kInner = 64, kColumns = 48;

/// Row i of the left factor is (rank + 1) at i, the right factor counts.
float left_value(std::int64_t rank, std::int64_t i) {
  return i / kInner == i % kInner ? static_cast<float>(rank + 1) : 0;
}
float right_value(std::int64_t i) {
  return static_cast<float>(i / kColumns + i % kColumns);
}

TEST(SystemOperatorsTest, ProductsAreSummedUpOverRanks) {
  on_ranks("ascend_910c", 2, [](const Rank& rank) {
    const DeviceTensor left =
        real({2, kRows / 2, kInner}, [&](std::int64_t i) { return left_value(rank.number, i); });
    const DeviceTensor right = real({kInner, kColumns}, right_value);
    const DeviceTensor out = real({2, kRows / 2, kColumns}, [](std::int64_t) { return -1.0F; });
    std::uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = aclnnMatmulAllReduceGetWorkspaceSize(
        left, right, nullptr, rank.group.c_str(), "sum", 0, 1, out, &bytes, &executor);
    rank.run(aclnnMatmulAllReduce, status, bytes, executor);
    const std::vector<float> sum = floats(out);
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
      ASSERT_EQ(sum[static_cast<std::size_t>(i)], 3 * right_value(i)) << i;
    }
  });
}

void gather_and_share_out(const Rank& rank) {
  const DeviceTensor left =
      real({kRows, kInner}, [&](std::int64_t i) { return left_value(rank.number, i); });
  // Stored by columns: element (k, n) lies at n * kInner + k.
  const DeviceTensor stored = real({kColumns, kInner}, [](std::int64_t i) {
    return right_value(i % kInner * kColumns + i / kInner);
  });
  aclTensor* const right = stored.transposed();
  const DeviceTensor all = real({2 * kRows, kColumns}, [](std::int64_t) { return -1.0F; });
  const DeviceTensor gathered = real({2 * kRows, kInner}, [](std::int64_t) { return -1.0F; });
  const DeviceTensor part = real({kRows / 2, kColumns}, [](std::int64_t) { return -1.0F; });
  std::uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const char* const group = rank.group.c_str();
  aclnnStatus status = aclnnAllGatherMatmulGetWorkspaceSize(left, right, nullptr, group, 0, 0, 1,
                                                            all, gathered, &bytes, &executor);
  rank.run(aclnnAllGatherMatmul, status, bytes, executor);
  const std::vector<float> products = floats(all), rows = floats(gathered);
  for (std::int64_t i = 0; i < 2 * kRows * kColumns; ++i) {
    const std::int64_t of = i / (kRows * kColumns);
    const float expected = static_cast<float>(of + 1) * right_value(i % (kRows * kColumns));
    ASSERT_EQ(products[static_cast<std::size_t>(i)], expected) << i;
  }
  ASSERT_EQ(rows[0], 1);
  ASSERT_EQ(rows[static_cast<std::size_t>(kRows * kInner)], 2);
  status = aclnnMatmulReduceScatterGetWorkspaceSize(left, right, nullptr, group, "sum", 0, 1, part,
                                                    &bytes, &executor);
  rank.run(aclnnMatmulReduceScatter, status, bytes, executor);
  const std::vector<float> sums = floats(part);
  for (std::int64_t i = 0; i < kRows / 2 * kColumns; ++i) {
    const std::int64_t at = rank.number * kRows / 2 * kColumns + i;
    ASSERT_EQ(sums[static_cast<std::size_t>(i)], 3 * right_value(at)) << i;
  }
  aclDestroyTensor(right);
}

TEST(SystemOperatorsTest, RowsAreGatheredBeforeTheProductAndSumsAreSharedOutBehindIt) {
  on_ranks("ascend_910c", 2, gather_and_share_out);
}

TEST(SystemOperatorsTest, RanksAreWhateverDevicesTheCommunicatorHas) {
  on_devices("atlas_a2_server:4", {3, 1}, [](const Rank& rank) {
    gather_and_share_out(rank);
    dispatch_and_combine(rank);
  });
}

TEST(SystemOperatorsTest, WhatIsWrongIsSaidByTheFirstPhase) {
  on_ranks("ascend_910c", 2, [](const Rank& rank) {
    const DeviceTensor left = real({kRows, kInner}, [](std::int64_t) { return 1.0F; });
    const DeviceTensor right = real({kInner, kColumns}, right_value);
    const DeviceTensor out = real({kRows, kColumns}, [](std::int64_t) { return 0.0F; });
    const DeviceTensor whole = words(ACL_INT32, {kInner, kColumns});
    const char* const group = rank.group.c_str();
    std::uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    const auto prepare = [&](const aclTensor* x2, const aclTensor* bias, const char* in,
                             const char* op, std::int64_t mode) {
      return aclnnMatmulAllReduceGetWorkspaceSize(left, x2, bias, in, op, 0, mode, out, &bytes,
                                                  &executor);
    };
    EXPECT_EQ(prepare(nullptr, nullptr, group, "sum", 1), ACLNN_ERR_PARAM_NULLPTR);
    EXPECT_EQ(prepare(whole, nullptr, group, "sum", 1), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(prepare(left, nullptr, group, "sum", 1), ACLNN_ERR_PARAM_INVALID);
    EXPECT_NE(error_text().find("K is the same"), std::string::npos);
    EXPECT_EQ(prepare(right, nullptr, "another", "sum", 1), ACLNN_ERR_PARAM_INVALID);
    EXPECT_NE(error_text().find("'another'"), std::string::npos);
    EXPECT_EQ(prepare(right, nullptr, group, "max", 1), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(prepare(right, nullptr, group, "sum", 2), ACLNN_ERR_PARAM_INVALID);
    // An executor is one of its function, and serves once.
    ASSERT_EQ(prepare(right, nullptr, group, "sum", 1), ACL_SUCCESS) << error_text();
    EXPECT_EQ(aclnnMatmulReduceScatter(nullptr, bytes, executor, rank.stream),
              ACLNN_ERR_PARAM_INVALID);
    aclOpExecutor* const used = executor;
    rank.run(aclnnMatmulAllReduce, ACL_SUCCESS, bytes, executor);
    EXPECT_EQ(aclnnMatmulAllReduce(nullptr, bytes, used, rank.stream),
              ACLNN_ERR_INNER_CREATE_EXECUTOR);
  });
}

TEST(SystemRequestsTest, WhatIsNoRequestIsRefused) {
  setenv("DAVSIM_SYSTEM", "atlas_a2_server:4", 1);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const char* outputs = nullptr;
  for (const char* request :
       {"", "{", "[]", "{}", R"({"operator": 1, "group": "", "attributes": {}, "tensors": []})",
        R"({"operator": "npu_mm_all_reduce_base", "group": "", "attributes": {}, "tensors": [{}]})",
        R"({"operator": "x", "group": "", "attributes": {}, "tensors": [{"name": "x", "type": 1,
            "shape": [-1, 2.5], "address": 0}]})"}) {
    EXPECT_EQ(davsim_system_outputs(request, &outputs), ACL_ERROR_INVALID_PARAM) << request;
    EXPECT_EQ(davsim_system_call(request, nullptr), ACL_ERROR_INVALID_PARAM) << request;
  }
  EXPECT_EQ(davsim_system_outputs(nullptr, &outputs), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(davsim_system_outputs("{}", nullptr), ACL_ERROR_INVALID_PARAM);
  const char* nobody = R"({"operator": "npu_mm_all_reduce_base", "group": "nobody",
                           "attributes": {}, "tensors": []})";
  EXPECT_EQ(davsim_system_outputs(nobody, &outputs), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(error_text().find("'nobody' is no communicator"), std::string::npos);
}

}  // namespace
}  // namespace davsim::test
