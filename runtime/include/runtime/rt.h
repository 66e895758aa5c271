/* The layer below AscendCL, as far as programs use it: devices, streams, memory, and kernels that
 * are registered by the binary. Functions return what those of AscendCL for the same return. C and
 * C++. */
#ifndef DAVSIM_RUNTIME_RT_H
#define DAVSIM_RUNTIME_RT_H

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t rtError_t;
typedef void* rtStream_t;
typedef void* rtEvent_t;
typedef void* rtContext_t;

static const rtError_t RT_ERROR_NONE = 0;

typedef uint32_t rtMemType_t;
#define RT_MEMORY_DEFAULT ((rtMemType_t)0x0)
#define RT_MEMORY_HBM ((rtMemType_t)0x2)

/* The numbers are those of aclrtMemcpyKind. */
typedef enum tagRtMemcpyKind {
  RT_MEMCPY_HOST_TO_HOST = 0,
  RT_MEMCPY_HOST_TO_DEVICE,
  RT_MEMCPY_DEVICE_TO_HOST,
  RT_MEMCPY_DEVICE_TO_DEVICE
} rtMemcpyKind_t;

#define RT_DEV_BINARY_MAGIC_ELF 0x43554245U
#define RT_DEV_BINARY_MAGIC_ELF_AIVEC 0x41415246U
#define RT_DEV_BINARY_MAGIC_ELF_AICUBE 0x41494343U
/* A shared object that davsim-cc or ascendc_fatbin_library built. */
typedef struct tagRtDevBinary {
  uint32_t magic;
  uint32_t version;
  const void* data;
  uint64_t length;
} rtDevBinary_t;

/* Values of schemMode. All blocks of a launch begin together where there are cores for them. */
#define RT_SCHEM_MODE_NORMAL 0
#define RT_SCHEM_MODE_BATCH 1
#define RT_SCHEM_MODE_SYNC 2
#define RT_KERNEL_DEFAULT 0x00U

/* Changes nothing. */
typedef struct tagRtSmCtrl rtSmDesc_t;
typedef struct tagRtTaskCfgInfo {
  uint8_t qos;
  uint8_t partId;
  uint8_t schemMode;
  bool d2dCrossFlag;
  uint32_t blockDimOffset;
  uint8_t dumpflag;
  uint8_t neverTimeout;
  uint8_t res[2];
  uint32_t localMemorySize;
} rtTaskCfgInfo_t;

/* In the block of arguments: where the address goes, and where what it points to begins. */
typedef struct tagRtHostInputInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
} rtHostInputInfo_t;
typedef struct tagRtArgsEx {
  void* args;
  rtHostInputInfo_t* hostInputInfoPtr;
  uint32_t argsSize;
  uint32_t tilingAddrOffset;
  uint32_t tilingDataOffset;
  uint16_t hostInputInfoNum;
  uint8_t hasTiling;
  uint8_t isNoNeedH2DCopy;
  uint8_t reserved[4];
} rtArgsEx_t;

ACL_FUNC_VISIBILITY rtError_t rtSetDevice(int32_t devId);
ACL_FUNC_VISIBILITY rtError_t rtDeviceReset(int32_t devId);
ACL_FUNC_VISIBILITY rtError_t rtGetDevice(int32_t* devId);
ACL_FUNC_VISIBILITY rtError_t rtGetDeviceCount(int32_t* cnt);
ACL_FUNC_VISIBILITY rtError_t rtDeviceSynchronize(void);
/* 107000: the name and its end do not fit. */
ACL_FUNC_VISIBILITY rtError_t rtGetSocVersion(char* ver, const uint32_t maxLen);
ACL_FUNC_VISIBILITY rtError_t rtGetAiCoreCount(uint32_t* aiCoreCnt);

ACL_FUNC_VISIBILITY rtError_t rtDeviceResetForce(int32_t devId);

ACL_FUNC_VISIBILITY rtError_t rtCtxCreate(rtContext_t* createCtx, uint32_t flags, int32_t devId);
ACL_FUNC_VISIBILITY rtError_t rtCtxCreateEx(rtContext_t* createCtx, uint32_t flags, int32_t devId);
ACL_FUNC_VISIBILITY rtError_t rtCtxDestroy(rtContext_t destroyCtx);
ACL_FUNC_VISIBILITY rtError_t rtCtxDestroyEx(rtContext_t destroyCtx);
ACL_FUNC_VISIBILITY rtError_t rtCtxSetCurrent(rtContext_t currentCtx);
ACL_FUNC_VISIBILITY rtError_t rtCtxGetCurrent(rtContext_t* currentCtx);
ACL_FUNC_VISIBILITY rtError_t rtCtxGetDevice(int32_t* devId);
ACL_FUNC_VISIBILITY rtError_t rtCtxSynchronize(void);

