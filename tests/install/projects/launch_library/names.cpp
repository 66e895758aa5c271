// Headers and names that host programs have beside launches and memory.
#include <acl/acl.h>
#include <acl/acl_base_rt.h>
#include <acl/acl_dump.h>
#include <acl/acl_prof.h>
#include <mstx/ms_tools_ext.h>

#include <cstring>
#include <vector>

#include "acl/error_codes/rt_error_codes.h"
#include "aclnn/aclnn_base.h"
#include "dlog_pub.h"
#include "experiment/runtime/runtime/rt_ffts.h"
#include "graph/utils/type_utils.h"
#include "kernel_tiling/kernel_tiling.h"
#include "runtime/rt_ffts.h"
#include "securec.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "toolchain/slog.h"

/// The number of calls that give something else than they should.
int names() {
  int wrong = 0;
  uint64_t address = 0;
  uint32_t length = 0, cores = 0;
  const rtError_t found = rtGetC2cCtrlAddr(&address, &length);
  wrong += found != RT_ERROR_NONE || address == 0;
  wrong += aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores) != 0 || cores != 40;
  auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
  wrong += platform->GetCoreNumAiv() != cores;
  TCubeTiling tiling{};
  tiling.usedCoreNum = 1;
  wrong += tiling.usedCoreNum != 1;

  // This file has the older layout of strings.
  static_assert(_GLIBCXX_USE_CXX11_ABI == 0, "the build file says so");
  optiling::TCubeTiling data;
  matmul_tiling::MatmulApiTiling product(*platform);
  product.SetShape(64, 64, 64);
  product.SetOrgShape(64, 64, 64);
  wrong += product.GetTiling(data) == -1 || data.get_M() != 64;
  std::vector<char> bytes(data.GetDataSize());
  data.SaveToBuffer(bytes.data(), bytes.size());
  std::memcpy(&tiling, bytes.data(), sizeof tiling);
  wrong += sizeof tiling != bytes.size() || tiling.N != 64;
  wrong += !ge::TypeUtils::GetDataTypeLength(ge::DT_BF16, length) || length != 2;
  wrong += ge::TypeUtils::DataTypeToSerialString(ge::DT_INT8) != "DT_INT8";

  char text[8];
  wrong += memset_s(text, sizeof text, 1, sizeof text) != EOK;
  wrong += strcpy_s(text, sizeof text, "12345678") == EOK || text[0] != 0;
  wrong += strcpy_s(text, sizeof text, "123") != EOK || strcat_s(text, sizeof text, "4") != EOK;
  wrong += std::strcmp(text, "1234") != 0;
  wrong += memcpy_s(text, 4, "12345", 5) != ERANGE_AND_RESET || text[3] != 0;
  wrong += snprintf_s(text, sizeof text, sizeof text - 1, "%d", 42) != 2;
  wrong += sprintf_s(text, sizeof text, "%d", 123456789) != -1;
  dlog_error(OP, "not shown: %d", wrong);
  ACL_APP_LOG(ACL_ERROR, "not shown: %d", wrong);

  uint32_t devices[1] = {0};
  aclprofConfig* profile =
      aclprofCreateConfig(devices, 1, ACL_AICORE_PIPE_UTILIZATION, nullptr, ACL_PROF_TASK_TIME);
  wrong += aclprofInit("prof", 4) + aclprofStart(profile) + aclprofStop(profile);
  wrong += aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "15", 2);
  aclprofStepInfo* step = aclprofCreateStepInfo();
  wrong += aclprofGetStepTimestamp(step, ACL_STEP_START, nullptr);
  wrong += aclprofGetStepTimestamp(nullptr, ACL_STEP_END, nullptr) == 0;
  aclprofDestroyStepInfo(step);
  wrong += aclprofDestroyConfig(profile) + aclprofFinalize();
  wrong += acldumpRegCallback([](const acldumpChunk*, int32_t) { return 0; }, 0);
  wrong += acldumpRegCallback(nullptr, 0) == 0 || acldumpGetPath(DATA_DUMP) != nullptr;
  acldumpUnregCallback();
  // Marks in a profile, which need no library.
  mstxMarkA("mark", nullptr);
  mstxDomainHandle_t domain = mstxDomainCreateA("domain");
  mstxRangeId range = mstxRangeStartA("range", nullptr);
  mstxRangeId inner = mstxDomainRangeStartA(domain, "inner", nullptr);
  wrong += range == MSTX_INVALID_RANGE_ID || inner == MSTX_INVALID_RANGE_ID;
  mstxDomainRangeEnd(domain, inner);
  mstxRangeEnd(range);
  mstxDomainDestroy(domain);
  aclopAttr* attribute = aclopCreateAttr();
  wrong += aclopSetAttrFloat(attribute, "alpha", 1.0f);
  aclopDestroyAttr(attribute);

  // A code stays until it is asked for, and directions are taken from pointers.
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  wrong += aclrtFree(nullptr) != ACL_ERROR_INVALID_PARAM;
  wrong += aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) != ACL_ERROR_INVALID_PARAM;
  wrong += aclrtGetLastError(ACL_RT_THREAD_LEVEL) != ACL_ERROR_INVALID_PARAM;
  wrong += aclrtGetLastError(ACL_RT_THREAD_LEVEL) != 0;
  int32_t active = 0;
  uint32_t flags = 1;
  wrong += aclrtGetPrimaryCtxState(0, &flags, &active) != 0 || active != 1;
  float from[2] = {1, 2}, to[2] = {0, 0};
  void *targets[] = {&to[0], &to[1]}, *sources[] = {&from[1], &from[0]};
  size_t sizes[] = {4, 4}, most[] = {4, 4}, failed = 0;
  wrong += aclrtMemcpyBatch(targets, most, sources, sizes, 2, nullptr, nullptr, 0, &failed);
  wrong += to[0] != 2 || to[1] != 1;
  sizes[1] = 8;
  wrong += aclrtMemcpyBatch(targets, most, sources, sizes, 2, nullptr, nullptr, 0, &failed) == 0;
  wrong += failed != 1;
  return wrong;
}
