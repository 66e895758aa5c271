// The contexts that functions of operators are given: views of a node.
#include "runtime/op_host/node.hpp"

namespace gert {
namespace {

template <class T>
const T* element(const std::vector<T>& all, std::size_t i) {
  return i < all.size() ? &all[i] : nullptr;
}

/// The index of instance `i` of a parameter; beyond all where it has none.
std::size_t index_of(const std::vector<AnchorInstanceInfo>& parameters, std::size_t parameter,
                     std::size_t i) {
  const AnchorInstanceInfo* info = element(parameters, parameter);
  if (info == nullptr || i >= info->GetInstanceNum()) return static_cast<std::size_t>(-1);
  return info->GetInstanceStart() + i;
}

const StorageShape* shape_of(const Tensor* tensor) {
  return tensor == nullptr ? nullptr : &tensor->GetShape();
}

const Shape* storage_of(const Tensor* tensor) {
  return tensor == nullptr ? nullptr : &tensor->GetStorageShape();
}

using Views = std::vector<std::optional<davsim::op_host::View>>;

const Stride* stride_of(const Views& views, std::size_t index) {
  const auto* view = element(views, index);
  return view != nullptr && *view ? &(*view)->stride : nullptr;
}

std::int64_t offset_of(const Views& views, std::size_t index) {
  const auto* view = element(views, index);
  return view != nullptr && *view ? (*view)->offset : -1;
}

ge::DataType type_of(const Tensor* tensor) {
  return tensor == nullptr ? ge::DT_UNDEFINED : tensor->GetDataType();
}

}  // namespace

const char* ComputeNodeInfo::GetNodeType() const {
  return node_->type.c_str();
}
const char* ComputeNodeInfo::GetNodeName() const {
  return node_->name.c_str();
}
std::size_t ComputeNodeInfo::GetIrInputsNum() const {
  return node_->input_parameters.size();
}
std::size_t ComputeNodeInfo::GetIrOutputsNum() const {
  return node_->output_parameters.size();
}
std::size_t ComputeNodeInfo::GetInputsNum() const {
  return node_->inputs.size();
}
std::size_t ComputeNodeInfo::GetOutputsNum() const {
  return node_->outputs.size();
}
const AnchorInstanceInfo* ComputeNodeInfo::GetInputInstanceInfo(std::size_t parameter) const {
  return element(node_->input_parameters, parameter);
}
const AnchorInstanceInfo* ComputeNodeInfo::GetOutputInstanceInfo(std::size_t parameter) const {
  return element(node_->output_parameters, parameter);
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetInputTdInfo(std::size_t index) const {
  return element(node_->input_descs, index);
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetOutputTdInfo(std::size_t index) const {
  return element(node_->output_descs, index);
}
const RuntimeAttrs* ComputeNodeInfo::GetAttrs() const {
  return &node_->attributes;
}

const char* ExtendedKernelContext::GetNodeType() const {
  return node_->type.c_str();
}
const char* ExtendedKernelContext::GetNodeName() const {
  return node_->name.c_str();
}
std::size_t ExtendedKernelContext::GetComputeNodeInputNum() const {
  return node_->inputs.size();
}
std::size_t ExtendedKernelContext::GetComputeNodeOutputNum() const {
  return node_->outputs.size();
}
const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const {
  return &node_->info;
}
const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const {
  return &node_->attributes;
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(std::size_t index) const {
  return element(node_->input_descs, index);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(
    std::size_t parameter) const {
  return GetDynamicInputDesc(parameter, 0);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(
    std::size_t parameter) const {
  return GetDynamicInputDesc(parameter, 0);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(std::size_t parameter,
                                                                        std::size_t i) const {
  return element(node_->input_descs, index_of(node_->input_parameters, parameter, i));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(std::size_t index) const {
  return element(node_->output_descs, index);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(
    std::size_t parameter) const {
  return element(node_->input_parameters, parameter);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(
    std::size_t parameter) const {
  return element(node_->output_parameters, parameter);
}
const Tensor* ExtendedKernelContext::InputTensor(std::size_t index) const {
  return element(node_->inputs, index);
}
const Tensor* ExtendedKernelContext::InputTensor(std::size_t parameter, std::size_t i) const {
  return element(node_->inputs, index_of(node_->input_parameters, parameter, i));
}
Tensor* ExtendedKernelContext::OutputTensor(std::size_t index) const {
  return index < node_->outputs.size() ? &node_->outputs[index] : nullptr;
}

const StorageShape* TilingContext::GetInputShape(std::size_t index) const {
  return shape_of(InputTensor(index));
}
const StorageShape* TilingContext::GetRequiredInputShape(std::size_t parameter) const {
  return shape_of(InputTensor(parameter, 0));
}
const StorageShape* TilingContext::GetOptionalInputShape(std::size_t parameter) const {
  return shape_of(InputTensor(parameter, 0));
}
const StorageShape* TilingContext::GetDynamicInputShape(std::size_t parameter,
                                                        std::size_t i) const {
  return shape_of(InputTensor(parameter, i));
}
const Tensor* TilingContext::GetInputTensor(std::size_t index) const {
  return InputTensor(index);
}
const Tensor* TilingContext::GetRequiredInputTensor(std::size_t parameter) const {
  return InputTensor(parameter, 0);
}
const Tensor* TilingContext::GetOptionalInputTensor(std::size_t parameter) const {
  return InputTensor(parameter, 0);
}
const Tensor* TilingContext::GetDynamicInputTensor(std::size_t parameter, std::size_t i) const {
  return InputTensor(parameter, i);
}
const StorageShape* TilingContext::GetOutputShape(std::size_t index) const {
  return shape_of(OutputTensor(index));
}

const Stride* TilingContext::GetInputStride(std::size_t index) const {
  return stride_of(node_->input_views, index);
}
std::int64_t TilingContext::GetInputOffset(std::size_t index) const {
  return offset_of(node_->input_views, index);
}
const Stride* TilingContext::GetOutputStride(std::size_t index) const {
  return stride_of(node_->output_views, index);
}
std::int64_t TilingContext::GetOutputOffset(std::size_t index) const {
  return offset_of(node_->output_views, index);
}
const Stride* TilingContext::GetDynamicInputStride(std::size_t parameter, std::size_t i) const {
  return GetInputStride(index_of(node_->input_parameters, parameter, i));
}
std::int64_t TilingContext::GetDynamicInputOffset(std::size_t parameter, std::size_t i) const {
  return GetInputOffset(index_of(node_->input_parameters, parameter, i));
}

fe::PlatFormInfos* TilingContext::GetPlatformInfo() const {
  return state_->platform;
}
const void* TilingContext::GetCompileInfo() const {
  return state_->compile_info;
}
TilingData* TilingContext::GetRawTilingData() const {
  return &state_->data;
}
ge::graphStatus TilingContext::SetBlockDim(std::uint32_t blocks) {
  state_->block_dim = blocks;
  return ge::GRAPH_SUCCESS;
}
std::uint32_t TilingContext::GetBlockDim() const {
  return state_->block_dim;
}
ge::graphStatus TilingContext::SetAicpuNumBlocks(std::uint32_t blocks) {
  state_->aicpu_blocks = blocks;
  return ge::GRAPH_SUCCESS;
}
std::uint32_t TilingContext::GetAicpuNumBlocks() const {
  return state_->aicpu_blocks;
}
ge::graphStatus TilingContext::SetTilingKey(std::uint64_t key) {
  state_->tiling_key = key;
  return ge::GRAPH_SUCCESS;
}
std::uint64_t TilingContext::GetTilingKey() const {
  return state_->tiling_key;
}
std::size_t* TilingContext::GetWorkspaceSizes(std::size_t count) {
  if (count > davsim::op_host::TilingState::kMostWorkspaces) return nullptr;
  state_->workspaces.resize(count);
  return state_->workspaces.data();
}
std::size_t TilingContext::GetWorkspaceNum() const {
  return state_->workspaces.size();
}
ge::graphStatus TilingContext::SetScheduleMode(std::uint32_t mode) {
  state_->schedule_mode = mode;
  return ge::GRAPH_SUCCESS;
}
std::uint32_t TilingContext::GetScheduleMode() const {
  return state_->schedule_mode;
}
ge::graphStatus TilingContext::SetLocalMemorySize(std::uint32_t bytes) {
  state_->local_memory_size = bytes;
  return ge::GRAPH_SUCCESS;
}
std::uint32_t TilingContext::GetLocalMemorySize() const {
  return state_->local_memory_size;
}
ge::graphStatus TilingContext::SetNeedAtomic(bool need) {
  state_->need_atomic = need;
  return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const {
  return state_->need_atomic;
}
ge::graphStatus TilingContext::SetTilingCond(std::int32_t condition) {
  state_->tiling_condition = condition;
  return ge::GRAPH_SUCCESS;
}
std::int32_t TilingContext::GetTilingCond() const {
  return state_->tiling_condition;
}

const Shape* InferShapeContext::GetInputShape(std::size_t index) const {
  return storage_of(InputTensor(index));
}
const Shape* InferShapeContext::GetRequiredInputShape(std::size_t parameter) const {
  return storage_of(InputTensor(parameter, 0));
}
const Shape* InferShapeContext::GetOptionalInputShape(std::size_t parameter) const {
  return storage_of(InputTensor(parameter, 0));
}
const Shape* InferShapeContext::GetDynamicInputShape(std::size_t parameter, std::size_t i) const {
  return storage_of(InputTensor(parameter, i));
}
const Tensor* InferShapeContext::GetInputTensor(std::size_t index) const {
  return InputTensor(index);
}
const Tensor* InferShapeContext::GetRequiredInputTensor(std::size_t parameter) const {
  return InputTensor(parameter, 0);
}
const Tensor* InferShapeContext::GetOptionalInputTensor(std::size_t parameter) const {
  return InputTensor(parameter, 0);
}
const Tensor* InferShapeContext::GetDynamicInputTensor(std::size_t parameter, std::size_t i) const {
  return InputTensor(parameter, i);
}
Shape* InferShapeContext::GetOutputShape(std::size_t index) {
  Tensor* tensor = OutputTensor(index);
  return tensor == nullptr ? nullptr : &tensor->MutableStorageShape();
}

ge::DataType InferDataTypeContext::GetInputDataType(std::size_t index) const {
  return type_of(InputTensor(index));
}
ge::DataType InferDataTypeContext::GetRequiredInputDataType(std::size_t parameter) const {
  return type_of(InputTensor(parameter, 0));
}
ge::DataType InferDataTypeContext::GetOptionalInputDataType(std::size_t parameter) const {
  return type_of(InputTensor(parameter, 0));
}
ge::DataType InferDataTypeContext::GetDynamicInputDataType(std::size_t parameter,
                                                           std::size_t i) const {
  return type_of(InputTensor(parameter, i));
}
ge::DataType InferDataTypeContext::GetOutputDataType(std::size_t index) const {
  return type_of(OutputTensor(index));
}
ge::graphStatus InferDataTypeContext::SetOutputDataType(std::size_t index, ge::DataType type) {
  Tensor* tensor = OutputTensor(index);
  if (tensor == nullptr) return ge::GRAPH_FAILED;
  tensor->SetDataType(type);
  return ge::GRAPH_SUCCESS;
}

}  // namespace gert