ACL_FUNC_VISIBILITY rtError_t rtEventCreate(rtEvent_t* evt);
ACL_FUNC_VISIBILITY rtError_t rtEventCreateWithFlag(rtEvent_t* evt, uint32_t flag);
ACL_FUNC_VISIBILITY rtError_t rtEventDestroy(rtEvent_t evt);
ACL_FUNC_VISIBILITY rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtEventReset(rtEvent_t evt, rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtEventSynchronize(rtEvent_t evt);
/* 507006: the event is not there. */
ACL_FUNC_VISIBILITY rtError_t rtEventQuery(rtEvent_t evt);
ACL_FUNC_VISIBILITY rtError_t rtEventElapsedTime(float* timeInterval, rtEvent_t startEvent,
                                                 rtEvent_t endEvent);
ACL_FUNC_VISIBILITY rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt);

ACL_FUNC_VISIBILITY rtError_t rtStreamCreateWithFlags(rtStream_t* stm, int32_t priority,
                                                      uint32_t flags);
ACL_FUNC_VISIBILITY rtError_t rtStreamSynchronizeWithTimeout(rtStream_t stm, int32_t timeout);
/* 507004: the stream has work. */
ACL_FUNC_VISIBILITY rtError_t rtStreamQuery(rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtGetStreamId(rtStream_t stm, int32_t* streamId);
ACL_FUNC_VISIBILITY rtError_t rtStreamCreate(rtStream_t* stm, int32_t priority);
ACL_FUNC_VISIBILITY rtError_t rtStreamDestroy(rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtStreamSynchronize(rtStream_t stm);

ACL_FUNC_VISIBILITY rtError_t rtMalloc(void** devPtr, uint64_t size, rtMemType_t type,
                                       const uint16_t moduleId);
ACL_FUNC_VISIBILITY rtError_t rtFree(void* devPtr);
ACL_FUNC_VISIBILITY rtError_t rtMallocHost(void** hostPtr, uint64_t size, const uint16_t moduleId);
ACL_FUNC_VISIBILITY rtError_t rtFreeHost(void* hostPtr);
ACL_FUNC_VISIBILITY rtError_t rtMemcpy(void* dst, uint64_t destMax, const void* src, uint64_t cnt,
                                       rtMemcpyKind_t kind);
ACL_FUNC_VISIBILITY rtError_t rtMemcpyAsync(void* dst, uint64_t destMax, const void* src,
                                            uint64_t cnt, rtMemcpyKind_t kind, rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtMemGetInfo(size_t* freeSize, size_t* totalSize);
ACL_FUNC_VISIBILITY rtError_t rtMemset(void* devPtr, uint64_t destMax, uint32_t val, uint64_t cnt);
ACL_FUNC_VISIBILITY rtError_t rtMemsetAsync(void* ptr, uint64_t destMax, uint32_t val, uint64_t cnt,
                                            rtStream_t stm);

/* `hdl` stands for the binary. */
ACL_FUNC_VISIBILITY rtError_t rtDevBinaryRegister(const rtDevBinary_t* bin, void** hdl);
ACL_FUNC_VISIBILITY rtError_t rtRegisterAllKernel(const rtDevBinary_t* bin, void** hdl);
ACL_FUNC_VISIBILITY rtError_t rtDevBinaryUnRegister(void* hdl);
/* Lets the address `stubFunc` stand for the kernel that `kernelInfoExt` names; null: `stubName`. */
ACL_FUNC_VISIBILITY rtError_t rtFunctionRegister(void* binHandle, const void* stubFunc,
                                                 const char* stubName, const void* kernelInfoExt,
                                                 uint32_t funcMode);
/* `args` is a block of the host with the arguments as in a structure. */
ACL_FUNC_VISIBILITY rtError_t rtKernelLaunch(const void* stubFunc, uint32_t blockDim, void* args,
                                             uint32_t argsSize, rtSmDesc_t* smDesc, rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtKernelLaunchWithFlagV2(const void* stubFunc, uint32_t blockDim,
                                                       rtArgsEx_t* argsInfo, rtSmDesc_t* smDesc,
                                                       rtStream_t stm, uint32_t flags,
                                                       const rtTaskCfgInfo_t* cfgInfo);
ACL_FUNC_VISIBILITY rtError_t rtKernelLaunchWithFlag(const void* stubFunc, uint32_t blockDim,
                                                     rtArgsEx_t* argsInfo, rtSmDesc_t* smDesc,
                                                     rtStream_t stm, uint32_t flags);
/* The kernel of the binary that aclrtBinaryGetFunctionByEntry finds by `tilingKey`. */
ACL_FUNC_VISIBILITY rtError_t rtKernelLaunchWithHandleV2(void* hdl, const uint64_t tilingKey,
                                                         uint32_t blockDim, rtArgsEx_t* argsInfo,
                                                         rtSmDesc_t* smDesc, rtStream_t stm,
                                                         const rtTaskCfgInfo_t* cfgInfo);

#ifdef __cplusplus
}
#endif

#endif
