// Operators by name, which davsim does not have.
#include "acl/acl_op_compiler.h"
#include "runtime/core/api_error.hpp"

using namespace davsim::runtime;

namespace {

aclError refused(const char* function) {
  return api_call(function, [] {
    throw ApiError(ACL_ERROR_API_NOT_SUPPORT,
                   "there are no operators by name; call an operator of a project by its aclnn "
                   "function");
  });
}

}  // namespace

aclError aclopSetModelDir(const char*) {
  return refused("aclopSetModelDir");
}

aclopAttr* aclopCreateAttr() {
  refused("aclopCreateAttr");
  return nullptr;
}

void aclopDestroyAttr(const aclopAttr*) {}

aclError aclopExecuteV2(const char*, int, aclTensorDesc**, aclDataBuffer**, int, aclTensorDesc**,
                        aclDataBuffer**, aclopAttr*, aclrtStream) {
  return refused("aclopExecuteV2");
}

aclError aclopCompileAndExecute(const char*, int, const aclTensorDesc* const*,
                                const aclDataBuffer* const*, int, const aclTensorDesc* const*,
                                aclDataBuffer* const*, const aclopAttr*, aclopEngineType,
                                aclopCompileType, const char*, aclrtStream) {
  return refused("aclopCompileAndExecute");
}

aclError aclSetCompileopt(aclCompileOpt, const char*) {
  return ACL_SUCCESS;
}
