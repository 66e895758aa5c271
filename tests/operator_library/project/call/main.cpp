// Calls the operators of the library `more` by their generated functions, right and wrong.
#include <algorithm>

#include "aclnn_join_custom.h"
#include "aclnn_mode_custom.h"
#include "aclnn_pick_custom.h"
#include "aclnn_scale_custom.h"
#include "call/program.hpp"

using namespace program;

namespace {

aclrtStream g_stream = nullptr;

/// A list with a view in it, an optional tensor, a tensor updated in place, an output that is
/// filled first.
void join() {
  const Block<int32_t> first({1, 2, 3}), second({10, 20}), offset({1000}), total({7});
  const Block<int32_t> pairs({1, 2, 3, 4, 5, 6});
  const Block<int64_t> sizes({-1, -1, -1});
  const aclTensor* parts[] = {first.tensor(ACL_INT32, {3}), second.tensor(ACL_INT32, {2}),
                              pairs.tensor(ACL_INT32, {3}, {2}, 1)};
  aclTensorList* list = aclCreateTensorList(parts, 3);
  aclTensor* total_tensor = total.tensor(ACL_INT32, {1});
  aclTensor* offset_tensor = offset.tensor(ACL_INT32, {1});
  aclTensor* sizes_tensor = sizes.tensor(ACL_INT64, {3});
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  for (aclTensor* optional : {static_cast<aclTensor*>(nullptr), offset_tensor}) {
    expect(aclnnJoinCustomGetWorkspaceSize(list, optional, total_tensor, sizes_tensor, &bytes,
                                           &executor) == 0,
           "first phase of JoinCustom");
    expect(bytes == 0, "JoinCustom needs no workspace");
    expect(aclnnJoinCustom(nullptr, 0, executor, g_stream) == 0, "JoinCustom");
  }
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(total.values()[0] == 7 + 48 + 48 + 1000, "the total in place");
  expect(sizes.values() == std::vector<int64_t>({3, 2, 3}), "sizes, filled with 0 first");
  expect_refusal(
      161001,
      aclnnJoinCustomGetWorkspaceSize(list, nullptr, nullptr, sizes_tensor, &bytes, &executor),
      "total is a null pointer");
  aclDestroyTensorList(list);
  for (aclTensor* tensor : {total_tensor, offset_tensor, sizes_tensor}) aclDestroyTensor(tensor);
}

/// A workspace, arrays as attributes, an executor that serves often, tiling keys that miss.
void mode() {
  const Block<int32_t> x({1, 2, 3, 4, 5, 6, 7, 8}), y(std::vector<int32_t>(8));
  const Block<int32_t> other({8, 7, 6, 5, 4, 3, 2, 1});
  aclTensor* in = x.tensor(ACL_INT32, {8});
  aclTensor* out = y.tensor(ACL_INT32, {8});
  const int64_t factors[] = {9, 5};
  aclIntArray* array = aclCreateIntArray(factors, 2);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  expect(aclnnModeCustomGetWorkspaceSize(in, 2, array, out, &bytes, &executor) == 0, "ModeCustom");
  expect(bytes == 32, "the workspace of ModeCustom");
  expect(aclSetAclOpExecutorRepeatable(executor) == 0, "repeatable");
  const Workspace workspace(bytes);
  expect_refusal(161002, aclnnModeCustom(workspace.data, 8, executor, g_stream),
                 "workspaceSize is 8");
  expect_refusal(161001, aclnnModeCustom(nullptr, bytes, executor, g_stream),
                 "workspace is a null pointer");
  expect(aclnnModeCustom(workspace.data, bytes, executor, g_stream) == 0, "second phase");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(y.values() == std::vector<int32_t>({5, 10, 15, 20, 25, 30, 35, 40}), "x times 5");
  expect(aclSetTensorAddr(executor, 0, in, other.data) == 0, "another address");
  expect(aclnnModeCustom(workspace.data, bytes, executor, g_stream) == 0, "second phase again");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(y.values()[0] == 40 && y.values()[7] == 5, "the other tensor times 5");
  const Block<int32_t> z(std::vector<int32_t>(8));
  aclTensorList* none = aclCreateTensorList(nullptr, 0);
  expect(aclSetInputTensorAddr(executor, 0, in, x.data) == 0, "the address of the input");
  expect(aclSetOutputTensorAddr(executor, 0, out, z.data) == 0, "the address of the output");
  expect(aclnnModeCustom(workspace.data, bytes, executor, g_stream) == 0, "second phase once more");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(z.values()[1] == 10, "x times 5 in another place");
  expect(aclSetInputTensorAddr(executor, 0, in, other.data) == 0, "the input of before");
  expect(aclSetOutputTensorAddr(executor, 0, out, y.data) == 0, "the output of before");
  expect_refusal(161002, aclSetInputTensorAddr(executor, 1, out, x.data), "at index 1");
  expect_refusal(161002, aclSetDynamicInputTensorAddr(executor, 7, 0, none, x.data),
                 "at index 7, 0 of its list");
  expect_refusal(561103, aclSetTensorAddr(executor, 0, nullptr, x.data), "tensor is a null");
  aclDestroyTensorList(none);
  expect(aclDestroyAclOpExecutor(executor) == 0, "destroying the executor");
  expect_refusal(561101, aclnnModeCustom(workspace.data, bytes, executor, g_stream),
                 "was used already");
  // Without the array its default holds.
  expect(aclnnModeCustomGetWorkspaceSize(in, 2, nullptr, out, &bytes, &executor) == 0, "default");
  expect(aclnnModeCustom(workspace.data, bytes, executor, g_stream) == 0, "default factor");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(y.values()[1] == 21, "the other tensor times 3");
  expect_refusal(561002, aclnnModeCustomGetWorkspaceSize(in, -1, array, out, &bytes, &executor),
                 "the tiling function of ModeCustom succeeds; it returned GRAPH_FAILED");
  expect_refusal(561003, aclnnModeCustomGetWorkspaceSize(in, 77, array, out, &bytes, &executor),
                 "it set 77");
  expect_refusal(161001, aclnnModeCustomGetWorkspaceSize(in, 2, array, out, nullptr, &executor),
                 "workspaceSize is a null pointer");
  expect_refusal(161001, aclnnModeCustom(nullptr, 0, nullptr, g_stream), "executor is a null");
  aclDestroyIntArray(array);
  for (aclTensor* tensor : {in, out}) aclDestroyTensor(tensor);
}

/// The vector cores that a tiling function learns of: the stream's limit before the device's.
void limited_cores() {
  const Block<int32_t> x({1}), y(std::vector<int32_t>(1));
  aclTensor* in = x.tensor(ACL_INT32, {1});
  aclTensor* out = y.tensor(ACL_INT32, {1});
  const auto cores = [&] {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    expect(aclnnModeCustomGetWorkspaceSize(in, 1, nullptr, out, &bytes, &executor) == 0, "limited");
    aclDestroyAclOpExecutor(executor);
    return bytes / sizeof(int32_t);
  };
  expect(cores() == 40, "all vector cores");
  expect(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 12) == 0, "the device's limit");
  expect(cores() == 12, "the cores of the device's limit");
  expect(aclrtSetStreamResLimit(g_stream, ACL_RT_DEV_RES_VECTOR_CORE, 6) == 0, "the stream's");
  expect(cores() == 12, "a stream's limit that the thread does not use");
  expect(aclrtUseStreamResInCurrentThread(g_stream) == 0, "using the stream's limit");
  expect(cores() == 6, "the cores of the stream's limit");
  expect(aclrtUnuseStreamResInCurrentThread(g_stream) == 0, "the stream's limit no more");
  expect(aclrtResetDeviceResLimit(0) == 0, "no limit");
  expect(cores() == 40, "all vector cores again");
  for (aclTensor* tensor : {in, out}) aclDestroyTensor(tensor);
}

