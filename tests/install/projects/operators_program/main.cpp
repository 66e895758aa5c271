#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "aclnn/acl_meta.h"
#include "aclnn_neg_custom.h"

int main() {
  const int64_t shape[] = {8, 2048};
  const size_t count = 8 * 2048, size = count * sizeof(float);
  std::vector<float> host(count, 3.5f);
  void *x = nullptr, *y = nullptr, *workspace = nullptr;
  aclrtStream stream = nullptr;
  int wrong = aclInit(nullptr) + aclrtSetDevice(0) + aclrtCreateStream(&stream) +
              aclrtMalloc(&x, size, ACL_MEM_MALLOC_HUGE_FIRST) +
              aclrtMalloc(&y, size, ACL_MEM_MALLOC_HUGE_FIRST) +
              aclrtMemcpy(x, size, host.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
  aclTensor* in = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, x);
  aclTensor* out = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, y);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  wrong += aclnnNegCustomGetWorkspaceSize(in, out, &bytes, &executor);
  if (wrong != 0) {
    const char* text = aclGetRecentErrMsg();
    std::printf("%d %s\n", wrong, text == nullptr ? "" : text);
    return 1;
  }
  wrong += aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  wrong += aclnnNegCustom(workspace, bytes, executor, stream);
  wrong += aclrtSynchronizeStream(stream);
  wrong += aclrtMemcpy(host.data(), size, y, size, ACL_MEMCPY_DEVICE_TO_HOST);
  std::printf("%d %g %g\n", wrong, host[0], host[count - 1]);
  return wrong;
}
