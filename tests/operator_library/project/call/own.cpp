// Calls functions that the project writes by hand, in op_api/.
#include <cmath>

#include "aclnn_add_custom.h"
#include "call/program.hpp"

using namespace program;

namespace {

aclrtStream g_stream = nullptr;

aclScalar* scalar(float value) {
  return aclCreateScalar(&value, ACL_FLOAT);
}

/// Views with strides and other types, twice with one executor.
void any_types() {
  std::vector<float> values(64);
  std::vector<int32_t> others(32);
  for (int i = 0; i < 64; ++i) values[static_cast<size_t>(i)] = 0.25f * static_cast<float>(i);
  for (int i = 0; i < 32; ++i) others[static_cast<size_t>(i)] = i - 7;
  const Block<float> x(values), z(std::vector<float>(100, -1));
  const Block<int32_t> y(others);
  // Columns 1 to 4 of 8 rows of 8, as 4 rows of 8; out has a column between its columns.
  aclTensor* self = x.tensor(ACL_FLOAT, {4, 8}, {1, 8}, 1);
  aclTensor* other = y.tensor(ACL_INT32, {4, 8});
  aclTensor* out = z.tensor(ACL_FLOAT, {4, 8}, {20, 2}, 3);
  aclScalar* alpha = scalar(0.5f);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  expect(aclnnAddCustomGetWorkspaceSize(self, other, alpha, out, &bytes, &executor) == 0, "types");
  // The view's elements, those of `other` as float, and the sum.
  expect(bytes == 3 * 512, "the workspace");
  expect(aclSetAclOpExecutorRepeatable(executor) == 0, "repeatable");
  const Workspace workspace(bytes);
  expect_refusal(161002, aclnnAddCustom(workspace.data, 512, executor, g_stream),
                 "the first phase asked for 1536");
  for (int i = 0; i < 2; ++i) {
    expect(aclnnAddCustom(workspace.data, bytes, executor, g_stream) == 0, "the second phase");
  }
  aclDestroyAclOpExecutor(executor);
  for (aclTensor* tensor : {self, other, out}) aclDestroyTensor(tensor);
  aclDestroyScalar(alpha);
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  const std::vector<float> found = z.values();
  std::vector<float> right(100, -1);
  for (size_t r = 0; r < 4; ++r) {
    for (size_t c = 0; c < 8; ++c) {
      right[3 + 20 * r + 2 * c] =
          values[1 + r + 8 * c] + 0.5f * static_cast<float>(others[8 * r + c]);
    }
  }
  expect(found == right, "sums of views");
}

void refused() {
  const Block<float> x(std::vector<float>(8, 1));
  const Block<double> d(std::vector<double>(8, 1));
  aclTensor* self = x.tensor(ACL_FLOAT, {8});
  aclTensor* wide = d.tensor(ACL_DOUBLE, {8});
  aclTensor* half = x.tensor(ACL_FLOAT, {4});
  aclScalar* alpha = scalar(1);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const auto first = [&](const aclTensor* a, const aclTensor* b, const aclTensor* out) {
    return aclnnAddCustomGetWorkspaceSize(a, b, alpha, out, &bytes, &executor);
  };
  expect_refusal(161001, first(self, nullptr, self), "other is a null pointer");
  expect_refusal(161002, first(self, wide, self), "other is DT_DOUBLE; it may be one of [DT_FL");
  expect_refusal(161002, first(self, half, self), "self has shape [8] and other has [4]");
  expect_refusal(161002, first(self, self, half), "out has shape [4] and not [8]");
  expect_refusal(161001, aclnnAddCustomGetWorkspaceSize(self, self, alpha, self, nullptr, nullptr),
                 "workspaceSize or executor is a null pointer");
  // What the generated function refuses.
  expect_refusal(161002, aclnnAddPlainGetWorkspaceSize(self, wide, 1, self, &bytes, &executor),
                 "the generated function returns 161002");
  expect(aclnnAddPlainGetWorkspaceSize(self, self, 3, self, &bytes, &executor) == 0 && bytes == 0,
         "the generated function");
  expect(aclnnAddPlain(nullptr, 0, executor, g_stream) == 0, "its second phase");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  expect(x.values() == std::vector<float>(8, 4), "x + 3 * x in place");
  for (aclTensor* tensor : {self, wide, half}) aclDestroyTensor(tensor);
  aclDestroyScalar(alpha);
}

void shifted() {
  std::vector<float> values(40), others(40);
  for (size_t i = 0; i < 40; ++i) {
    values[i] = static_cast<float>(i);
    others[i] = static_cast<float>(100 * i);
  }
  const Block<float> x(values), y(others), z(std::vector<float>(40));
  aclTensor* self = x.tensor(ACL_FLOAT, {5, 8});
  aclTensor* other = y.tensor(ACL_FLOAT, {5, 8});
  aclTensor* out = z.tensor(ACL_FLOAT, {8, 5});
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  expect(aclnnAddShiftedGetWorkspaceSize(self, other, 2, out, &bytes, &executor) == 0, "shifted");
  const Workspace workspace(bytes);
  expect(aclnnAddShifted(workspace.data, bytes, executor, g_stream) == 0, "shifted, run");
  expect(aclrtSynchronizeStream(g_stream) == 0, "the stream");
  std::vector<float> right(40);
  for (size_t r = 0; r < 5; ++r) {
    for (size_t c = 0; c < 8; ++c) {
      right[5 * c + r] = values[8 * r + c] + (r + 2 < 5 ? others[8 * (r + 2) + c] : 0);
    }
  }
  expect(z.values() == right, "sums of shifted rows");
  expect_refusal(561103, aclnnAddShiftedGetWorkspaceSize(self, other, 6, out, &bytes, &executor),
                 "leaves the tensor in dimension 0");
  expect_refusal(561003, aclnnAddShiftedGetWorkspaceSize(self, other, -1, out, &bytes, &executor),
                 "AddShifted would run on an AI CPU");
  for (aclTensor* tensor : {self, other, out}) aclDestroyTensor(tensor);
}

}  // namespace

int main() {
  expect(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0, "the device");
  expect(aclrtCreateStream(&g_stream) == 0, "a stream");
  any_types();
  refused();
  shifted();
  aclrtDestroyStream(g_stream);
  aclrtResetDevice(0);
  aclFinalize();
  std::printf("%d wrong\n", g_wrong);
  return g_wrong == 0 ? 0 : 1;
}