/// Types that the operator does not have, memory of the host, a template's instance.
void scale() {
  const Block<int32_t> x({1, -2, 3, 4}), y(std::vector<int32_t>(4));
  aclTensor* in = x.tensor(ACL_INT32, {2, 2});
  aclTensor* out = y.tensor(ACL_INT32, {2, 2});
  aclTensor* real = x.tensor(ACL_FLOAT, {4});
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  expect(aclnnScaleCustomGetWorkspaceSize(in, 3, true, out, &bytes, &executor) == 0, "ScaleCustom");
  expect(aclnnScaleCustom(nullptr, bytes, executor, g_stream) == 0, "ScaleCustom");
  expect_refusal(561101, aclnnScaleCustom(nullptr, bytes, executor, g_stream), "used already");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(y.values() == std::vector<int32_t>({-3, 6, -9, -12}), "minus 3 x");
  expect_refusal(161002, aclnnScaleCustomGetWorkspaceSize(real, 3, true, out, &bytes, &executor),
                 "the types of ScaleCustom are x DT_INT32, y DT_INT32; found x DT_FLOAT, y "
                 "DT_INT32");
  int32_t host[4] = {};
  const int64_t four = 4;
  aclTensor* on_host =
      aclCreateTensor(&four, 1, ACL_INT32, nullptr, 0, ACL_FORMAT_ND, &four, 1, host);
  expect(aclnnScaleCustomGetWorkspaceSize(on_host, 3, true, out, &bytes, &executor) == 0, "host");
  expect_refusal(161002, aclnnScaleCustom(nullptr, bytes, executor, g_stream),
                 "x does not lie in memory of the device");
  const int64_t many = 4000;
  aclTensor* longer =
      aclCreateTensor(&many, 1, ACL_INT32, nullptr, 0, ACL_FORMAT_ND, &many, 1, x.data);
  expect(aclnnScaleCustomGetWorkspaceSize(longer, 3, true, out, &bytes, &executor) == 0, "longer");
  expect_refusal(361001, aclnnScaleCustom(nullptr, bytes, executor, g_stream), "16000");
  aclTensor* strided = x.tensor(ACL_INT32, {2, 2}, {1, 2});
  expect_refusal(161002, aclnnScaleCustomGetWorkspaceSize(strided, 3, true, out, &bytes, &executor),
                 "the tensor has strides");
  for (aclTensor* tensor : {in, out, real, on_host, longer, strided}) aclDestroyTensor(tensor);
}

