// What a function is given that calls an operator by its aclnn functions, for a graph. There are no
// graphs here: such functions compile, and none of them is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"
#include "ge_common/ge_api_error_codes.h"

namespace gert {

using rtStream = void*;

class OpExecuteContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Tensor* GetInputTensor(std::size_t index) const { return InputTensor(index); }
  const Tensor* GetRequiredInputTensor(std::size_t parameter) const {
    return InputTensor(parameter, 0);
  }
  const Tensor* GetOptionalInputTensor(std::size_t parameter) const {
    return InputTensor(parameter, 0);
  }
  const Tensor* GetDynamicInputTensor(std::size_t parameter, std::size_t i) const {
    return InputTensor(parameter, i);
  }
  const Tensor* GetOutputTensor(std::size_t index) const { return OutputTensor(index); }
  const Tensor* GetRequiredOutputTensor(std::size_t parameter) const {
    return GetDynamicOutputTensor(parameter, 0);
  }
  const Tensor* GetDynamicOutputTensor(std::size_t parameter, std::size_t i) const {
    const AnchorInstanceInfo* info = GetIrOutputInstanceInfo(parameter);
    if (info == nullptr || i >= info->GetInstanceNum()) return nullptr;
    return OutputTensor(info->GetInstanceStart() + i);
  }
  /// A graph's stream, its function of aclnn and its memory, which there are not.
  rtStream GetStream() const { return nullptr; }
  void* GetOpExecuteFunc() const { return nullptr; }
  void* MallocWorkspace(std::size_t) { return nullptr; }
  void FreeWorkspace() {}
  /// A graph's options: none is set. HF32 is off for convolutions and for products.
  bool GetDeterministic() const { return false; }
  const char* GetAllowHf32() const { return "00"; }
  std::int32_t GetPrecisionMode() const { return std::numeric_limits<std::int32_t>::max(); }
};

}  // namespace gert
