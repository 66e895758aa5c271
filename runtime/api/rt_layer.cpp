// The layer below AscendCL: each function is one of AscendCL, or a few.
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/rt.h"

using namespace davsim::runtime;

namespace {

/// Kernels by the addresses that stand for them.
class Stubs {
 public:
  static Stubs& instance() {
    static auto* all = new Stubs;  // static variables of the program may still use it
    return *all;
  }
  void add(const void* stub, void* binary, aclrtFuncHandle function) {
    const std::lock_guard lock(mutex_);
    all_[stub] = {binary, function};
  }
  void forget(void* binary) {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [binary](const auto& entry) { return entry.second.binary == binary; });
  }
  aclrtFuncHandle find(const void* stub) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(stub);
    if (found != all_.end()) return found->second.function;
    throw ApiError(ACL_ERROR_RT_KERNEL_LOOKUP,
                   "stubFunc stands for no kernel; rtFunctionRegister was not called with it");
  }

 private:
  struct Function {
    void* binary;
    aclrtFuncHandle function;
  };
  std::mutex mutex_;
  std::map<const void*, Function> all_;
};

rtError_t load(const char* function, const rtDevBinary_t* binary, void** handle) {
  return api_call(function, [&] {
    require_pointer(binary, "bin");
    require_pointer(handle, "hdl");
    require_success(aclrtBinaryLoadFromData(binary->data, binary->length, nullptr, handle));
  });
}

/// The kernel's handle, or the code of what is wrong.
rtError_t kernel_of(const char* function, const void* stub, aclrtFuncHandle& kernel) {
  return api_call(function, [&] {
    require_pointer(stub, "stubFunc");
    kernel = Stubs::instance().find(stub);
  });
}

}  // namespace

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

rtError_t rtDevBinaryRegister(const rtDevBinary_t* bin, void** hdl) {
  return load("rtDevBinaryRegister", bin, hdl);
}

rtError_t rtRegisterAllKernel(const rtDevBinary_t* bin, void** hdl) {
  return load("rtRegisterAllKernel", bin, hdl);
}

rtError_t rtDevBinaryUnRegister(void* hdl) {
  const rtError_t code = aclrtBinaryUnLoad(hdl);
  if (code == RT_ERROR_NONE) Stubs::instance().forget(hdl);
  return code;
}

rtError_t rtFunctionRegister(void* binHandle, const void* stubFunc, const char* stubName,
                             const void* kernelInfoExt, uint32_t) {
  return api_call("rtFunctionRegister", [&] {
    require_pointer(stubFunc, "stubFunc");
    const auto* const name =
        kernelInfoExt != nullptr ? static_cast<const char*>(kernelInfoExt) : stubName;
    aclrtFuncHandle function = nullptr;
    require_success(aclrtBinaryGetFunction(binHandle, name, &function));
    Stubs::instance().add(stubFunc, binHandle, function);
  });
}

rtError_t rtKernelLaunch(const void* stubFunc, uint32_t blockDim, void* args, uint32_t argsSize,
                         rtSmDesc_t*, rtStream_t stm) {
  aclrtFuncHandle kernel = nullptr;
  const rtError_t code = kernel_of("rtKernelLaunch", stubFunc, kernel);
  if (code != RT_ERROR_NONE) return code;
  return aclrtLaunchKernelWithHostArgs(kernel, blockDim, stm, nullptr, args, argsSize, nullptr, 0);
}

rtError_t rtKernelLaunchWithFlagV2(const void* stubFunc, uint32_t blockDim, rtArgsEx_t* argsInfo,
                                   rtSmDesc_t*, rtStream_t stm, uint32_t, const rtTaskCfgInfo_t*) {
  aclrtFuncHandle kernel = nullptr;
  std::vector<aclrtPlaceHolderInfo> holders;
  const rtError_t code = api_call("rtKernelLaunchWithFlagV2", [&] {
    require_pointer(argsInfo, "argsInfo");
    require_pointer(stubFunc, "stubFunc");
    kernel = Stubs::instance().find(stubFunc);
    if (argsInfo->hostInputInfoNum > 0) require_pointer(argsInfo->hostInputInfoPtr, "argsInfo");
    for (uint16_t i = 0; i < argsInfo->hostInputInfoNum; ++i) {
      const rtHostInputInfo_t& input = argsInfo->hostInputInfoPtr[i];
      holders.push_back({input.addrOffset, input.dataOffset});
    }
    if (argsInfo->hasTiling != 0) {
      holders.push_back({argsInfo->tilingAddrOffset, argsInfo->tilingDataOffset});
    }
  });
  if (code != RT_ERROR_NONE) return code;
  return aclrtLaunchKernelWithHostArgs(kernel, blockDim, stm, nullptr, argsInfo->args,
                                       argsInfo->argsSize, holders.data(), holders.size());
}