/// Values that the host reads, as an array and as a tensor; a scalar; strides; strings and lists.
void pick() {
  // Of six by three elements the second column: 1, 4, 7, ...
  std::vector<float> numbers(18);
  for (int i = 0; i < 18; ++i) numbers[i] = static_cast<float>(i);
  const Block<float> x(numbers), y(std::vector<float>(3));
  const Block<int64_t> index({5, 0, 1});
  aclTensor* column = x.tensor(ACL_FLOAT, {6}, {3}, 1);
  aclTensor* out = y.tensor(ACL_FLOAT, {3});
  aclTensor* index_tensor = index.tensor(ACL_INT64, {3});
  const int64_t places[] = {5, 0, 1}, outside[] = {6};
  const bool flag_values[] = {true, false, true};
  const float scale_values[] = {10, 20};
  int32_t seven = 7;
  aclIntArray* array = aclCreateIntArray(places, 3);
  aclIntArray* wrong = aclCreateIntArray(outside, 1);
  aclBoolArray* flags = aclCreateBoolArray(flag_values, 3);
  aclFloatArray* scales = aclCreateFloatArray(scale_values, 2);
  aclScalar* addend = aclCreateScalar(&seven, ACL_INT32);
  char text[] = "four";
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  expect(aclnnPickCustomGetWorkspaceSize(column, array, addend, text, scales, flags, out, &bytes,
                                         &executor) == 0,
         "PickCustom");
  expect(aclnnPickCustom(nullptr, 0, executor, g_stream) == 0, "PickCustom");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  const float more = 7 + 4 + 30 + 2;
  expect(y.values() == std::vector<float>({16 + more, 1 + more, 4 + more}), "picked by an array");
  expect(aclnnPickCustomTensorGetWorkspaceSize(column, index_tensor, addend, nullptr, nullptr,
                                               flags, out, &bytes, &executor) == 0,
         "PickCustom with a tensor");
  expect(aclnnPickCustomTensor(nullptr, 0, executor, g_stream) == 0, "PickCustomTensor");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  const float less = 7 + 2 + 3 + 2;
  expect(y.values() == std::vector<float>({16 + less, 1 + less, 4 + less}), "picked by a tensor");
  expect_refusal(561002,
                 aclnnPickCustomGetWorkspaceSize(column, wrong, addend, text, scales, flags, out,
                                                 &bytes, &executor),
                 "GRAPH_FAILED");
  expect_refusal(161001,
                 aclnnPickCustomGetWorkspaceSize(column, array, addend, text, scales, nullptr, out,
                                                 &bytes, &executor),
                 "flags is a null pointer");
  aclDestroyIntArray(array);
  aclDestroyIntArray(wrong);
  aclDestroyBoolArray(flags);
  aclDestroyFloatArray(scales);
  aclDestroyScalar(addend);
  for (aclTensor* tensor : {column, out, index_tensor}) aclDestroyTensor(tensor);
}

/// Thousands of calls, and none that is waited for in between.
void often() {
  const Block<int32_t> x({1}), y(std::vector<int32_t>(1));
  aclTensor* in = x.tensor(ACL_INT32, {1});
  aclTensor* out = y.tensor(ACL_INT32, {1});
  for (int i = 0; i < 2000; ++i) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    expect(aclnnScaleCustomGetWorkspaceSize(in, 3, true, out, &bytes, &executor) == 0, "often");
    expect(aclnnScaleCustom(nullptr, bytes, executor, g_stream) == 0, "often");
  }
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(y.values()[0] == -3, "the last of many");
  for (aclTensor* tensor : {in, out}) aclDestroyTensor(tensor);
}

}  // namespace

int main(int argc, char** argv) {
  expect(aclInit(nullptr) == 0, "aclInit");
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const Sizes none;
  expect(aclrtSetDevice(0) == 0, "aclrtSetDevice");
  expect(aclrtCreateStream(&g_stream) == 0, "aclrtCreateStream");
  if (argc > 1 && std::strcmp(argv[1], "moved") == 0) {
    // Without the library of the kernels.
    expect_refusal(561112,
                   aclnnScaleCustomGetWorkspaceSize(nullptr, 3, true, nullptr, &bytes, &executor),
                   "is none of these files");
  } else {
    join();
    mode();
    limited_cores();
    scale();
    pick();
    often();
  }
  expect(aclrtDestroyStream(g_stream) == 0, "aclrtDestroyStream");
  expect(aclrtResetDevice(0) == 0, "aclrtResetDevice");
  expect(aclFinalize() == 0, "aclFinalize");
  if (g_wrong == 0) std::printf("all calls are right\n");
  return g_wrong == 0 ? 0 : 1;
}
