// A call of an operator as the contexts of its functions show it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "runtime/op_host/definition.hpp"

namespace davsim::op_host {

/// A tensor of a call. `data` is where the host reads its elements.
struct TensorArgument {
  ge::DataType type = ge::DT_UNDEFINED;
  ge::Format format = ge::FORMAT_ND;
  gert::Shape shape;  ///< as it lies in memory
  const void* data = nullptr;
  /// Of a view: steps between the elements of each dimension, and elements before the first one.
  /// No steps: the elements follow each other.
  std::vector<std::int64_t> strides = {};
  std::int64_t offset = 0;
};
/// The tensors of a parameter: one, none if an optional one is missing, any number of a dynamic
/// one.
using ParameterArgument = std::vector<TensorArgument>;

/// Everything by the order of the definition. An attribute without a value takes its default, or 0
/// and nothing in it where it has none.
struct Arguments {
  std::vector<ParameterArgument> inputs, outputs;
  std::vector<::ops::OpAttrDef::Value> attributes;
};

/// What TilingContext says of a tensor with strides.
struct View {
  gert::Stride stride;
  std::int64_t offset = 0;
};

struct Node {
  Node(const Definition& definition, const Arguments& arguments);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  std::string name, type;
  std::vector<gert::AnchorInstanceInfo> input_parameters, output_parameters;
  std::vector<gert::Tensor> inputs, outputs;
  std::vector<std::optional<View>> input_views, output_views;  ///< one a tensor
  std::vector<gert::CompileTimeTensorDesc> input_descs, output_descs;
  gert::RuntimeAttrs attributes;
  gert::ComputeNodeInfo info{*this};
};

/// What a tiling function leaves behind.
struct TilingState {
  static constexpr std::size_t kMostWorkspaces = 16;

  TilingState(std::size_t capacity, fe::PlatFormInfos& platform, const void* compile_info)
      : buffer(capacity / sizeof(std::uint64_t)),
        data(buffer.data(), buffer.size() * sizeof(std::uint64_t)),
        platform(&platform),
        compile_info(compile_info) {}
  TilingState(const TilingState&) = delete;
  TilingState& operator=(const TilingState&) = delete;

  std::vector<std::uint64_t> buffer;
  gert::TilingData data;
  fe::PlatFormInfos* platform;
  const void* compile_info;
  std::uint32_t block_dim = 0;
  std::uint64_t tiling_key = 0;
  std::vector<std::size_t> workspaces;
  std::uint32_t schedule_mode = 0, local_memory_size = 0, aicpu_blocks = 0;
  std::int32_t tiling_condition = 0;
  bool need_atomic = false;
};

}  // namespace davsim::op_host
