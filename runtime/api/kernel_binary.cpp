// Kernels that are loaded, their arguments and launches.
#include <algorithm>
#include <cstring>
#include <utility>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/argument_block.hpp"
#include "runtime/core/kernel_binaries.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

namespace {

constexpr std::size_t kSlot = davsim::isa::kSlotBytes;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
// What programs keep for a list whose memory is theirs; the runtime needs none of it.
constexpr std::size_t kHandleBytes = 64;
// A launch waits until all the cores that it begins with are free.
constexpr std::int64_t kBatchMode = 1;

struct Binary {
  const void* data;
  std::size_t bytes;
};

KernelBinaries& binaries() {
  return KernelBinaries::instance();
}

void require_some(std::size_t bytes, const char* name) {
  if (bytes == 0 || bytes > kMostBytes) {
    refuse_rt(std::string(name) + " is " + std::to_string(bytes) + ", allowed are 1 to " +
              std::to_string(kMostBytes));
  }
}

KernelArgumentList& open_list(aclrtArgsHandle handle) {
  KernelArgumentList& list = binaries().arguments(handle);
  if (list.complete) refuse_rt("the arguments are complete; aclrtKernelArgsFinalize was called");
  return list;
}

KernelArgumentList::Parameter& parameter_of(KernelArgumentList& list, aclrtParamHandle handle) {
  const auto found = std::find_if(list.parameters.begin(), list.parameters.end(),
                                  [handle](const auto& parameter) { return &parameter == handle; });
  if (found == list.parameters.end()) {
    throw ApiError(ACL_ERROR_RT_INVALID_HANDLE, "the list has no such argument");
  }
  return *found;
}

KernelArgumentList::Parameter& append(KernelArgumentList& list, std::size_t bytes) {
  const std::size_t slot = list.slots.size();
  list.slots.resize(slot + davsim::isa::slot_bytes(bytes) / kSlot);
  list.parameters.push_back({slot, bytes, false, {}});
  return list.parameters.back();
}

/// Cores of a block: those for cubes, then those for vectors.
std::pair<std::int64_t, std::int64_t> cores_of(davsim::isa::KernelType type) {
  switch (type) {
    case davsim::isa::KernelType::kAicOnly:
      return {1, 0};
    case davsim::isa::KernelType::kAivOnly:
      return {0, 1};
    case davsim::isa::KernelType::kMix11:
      return {1, 1};
    case davsim::isa::KernelType::kMix12:
      break;
  }
  return {1, 2};
}

std::int64_t attribute(davsim::isa::KernelType type, aclrtFuncAttribute which) {
  const auto [cube, vector] = cores_of(type);
  switch (which) {
    case ACL_FUNC_ATTR_KERNEL_TYPE:
      if (cube == 0) return ACL_KERNEL_TYPE_VECTOR;
      return vector == 0 ? ACL_KERNEL_TYPE_CUBE : ACL_KERNEL_TYPE_MIX;
    case ACL_FUNC_ATTR_KERNEL_RATIO:
      return cube << 16 | vector;
    case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
      return kBatchMode;
  }
  refuse_rt("there is no attribute " + std::to_string(which));
}

/// One argument in its slots.
std::vector<std::uint64_t> slots_of(const void* data, std::size_t bytes) {
  std::vector<std::uint64_t> slots((bytes + kSlot - 1) / kSlot);
  if (bytes > 0) std::memcpy(slots.data(), data, bytes);
  return slots;
}

std::vector<std::byte> block_of(const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  return {first, first + bytes};
}

void launch_from_device(aclrtFuncHandle function, std::uint32_t blocks, const void* data,
                        std::size_t bytes, aclrtStream stream) {
  KernelHandle& kernel = binaries().function(function);
  if (bytes > 0) require_pointer(data, "argsData");
  if (bytes > kMostBytes) require_some(bytes, "argsSize");
  if (bytes > 0) {
    Simulator& simulator = Simulator::instance();
    const auto block = simulator.memory().require_room(data, bytes, "argsData");
    // Copies into the block may be queued still.
    if (block && !InCallback::active()) simulator.queue().wait_or_held(block->used_by.ticket);
  }
  binaries().launch(kernel, blocks, stream,
                    davsim::runtime::slots_of(kernel, block_of(data, bytes)));
}

void launch_from_host(aclrtFuncHandle function, std::uint32_t blocks, aclrtStream stream,
                      const void* data, std::size_t bytes, const aclrtPlaceHolderInfo* holders,
                      std::size_t count) {
  KernelHandle& kernel = binaries().function(function);
  if (bytes > 0) require_pointer(data, "hostArgs");
  if (bytes > kMostBytes) require_some(bytes, "argsSize");
  if (count > 0) require_pointer(holders, "placeHolderArray");
  std::vector<std::byte> block = block_of(data, bytes);
  DeviceCopies copies(Simulator::instance(), Process::instance().stream(stream));
  std::uint64_t device = 0;
  if (count > 0) device = reinterpret_cast<std::uint64_t>(copies.copy(data, bytes));
  for (std::size_t i = 0; i < count; ++i) {
    const aclrtPlaceHolderInfo& holder = holders[i];
    if (holder.addrOffset % kSlot != 0 || holder.addrOffset + kSlot > bytes ||
        holder.dataOffset >= bytes) {
      refuse_rt("placeholder " + std::to_string(i) + " has addrOffset " +
                std::to_string(holder.addrOffset) + " and dataOffset " +
                std::to_string(holder.dataOffset) + " within " + std::to_string(bytes) + " bytes");
    }
    const std::uint64_t address = device + holder.dataOffset;
    std::memcpy(&block[holder.addrOffset], &address, sizeof address);
  }
  binaries().launch(kernel, blocks, stream, davsim::runtime::slots_of(kernel, block));
}

}  // namespace

aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions*,
                                 aclrtBinHandle* binHandle) {
  return api_call("aclrtBinaryLoadFromFile", [&] {
    require_pointer(binPath, "binPath");
    require_pointer(binHandle, "binHandle");
    *binHandle = binaries().load(binPath);
  });
}

aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions*,
                                 aclrtBinHandle* binHandle) {
  return api_call("aclrtBinaryLoadFromData", [&] {
    require_pointer(data, "data");
    require_pointer(binHandle, "binHandle");
    if (length == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "length is 0");
    *binHandle = binaries().load(data, length);
  });
}

aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen) {
  return data == nullptr || dataLen == 0 ? nullptr : new Binary{data, dataLen};
}

aclError aclrtDestroyBinary(aclrtBinary binary) {
  return api_call("aclrtDestroyBinary", [&] {
    require_pointer(binary, "binary");
    delete static_cast<Binary*>(binary);
  });
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle) {
  return api_call("aclrtBinaryLoad", [&] {
    require_pointer(binary, "binary");
    require_pointer(binHandle, "binHandle");
    const auto* from = static_cast<const Binary*>(binary);
    *binHandle = binaries().load(from->data, from->bytes);
  });
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  return api_call("aclrtBinaryUnLoad", [&] {
    require_pointer(binHandle, "binHandle");
    binaries().unload(binHandle);
  });
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName,
                                aclrtFuncHandle* funcHandle) {
  return api_call("aclrtBinaryGetFunction", [&] {
    require_pointer(binHandle, "binHandle");
    require_pointer(kernelName, "kernelName");
    require_pointer(funcHandle, "funcHandle");
    *funcHandle = &binaries().function(binHandle, kernelName);
  });
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry,
                                       aclrtFuncHandle* funcHandle) {
  return api_call("aclrtBinaryGetFunctionByEntry", [&] {
    require_pointer(binHandle, "binHandle");
    require_pointer(funcHandle, "funcHandle");
    *funcHandle = &binaries().function(binHandle, funcEntry);
  });
}

