// Kernels of the layer below AscendCL: an address in the program stands for each.
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/api_error.hpp"
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

/// Launches with a block of arguments, and what placeholders in it point to.
rtError_t launch_with(aclrtFuncHandle kernel, std::uint32_t blocks, const rtArgsEx_t* info,
                      rtStream_t stream) {
  std::vector<aclrtPlaceHolderInfo> holders;
  const rtError_t code = api_call("rtKernelLaunch", [&] {
    require_pointer(info, "argsInfo");
    if (info->hostInputInfoNum > 0) require_pointer(info->hostInputInfoPtr, "hostInputInfoPtr");
    for (uint16_t i = 0; i < info->hostInputInfoNum; ++i) {
      const rtHostInputInfo_t& input = info->hostInputInfoPtr[i];
      holders.push_back({input.addrOffset, input.dataOffset});
    }
    if (info->hasTiling != 0) holders.push_back({info->tilingAddrOffset, info->tilingDataOffset});
  });
  if (code != RT_ERROR_NONE) return code;
  return aclrtLaunchKernelWithHostArgs(kernel, blocks, stream, nullptr, info->args, info->argsSize,
                                       holders.data(), holders.size());
}

/// The kernel's handle, or the code of what is wrong.
rtError_t kernel_of(const char* function, const void* stub, aclrtFuncHandle& kernel) {
  return api_call(function, [&] {
    require_pointer(stub, "stubFunc");
    kernel = Stubs::instance().find(stub);
  });
}

}  // namespace

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
  const rtError_t code = kernel_of("rtKernelLaunchWithFlagV2", stubFunc, kernel);
  return code != RT_ERROR_NONE ? code : launch_with(kernel, blockDim, argsInfo, stm);
}

rtError_t rtKernelLaunchWithFlag(const void* stubFunc, uint32_t blockDim, rtArgsEx_t* argsInfo,
                                 rtSmDesc_t* smDesc, rtStream_t stm, uint32_t flags) {
  return rtKernelLaunchWithFlagV2(stubFunc, blockDim, argsInfo, smDesc, stm, flags, nullptr);
}

rtError_t rtKernelLaunchWithHandleV2(void* hdl, const uint64_t tilingKey, uint32_t blockDim,
                                     rtArgsEx_t* argsInfo, rtSmDesc_t*, rtStream_t stm,
                                     const rtTaskCfgInfo_t*) {
  aclrtFuncHandle kernel = nullptr;
  const rtError_t code = aclrtBinaryGetFunctionByEntry(hdl, tilingKey, &kernel);
  return code != RT_ERROR_NONE ? code : launch_with(kernel, blockDim, argsInfo, stm);
}
