// Profiling and dumps by calls, which do nothing: DAVSIM_MSPROF and DumpTensor take their place.
#include <new>

#include "acl/acl_dump.h"
#include "acl/acl_prof.h"
#include "runtime/core/api_error.hpp"

using namespace davsim::runtime;

struct aclprofConfig {
  uint64_t data;
};
struct aclprofStepInfo {};

aclError aclmdlInitDump() {
  return ACL_SUCCESS;
}

aclError aclmdlSetDump(const char*) {
  return ACL_SUCCESS;
}

aclError aclmdlFinalizeDump() {
  return ACL_SUCCESS;
}

aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk*, int32_t),
                            int32_t) {
  return api_call("acldumpRegCallback", [&] {
    require_pointer(reinterpret_cast<const void*>(messageCallback), "messageCallback");
  });
}

void acldumpUnregCallback() {}

const char* acldumpGetPath(acldumpType) {
  return nullptr;
}

aclError aclopStartDumpArgs(uint32_t, const char* path) {
  return api_call("aclopStartDumpArgs", [&] { require_pointer(path, "path"); });
}

aclError aclopStopDumpArgs(uint32_t) {
  return ACL_SUCCESS;
}

aclError aclprofInit(const char* profilerResultPath, size_t) {
  return api_call("aclprofInit",
                  [&] { require_pointer(profilerResultPath, "profilerResultPath"); });
}

aclError aclprofFinalize() {
  return ACL_SUCCESS;
}

aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums,
                                   aclprofAicoreMetrics, const aclprofAicoreEvents*,
                                   uint64_t dataTypeConfig) {
  aclprofConfig* config = nullptr;
  api_call("aclprofCreateConfig", [&] {
    if (deviceNums > 0) require_pointer(deviceIdList, "deviceIdList");
    config = new aclprofConfig{dataTypeConfig};
  });
  return config;
}

aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig) {
  return api_call("aclprofDestroyConfig", [&] {
    require_pointer(profilerConfig, "profilerConfig");
    delete profilerConfig;
  });
}

aclError aclprofSetConfig(aclprofConfigType, const char* config, size_t) {
  return api_call("aclprofSetConfig", [&] { require_pointer(config, "config"); });
}

aclError aclprofStart(const aclprofConfig* profilerConfig) {
  return api_call("aclprofStart", [&] { require_pointer(profilerConfig, "profilerConfig"); });
}

aclError aclprofStop(const aclprofConfig* profilerConfig) {
  return api_call("aclprofStop", [&] { require_pointer(profilerConfig, "profilerConfig"); });
}

void* aclprofCreateStamp() {
  static int stamp;  // one serves all: nothing is kept of them
  return &stamp;
}

void aclprofDestroyStamp(void*) {}

aclError aclprofSetStampTraceMessage(void* stamp, const char*, uint32_t) {
  return api_call("aclprofSetStampTraceMessage", [&] { require_pointer(stamp, "stamp"); });
}

aclError aclprofMark(void* stamp) {
  return api_call("aclprofMark", [&] { require_pointer(stamp, "stamp"); });
}

aclError aclprofPush(void* stamp) {
  return api_call("aclprofPush", [&] { require_pointer(stamp, "stamp"); });
}

aclError aclprofPop() {
  return ACL_SUCCESS;
}

aclError aclprofRangeStart(void* stamp, uint32_t* rangeId) {
  return api_call("aclprofRangeStart", [&] {
    require_pointer(stamp, "stamp");
    require_pointer(rangeId, "rangeId");
    *rangeId = 0;
  });
}

aclError aclprofRangeStop(uint32_t) {
  return ACL_SUCCESS;
}

aclError aclprofSetStampTagName(void* stamp, const char* tagName, uint16_t) {
  return api_call("aclprofSetStampTagName", [&] {
    require_pointer(stamp, "stamp");
    require_pointer(tagName, "tagName");
  });
}

aclError aclprofSetCategoryName(uint32_t, const char* categoryName) {
  return api_call("aclprofSetCategoryName", [&] { require_pointer(categoryName, "categoryName"); });
}

aclError aclprofSetStampCategory(void* stamp, uint32_t) {
  return api_call("aclprofSetStampCategory", [&] { require_pointer(stamp, "stamp"); });
}

aclError aclprofSetStampPayload(void* stamp, const int32_t, void* value) {
  return api_call("aclprofSetStampPayload", [&] {
    require_pointer(stamp, "stamp");
    require_pointer(value, "value");
  });
}

aclError aclprofMarkEx(const char* msg, size_t, aclrtStream) {
  return api_call("aclprofMarkEx", [&] { require_pointer(msg, "msg"); });
}

aclprofStepInfo* aclprofCreateStepInfo() {
  return new (std::nothrow) aclprofStepInfo();
}

void aclprofDestroyStepInfo(aclprofStepInfo* stepinfo) {
  delete stepinfo;
}

aclError aclprofGetStepTimestamp(aclprofStepInfo* stepInfo, aclprofStepTag, aclrtStream) {
  return api_call("aclprofGetStepTimestamp", [&] { require_pointer(stepInfo, "stepInfo"); });
}