aclError aclrtBinaryGetFunctionCount(aclrtBinHandle binHandle, uint32_t* count) {
  return api_call("aclrtBinaryGetFunctionCount", [&] {
    require_pointer(binHandle, "binHandle");
    require_pointer(count, "count");
    *count = binaries().count(binHandle);
  });
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle* binHandle) {
  return api_call("aclrtFunctionGetBinary", [&] {
    require_pointer(binHandle, "binHandle");
    const KernelHandle& kernel = binaries().function(funcHandle);
    if (kernel.binary == nullptr) {
      throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     kernel.name + " is in the program itself, and in no binary");
    }
    *binHandle = kernel.binary;
  });
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,
                                   int64_t* attrValue) {
  return api_call("aclrtGetFunctionAttribute", [&] {
    require_pointer(attrValue, "attrValue");
    const KernelHandle& kernel = binaries().function(funcHandle);
    *attrValue = attribute(davsim::isa::find_kernel(kernel.registered).type_for(kernel.tiling_key),
                           attrType);
  });
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr, void** aivAddr) {
  return api_call("aclrtGetFunctionAddr", [&] {
    require_pointer(aicAddr, "aicAddr");
    require_pointer(aivAddr, "aivAddr");
    const davsim::isa::KernelEntry& kernel =
        davsim::isa::find_kernel(binaries().function(funcHandle).registered);
    *aicAddr = reinterpret_cast<void*>(kernel.aic);
    *aivAddr = reinterpret_cast<void*>(kernel.aiv);
  });
}

