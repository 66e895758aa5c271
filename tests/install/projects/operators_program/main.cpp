#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
  // The same operator by its name.
  aclTensorDesc* desc[] = {aclCreateTensorDesc(ACL_FLOAT, 2, shape, ACL_FORMAT_ND)};
  aclDataBuffer *from[] = {aclCreateDataBuffer(y, size)}, *to[] = {aclCreateDataBuffer(x, size)};
  aclopAttr* attributes = aclopCreateAttr();
  if (std::getenv("ASCEND_OPP_PATH") != nullptr) {
    wrong += aclopExecuteV2("NegCustom", 1, desc, from, 1, desc, to, attributes, stream);
    std::vector<float> again(count);
    wrong += aclrtSynchronizeStream(stream);
    wrong += aclrtMemcpy(again.data(), size, x, size, ACL_MEMCPY_DEVICE_TO_HOST);
    for (size_t i = 0; i < count; ++i) wrong += again[i] != 3.5f;
    // Values of the description, and a list of lists that the tiling function reads.
    aclTensorDesc* constant[] = {aclCreateTensorDesc(ACL_FLOAT, 2, shape, ACL_FORMAT_ND)};
    aclDataBuffer* none[] = {aclCreateDataBuffer(nullptr, 0)};
    const std::vector<float> values(count, 1.5f);
    const int64_t twice = 2;
    const int64_t* const lists[] = {&twice};
    const int sizes[] = {1};
    wrong += aclSetTensorConst(constant[0], const_cast<float*>(values.data()), size);
    wrong += aclSetTensorConst(constant[0], again.data(), 8) != ACL_ERROR_INVALID_PARAM;
    wrong += aclopSetAttrListListInt(attributes, "times", 1, sizes, lists);
    wrong += aclopExecuteV2("NegCustom", 1, constant, none, 1, desc, to, attributes, stream);
    wrong += aclrtSynchronizeStream(stream);
    wrong += aclrtMemcpy(again.data(), size, x, size, ACL_MEMCPY_DEVICE_TO_HOST);
    for (size_t i = 0; i < count; ++i) wrong += again[i] != -3;
    const char* texts[] = {"a", "b"};
    wrong += aclopSetAttrListString(attributes, "times", 2, texts);
    wrong += aclopExecuteV2("NegCustom", 1, desc, from, 1, desc, to, attributes, stream) !=
             ACL_ERROR_OP_ATTR_NOT_MATCH;
    aclopDestroyAttr(attributes);
    attributes = aclopCreateAttr();
    // A buffer that is too small, and an operator that does not exist.
    aclDataBuffer* small[] = {aclCreateDataBuffer(x, 8)};
    wrong +=
        aclopCompileAndExecute("NegCustom", 1, desc, small, 1, desc, to, attributes, ACL_ENGINE_SYS,
                               ACL_COMPILE_SYS, nullptr, stream) != ACL_ERROR_OP_INPUT_NOT_MATCH;
    wrong += aclopExecuteV2("NoSuch", 1, desc, from, 1, desc, to, attributes, stream) !=
             ACL_ERROR_OP_NOT_FOUND;
  }
  std::printf("%d %g %g\n", wrong, host[0], host[count - 1]);
  return wrong;
}
