// A host program that calls AddCustom by the functions that davsim generates: in a first phase it
// asks how much workspace the call needs, in a second one it queues the kernel on a stream.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn_add_custom.h"

#define CHECK(call)                                                              \
  do {                                                                           \
    const int code = (call);                                                     \
    if (code != 0) {                                                             \
      const char* text = aclGetRecentErrMsg();                                   \
      std::fprintf(stderr, "%s gives %d: %s\n", #call, code, text ? text : "?"); \
      return 1;                                                                  \
    }                                                                            \
  } while (0)

namespace {

const std::vector<int64_t> kShape = {8, 2048};
constexpr size_t kCount = 8 * 2048;
constexpr size_t kBytes = kCount * sizeof(float);

aclTensor* TensorOf(void* data) {
  return aclCreateTensor(kShape.data(), kShape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                         kShape.data(), kShape.size(), data);
}

}  // namespace

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));

  std::vector<float> x(kCount), y(kCount), z(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<float>(i % 100);
    y[i] = static_cast<float>(i % 7);
  }
  void* device[3] = {};
  for (void*& block : device) CHECK(aclrtMalloc(&block, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(device[0], kBytes, x.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK(aclrtMemcpy(device[1], kBytes, y.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
  aclTensor* tensors[3] = {TensorOf(device[0]), TensorOf(device[1]), TensorOf(device[2])};

  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  CHECK(aclnnAddCustomGetWorkspaceSize(tensors[0], tensors[1], 0.5, tensors[2], &bytes, &executor));
  void* workspace = nullptr;
  if (bytes > 0) CHECK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclnnAddCustom(workspace, bytes, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(z.data(), kBytes, device[2], kBytes, ACL_MEMCPY_DEVICE_TO_HOST));

  size_t wrong = 0;
  for (size_t i = 0; i < kCount; ++i) wrong += std::fabs(z[i] - (x[i] + 0.5f * y[i])) > 1e-6f;
  std::printf("%zu of %zu sums are right\n", kCount - wrong, kCount);

  for (aclTensor* tensor : tensors) aclDestroyTensor(tensor);
  for (void* block : device) CHECK(aclrtFree(block));
  if (workspace != nullptr) CHECK(aclrtFree(workspace));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return wrong == 0 ? 0 : 1;
}
