// What a tiling function is given, and where it leaves its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/stride.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace davsim::op_host {
struct TilingState;
}

namespace gert {

class TilingContext : public ExtendedKernelContext {
 public:
  TilingContext(davsim::op_host::Node& node, davsim::op_host::TilingState& state)
      : ExtendedKernelContext(node), state_(&state) {}

  const StorageShape* GetInputShape(std::size_t index) const;
  const StorageShape* GetRequiredInputShape(std::size_t parameter) const;
  const StorageShape* GetOptionalInputShape(std::size_t parameter) const;
  const StorageShape* GetDynamicInputShape(std::size_t parameter, std::size_t i) const;
  const Tensor* GetInputTensor(std::size_t index) const;
  const Tensor* GetRequiredInputTensor(std::size_t parameter) const;
  const Tensor* GetOptionalInputTensor(std::size_t parameter) const;
  const Tensor* GetDynamicInputTensor(std::size_t parameter, std::size_t i) const;
  const StorageShape* GetOutputShape(std::size_t index) const;

  /// A view is a tensor with strides that the kernel is given as it lies in memory
  /// (IgnoreContiguous). Without one strides are null and offsets -1. An offset counts elements
  /// from the tensor's memory; the address that the kernel has is that of the view's first element.
  bool InputIsView(std::size_t index) const { return GetInputStride(index) != nullptr; }
  const Stride* GetInputStride(std::size_t index) const;
  std::int64_t GetInputOffset(std::size_t index) const;
  bool OutputIsView(std::size_t index) const { return GetOutputStride(index) != nullptr; }
  const Stride* GetOutputStride(std::size_t index) const;
  std::int64_t GetOutputOffset(std::size_t index) const;
  bool DynamicInputIsView(std::size_t parameter, std::size_t i) const {
    return GetDynamicInputStride(parameter, i) != nullptr;
  }
  const Stride* GetDynamicInputStride(std::size_t parameter, std::size_t i) const;
  std::int64_t GetDynamicInputOffset(std::size_t parameter, std::size_t i) const;
  bool RequiredInputIsView(std::size_t parameter) const { return DynamicInputIsView(parameter, 0); }
  const Stride* GetRequiredInputStride(std::size_t parameter) const {
    return GetDynamicInputStride(parameter, 0);
  }
  std::int64_t GetRequiredInputOffset(std::size_t parameter) const {
    return GetDynamicInputOffset(parameter, 0);
  }
  bool OptionalInputIsView(std::size_t parameter) const { return DynamicInputIsView(parameter, 0); }
  const Stride* GetOptionalInputStride(std::size_t parameter) const {
    return GetDynamicInputStride(parameter, 0);
  }
  std::int64_t GetOptionalInputOffset(std::size_t parameter) const {
    return GetDynamicInputOffset(parameter, 0);
  }

  fe::PlatFormInfos* GetPlatformInfo() const;
  /// What TilingParse filled; null without it.
  const void* GetCompileInfo() const;
  template <class T>
  const T* GetCompileInfo() const {
    return static_cast<const T*>(GetCompileInfo());
  }
  /// 1 where results must not depend on the order of cores; 0 here.
  std::int32_t GetDeterministic() const { return 0; }
  std::int32_t GetDeterministicLevel() const { return 0; }

  TilingData* GetRawTilingData() const;
  /// The buffer as a T of zeroes, whose size becomes that of the data; null where it does not fit.
  template <class T>
  T* GetTilingData() const {
    static_assert(std::is_trivially_copyable<T>::value, "tiling data is copied byte by byte");
    TilingData* raw = GetRawTilingData();
    if (raw->GetCapacity() < sizeof(T)) return nullptr;
    raw->SetDataSize(sizeof(T));
    return static_cast<T*>(raw->GetData());
  }

  ge::graphStatus SetBlockDim(std::uint32_t blocks);
  ge::graphStatus SetSimdNumBlocks(std::uint32_t blocks) { return SetBlockDim(blocks); }
  std::uint32_t GetBlockDim() const;
  std::uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
  /// Blocks on AI CPUs, which are not simulated: the number is kept and has no effect.
  ge::graphStatus SetAicpuNumBlocks(std::uint32_t blocks);
  std::uint32_t GetAicpuNumBlocks() const;
  ge::graphStatus SetAicpuBlockDim(std::uint32_t blocks) { return SetAicpuNumBlocks(blocks); }
  std::uint32_t GetAicpuBlockDim() const { return GetAicpuNumBlocks(); }
  ge::graphStatus SetTilingKey(std::uint64_t key);
  std::uint64_t GetTilingKey() const;
  /// Room for the sizes of `count` workspaces in bytes; null for more than 16.
  std::size_t* GetWorkspaceSizes(std::size_t count);
  std::size_t GetWorkspaceNum() const;
  /// 1: all blocks start together.
  ge::graphStatus SetScheduleMode(std::uint32_t mode);
  std::uint32_t GetScheduleMode() const;
  ge::graphStatus SetLocalMemorySize(std::uint32_t bytes);
  std::uint32_t GetLocalMemorySize() const;
  /// The same by its later name.
  ge::graphStatus SetDynUBufSize(std::uint32_t bytes) { return SetLocalMemorySize(bytes); }
  std::uint32_t GetDynUBufSize() const { return GetLocalMemorySize(); }
  ge::graphStatus SetNeedAtomic(bool need);
  bool NeedAtomic() const;
  ge::graphStatus SetTilingCond(std::int32_t condition);
  std::int32_t GetTilingCond() const;

 private:
  davsim::op_host::TilingState* state_;
};

}  // namespace gert
