// What the contexts of all functions of an operator have in common.
#pragma once

#include <cstddef>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"

namespace davsim::op_host {
struct Node;
}

namespace gert {

/// The node itself: its name, and what its parameters are.
class ComputeNodeInfo {
 public:
  explicit ComputeNodeInfo(const davsim::op_host::Node& node) : node_(&node) {}

  const char* GetNodeType() const;
  const char* GetNodeName() const;
  std::size_t GetIrInputsNum() const;
  std::size_t GetIrOutputsNum() const;
  std::size_t GetInputsNum() const;
  std::size_t GetOutputsNum() const;
  /// Null beyond the last one, here and below.
  const AnchorInstanceInfo* GetInputInstanceInfo(std::size_t parameter) const;
  const AnchorInstanceInfo* GetOutputInstanceInfo(std::size_t parameter) const;
  const CompileTimeTensorDesc* GetInputTdInfo(std::size_t index) const;
  const CompileTimeTensorDesc* GetOutputTdInfo(std::size_t index) const;
  const RuntimeAttrs* GetAttrs() const;

 private:
  const davsim::op_host::Node* node_;
};

/// An index counts the tensors that the node has: an optional input that is missing has none. A
/// parameter counts what the operator declares. Functions return null for what does not exist.
class ExtendedKernelContext {
 public:
  explicit ExtendedKernelContext(davsim::op_host::Node& node) : node_(&node) {}

  const char* GetNodeType() const;
  const char* GetNodeName() const;
  std::size_t GetComputeNodeInputNum() const;
  std::size_t GetComputeNodeOutputNum() const;
  const ComputeNodeInfo* GetComputeNodeInfo() const;
  const RuntimeAttrs* GetAttrs() const;

  const CompileTimeTensorDesc* GetInputDesc(std::size_t index) const;
  const CompileTimeTensorDesc* GetRequiredInputDesc(std::size_t parameter) const;
  const CompileTimeTensorDesc* GetOptionalInputDesc(std::size_t parameter) const;
  const CompileTimeTensorDesc* GetDynamicInputDesc(std::size_t parameter, std::size_t i) const;
  const CompileTimeTensorDesc* GetOutputDesc(std::size_t index) const;
  const AnchorInstanceInfo* GetIrInputInstanceInfo(std::size_t parameter) const;
  const AnchorInstanceInfo* GetIrOutputInstanceInfo(std::size_t parameter) const;

 protected:
  const Tensor* InputTensor(std::size_t index) const;
  const Tensor* InputTensor(std::size_t parameter, std::size_t i) const;
  Tensor* OutputTensor(std::size_t index) const;

  davsim::op_host::Node* node_;
};

}  // namespace gert
