// Devices, contexts, streams, events and memory of the layer below AscendCL: each function is one
// of AscendCL, or a few.
#include <string>

#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/rt.h"

using namespace davsim::runtime;

rtError_t rtSetDevice(int32_t devId) {
  return aclrtSetDevice(devId);
}

rtError_t rtDeviceReset(int32_t devId) {
  return aclrtResetDevice(devId);
}

rtError_t rtGetDevice(int32_t* devId) {
  return aclrtGetDevice(devId);
}

rtError_t rtGetDeviceCount(int32_t* cnt) {
  return aclrtGetDeviceCount(reinterpret_cast<uint32_t*>(cnt));
}

rtError_t rtDeviceSynchronize() {
  return aclrtSynchronizeDevice();
}

rtError_t rtGetSocVersion(char* ver, const uint32_t maxLen) {
  return api_call("rtGetSocVersion", [&] {
    require_pointer(ver, "ver");
    const std::string& name = Simulator::instance().soc().name();
    if (name.size() >= maxLen) {
      refuse_rt("maxLen is " + std::to_string(maxLen) + ", the name and its end have " +
                std::to_string(name.size() + 1));
    }
    ver[name.copy(ver, name.size())] = '\0';
  });
}

rtError_t rtGetAiCoreCount(uint32_t* aiCoreCnt) {
  return api_call("rtGetAiCoreCount", [&] {
    require_pointer(aiCoreCnt, "aiCoreCnt");
    *aiCoreCnt = Simulator::instance().soc().aic_count();
  });
}

rtError_t rtStreamCreate(rtStream_t* stm, int32_t priority) {
  return aclrtCreateStreamWithConfig(stm, static_cast<uint32_t>(priority), 0);
}

rtError_t rtStreamDestroy(rtStream_t stm) {
  return aclrtDestroyStream(stm);
}

rtError_t rtStreamSynchronize(rtStream_t stm) {
  return aclrtSynchronizeStream(stm);
}

rtError_t rtMalloc(void** devPtr, uint64_t size, rtMemType_t, const uint16_t) {
  return aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

rtError_t rtFree(void* devPtr) {
  return aclrtFree(devPtr);
}

rtError_t rtMallocHost(void** hostPtr, uint64_t size, const uint16_t) {
  return aclrtMallocHost(hostPtr, size);
}

rtError_t rtFreeHost(void* hostPtr) {
  return aclrtFreeHost(hostPtr);
}

rtError_t rtMemcpy(void* dst, uint64_t destMax, const void* src, uint64_t cnt,
                   rtMemcpyKind_t kind) {
  return aclrtMemcpy(dst, destMax, src, cnt, static_cast<aclrtMemcpyKind>(kind));
}

rtError_t rtMemcpyAsync(void* dst, uint64_t destMax, const void* src, uint64_t cnt,
                        rtMemcpyKind_t kind, rtStream_t stm) {
  return aclrtMemcpyAsync(dst, destMax, src, cnt, static_cast<aclrtMemcpyKind>(kind), stm);
}

rtError_t rtMemset(void* devPtr, uint64_t destMax, uint32_t val, uint64_t cnt) {
  return aclrtMemset(devPtr, destMax, static_cast<int32_t>(val), cnt);
}

rtError_t rtMemsetAsync(void* ptr, uint64_t destMax, uint32_t val, uint64_t cnt, rtStream_t stm) {
  return aclrtMemsetAsync(ptr, destMax, static_cast<int32_t>(val), cnt, stm);
}

rtError_t rtMemGetInfo(size_t* freeSize, size_t* totalSize) {
  return aclrtGetMemInfo(ACL_HBM_MEM, freeSize, totalSize);
}

rtError_t rtDeviceResetForce(int32_t devId) {
  return aclrtResetDeviceForce(devId);
}

rtError_t rtCtxCreate(rtContext_t* createCtx, uint32_t, int32_t devId) {
  return aclrtCreateContext(createCtx, devId);
}

rtError_t rtCtxCreateEx(rtContext_t* createCtx, uint32_t, int32_t devId) {
  return aclrtCreateContext(createCtx, devId);
}

rtError_t rtCtxDestroy(rtContext_t destroyCtx) {
  return aclrtDestroyContext(destroyCtx);
}

rtError_t rtCtxDestroyEx(rtContext_t destroyCtx) {
  return aclrtDestroyContext(destroyCtx);
}

rtError_t rtCtxSetCurrent(rtContext_t currentCtx) {
  return aclrtSetCurrentContext(currentCtx);
}

rtError_t rtCtxGetCurrent(rtContext_t* currentCtx) {
  return aclrtGetCurrentContext(currentCtx);
}

rtError_t rtCtxGetDevice(int32_t* devId) {
  return aclrtGetDevice(devId);
}

rtError_t rtCtxSynchronize() {
  return aclrtSynchronizeDevice();
}

rtError_t rtEventCreate(rtEvent_t* evt) {
  return aclrtCreateEvent(evt);
}

rtError_t rtEventCreateWithFlag(rtEvent_t* evt, uint32_t flag) {
  return aclrtCreateEventWithFlag(evt, flag);
}

rtError_t rtEventDestroy(rtEvent_t evt) {
  return aclrtDestroyEvent(evt);
}

rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm) {
  return aclrtRecordEvent(evt, stm);
}

rtError_t rtEventReset(rtEvent_t evt, rtStream_t stm) {
  return aclrtResetEvent(evt, stm);
}

rtError_t rtEventSynchronize(rtEvent_t evt) {
  return aclrtSynchronizeEvent(evt);
}

rtError_t rtEventQuery(rtEvent_t evt) {
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  const rtError_t code = aclrtQueryEventStatus(evt, &status);
  if (code != RT_ERROR_NONE) return code;
  return status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? RT_ERROR_NONE
                                                      : ACL_ERROR_RT_EVENT_NOT_COMPLETE;
}

rtError_t rtEventElapsedTime(float* timeInterval, rtEvent_t startEvent, rtEvent_t endEvent) {
  return aclrtEventElapsedTime(timeInterval, startEvent, endEvent);
}

rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt) {
  return aclrtStreamWaitEvent(stm, evt);
}

rtError_t rtStreamCreateWithFlags(rtStream_t* stm, int32_t priority, uint32_t flags) {
  return aclrtCreateStreamWithConfig(stm, static_cast<uint32_t>(priority), flags);
}

rtError_t rtStreamSynchronizeWithTimeout(rtStream_t stm, int32_t timeout) {
  return aclrtSynchronizeStreamWithTimeout(stm, timeout);
}

rtError_t rtStreamQuery(rtStream_t stm) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  const rtError_t code = aclrtStreamQuery(stm, &status);
  if (code != RT_ERROR_NONE) return code;
  return status == ACL_STREAM_STATUS_COMPLETE ? RT_ERROR_NONE : ACL_ERROR_RT_STREAM_NOT_COMPLETE;
}

rtError_t rtGetStreamId(rtStream_t stm, int32_t* streamId) {
  return aclrtStreamGetId(stm, streamId);
}
