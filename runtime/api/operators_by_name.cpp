// Operators by name, which davsim does not have.
#include <new>

#include "acl/acl_op_compiler.h"
#include "runtime/core/api_error.hpp"

using namespace davsim::runtime;

struct aclopAttr {};

namespace {

aclError set_attribute(aclopAttr* attr, const char* name) {
  return api_call("aclopSetAttr", [&] {
    require_pointer(attr, "attr");
    require_pointer(name, "attrName");
  });
}

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
  return new (std::nothrow) aclopAttr();
}

void aclopDestroyAttr(const aclopAttr* attr) {
  delete attr;
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t) {
  return set_attribute(attr, attrName);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t) {
  return set_attribute(attr, attrName);
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float) {
  return set_attribute(attr, attrName);
}

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char*) {
  return set_attribute(attr, attrName);
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType) {
  return set_attribute(attr, attrName);
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int, const uint8_t*) {
  return set_attribute(attr, attrName);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int, const int64_t*) {
  return set_attribute(attr, attrName);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int, const float*) {
  return set_attribute(attr, attrName);
}

aclError aclopExecute(const char*, int, const aclTensorDesc* const*, const aclDataBuffer* const*,
                      int, const aclTensorDesc* const*, aclDataBuffer* const*, const aclopAttr*,
                      aclrtStream) {
  return refused("aclopExecute");
}

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