aclError aclrtGetFuncBySymbol(const void* symbol, aclrtFuncHandle* funcHandle) {
  return api_call("aclrtGetFuncBySymbol", [&] {
    require_pointer(symbol, "symbol");
    require_pointer(funcHandle, "funcHandle");
    const auto host = reinterpret_cast<void (*)()>(const_cast<void*>(symbol));
    *funcHandle = &binaries().function_of(host);
  });
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name) {
  return api_call("aclrtGetFunctionName", [&] {
    require_pointer(name, "name");
    const std::string& text = binaries().function(funcHandle).name;
    if (text.size() >= maxLen) {
      refuse_rt("maxLen is " + std::to_string(maxLen) + ", the name and its end have " +
                std::to_string(text.size() + 1));
    }
    std::memcpy(name, text.c_str(), text.size() + 1);
  });
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle) {
  return api_call("aclrtKernelArgsInit", [&] {
    require_pointer(argsHandle, "argsHandle");
    *argsHandle = binaries().make_arguments(funcHandle);
  });
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void*,
                                      size_t) {
  return api_call("aclrtKernelArgsInitByUserMem", [&] {
    require_pointer(argsHandle, "argsHandle");
    binaries().make_arguments(funcHandle, argsHandle);
  });
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize,
                                   size_t* actualArgsSize) {
  return api_call("aclrtKernelArgsGetMemSize", [&] {
    require_pointer(actualArgsSize, "actualArgsSize");
    binaries().function(funcHandle);
    *actualArgsSize = davsim::isa::slot_bytes(userArgsSize);
  });
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize) {
  return api_call("aclrtKernelArgsGetHandleMemSize", [&] {
    require_pointer(memSize, "memSize");
    binaries().function(funcHandle);
    *memSize = kHandleBytes;
  });
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                               aclrtParamHandle* paramHandle) {
  return api_call("aclrtKernelArgsAppend", [&] {
    require_pointer(param, "param");
    require_some(paramSize, "paramSize");
    KernelArgumentList& list = open_list(argsHandle);
    KernelArgumentList::Parameter& added = append(list, paramSize);
    std::memcpy(&list.slots[added.slot], param, paramSize);
    if (paramHandle != nullptr) *paramHandle = &added;
  });
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                          aclrtParamHandle* paramHandle) {
  return api_call("aclrtKernelArgsAppendPlaceHolder", [&] {
    require_pointer(paramHandle, "paramHandle");
    KernelArgumentList::Parameter& added = append(open_list(argsHandle), sizeof(void*));
    added.placeholder = true;
    *paramHandle = &added;
  });
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                             aclrtParamHandle paramHandle, size_t dataSize,
                                             void** bufferAddr) {
  return api_call("aclrtKernelArgsGetPlaceHolderBuffer", [&] {
    require_pointer(bufferAddr, "bufferAddr");
    require_some(dataSize, "dataSize");
    KernelArgumentList::Parameter& parameter =
        parameter_of(binaries().arguments(argsHandle), paramHandle);
    if (!parameter.placeholder) refuse_rt("the argument is no placeholder");
    parameter.buffer.resize(dataSize);
    *bufferAddr = parameter.buffer.data();
  });
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                   void* param, size_t paramSize) {
  return api_call("aclrtKernelArgsParaUpdate", [&] {
    require_pointer(param, "param");
    KernelArgumentList& list = binaries().arguments(argsHandle);
    const KernelArgumentList::Parameter& parameter = parameter_of(list, paramHandle);
    if (parameter.placeholder || parameter.bytes != paramSize) {
      refuse_rt("paramSize is " + std::to_string(paramSize) + ", the argument has " +
                std::to_string(parameter.bytes) + " bytes");
    }
    std::memcpy(&list.slots[parameter.slot], param, paramSize);
  });
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  return api_call("aclrtKernelArgsFinalize", [&] { open_list(argsHandle).complete = true; });
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t blockDim,
                                     aclrtStream stream, aclrtLaunchKernelCfg*,
                                     aclrtArgsHandle argsHandle, void*) {
  return api_call("aclrtLaunchKernelWithConfig", [&] {
    KernelHandle& kernel = binaries().function(funcHandle);
    binaries().launch(kernel, blockDim, stream, binaries().arguments(argsHandle));
  });
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t blockDim, const void* argsData,
                           size_t argsSize, aclrtStream stream) {
  return api_call("aclrtLaunchKernel",
                  [&] { launch_from_device(funcHandle, blockDim, argsData, argsSize, stream); });
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t blockDim, const void* argsData,
                             size_t argsSize, aclrtLaunchKernelCfg*, aclrtStream stream) {
  return api_call("aclrtLaunchKernelV2",
                  [&] { launch_from_device(funcHandle, blockDim, argsData, argsSize, stream); });
}

aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks, aclrtStream stream,
                                        aclrtLaunchKernelCfg*, void** args) {
  return api_call("aclrtLaunchKernelWithArgsArray", [&] {
    KernelHandle& kernel = binaries().function(func);
    const davsim::isa::KernelParameters& parameters = kernel.parameters;
    if (!parameters.known()) {
      refuse_rt("the sizes of the arguments of " + kernel.name + " are not known");
    }
    if (parameters.count > 0) require_pointer(args, "args");
    std::vector<std::uint64_t> slots;
    for (std::uint32_t i = 0; i < parameters.count; ++i) {
      require_pointer(args[i], "an argument");
      const std::vector<std::uint64_t> own = slots_of(args[i], parameters.sizes[i]);
      slots.insert(slots.end(), own.begin(), own.end());
    }
    binaries().launch(kernel, numBlocks, stream, std::move(slots));
  });
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t blockDim,
                                       aclrtStream stream, aclrtLaunchKernelCfg*, void* hostArgs,
                                       size_t argsSize, aclrtPlaceHolderInfo* placeHolderArray,
                                       size_t placeHolderNum) {
  return api_call("aclrtLaunchKernelWithHostArgs", [&] {
    launch_from_host(funcHandle, blockDim, stream, hostArgs, argsSize, placeHolderArray,
                     placeHolderNum);
  });
}
