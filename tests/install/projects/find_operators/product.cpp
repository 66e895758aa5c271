// A product of 200 x 96 by 96 x 160 with a bias, added to what c holds.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn_product_custom.h"

namespace {

const int64_t kM = 200, kN = 160, kK = 96;

template <class T>
aclTensor* tensor(std::vector<int64_t> shape, aclDataType type, const std::vector<T>& values,
                  void*& device) {
  const size_t size = values.size() * sizeof(T);
  if (aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST) != 0) return nullptr;
  aclrtMemcpy(device, size, values.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
  return aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, ACL_FORMAT_ND, shape.data(),
                         shape.size(), device);
}

}  // namespace

int main() {
  const uint16_t halves[] = {0x0000, 0x3c00, 0x4000, 0xbc00};  // 0, 1, 2, -1
  const float numbers[] = {0, 1, 2, -1};
  std::vector<uint16_t> a(kM * kK), b(kK * kN);
  for (size_t i = 0; i < a.size(); ++i) a[i] = halves[i * 7 / 3 % 4];
  for (size_t i = 0; i < b.size(); ++i) b[i] = halves[i * 5 / 4 % 4];
  std::vector<float> bias(kN), c(kM * kN, 100.0f);
  for (size_t i = 0; i < bias.size(); ++i) bias[i] = float(i % 9);
  aclrtStream stream = nullptr;
  void* at[4] = {};
  int wrong = aclInit(nullptr) + aclrtSetDevice(0) + aclrtCreateStream(&stream);
  aclTensor *left = tensor({kM, kK}, ACL_FLOAT16, a, at[0]),
            *right = tensor({kK, kN}, ACL_FLOAT16, b, at[1]),
            *row = tensor({kN}, ACL_FLOAT, bias, at[2]),
            *out = tensor({kM, kN}, ACL_FLOAT, c, at[3]);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
  wrong += aclnnProductCustomGetWorkspaceSize(left, right, row, 0.25, out, &bytes, &executor);
  wrong += aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  wrong += aclnnProductCustom(workspace, bytes, executor, stream);
  wrong += aclrtSynchronizeStream(stream);
  wrong += aclrtMemcpy(c.data(), c.size() * 4, at[3], c.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST);
  size_t right_ones = 0;
  for (int64_t i = 0; i < kM; ++i) {
    for (int64_t j = 0; j < kN; ++j) {
      float sum = 100 + bias[j];
      for (int64_t k = 0; k < kK; ++k) {
        sum += numbers[(i * kK + k) * 7 / 3 % 4] * numbers[(k * kN + j) * 5 / 4 % 4];
      }
      right_ones += c[i * kN + j] == sum;
    }
  }
  std::printf("%d, %zu sums are right\n", wrong, right_ones);
  return wrong;
}
