#include "runtime/op_host/tiling.hpp"

#include <memory>

#include "isa/core/kernel_registry.hpp"

namespace davsim::op_host {
namespace {

// Bytes of tiling data where an operator asks for no room: more than launches have in practice.
constexpr std::size_t kTilingCapacity = 64u << 10;

void require_success(const Definition& definition, const char* function, ge::graphStatus status) {
  if (status == ge::GRAPH_SUCCESS) return;
  throw FunctionError(std::string("the ") + function + " of " + definition.type +
                      " succeeds; it returned " +
                      (status == ge::GRAPH_FAILED ? "GRAPH_FAILED" : std::to_string(status)));
}

/// Runs a function of the operator. What it throws is the operator's error.
template <class Function, class Context>
void call(const Definition& definition, const char* name, const Function& function,
          Context& context) {
  ge::graphStatus status = ge::GRAPH_FAILED;
  try {
    status = function(&context);
  } catch (const std::exception& error) {
    throw FunctionError(std::string("the ") + name + " of " + definition.type +
                        " throws nothing; it threw '" + error.what() + "'");
  } catch (...) {
    throw FunctionError(std::string("the ") + name + " of " + definition.type +
                        " throws nothing; it threw something that is no std::exception");
  }
  require_success(definition, name, status);
}

std::shared_ptr<void> compile_info_of(const Definition& definition, fe::PlatFormInfos& platform) {
  const Functions& functions = definition.functions;
  if (!functions.parse) return nullptr;
  std::shared_ptr<void> info = functions.make_compile_info();
  gert::TilingParseContext context(info.get(), &platform, definition.type.c_str());
  call(definition, "TilingParse function", functions.parse, context);
  return info;
}

void check_results(const Definition& definition, const TilingState& state) {
  const std::string function = "the tiling function of " + definition.type;
  if (state.block_dim == 0 || state.block_dim > isa::kMostBlocks) {
    throw FunctionError(function + " sets a block number from 1 to " +
                        std::to_string(isa::kMostBlocks) + "; it is " +
                        std::to_string(state.block_dim));
  }
  if (state.data.GetDataSize() > state.data.GetCapacity()) {
    throw FunctionError(function + " stays within the capacity of the tiling data, " +
                        std::to_string(state.data.GetCapacity()) +
                        " bytes; SetDataSize was given " +
                        std::to_string(state.data.GetDataSize()));
  }
}

}  // namespace

Tiling run_tiling(const Definition& definition, const Arguments& arguments,
                  fe::PlatFormInfos platform) {
  Tiling tiling;
  const Functions& functions = definition.functions;
  if (functions.tiling == nullptr) return tiling;
  const std::shared_ptr<void> compile_info = compile_info_of(definition, platform);
  const std::size_t capacity =
      functions.tiling_capacity > kTilingCapacity ? functions.tiling_capacity : kTilingCapacity;
  Node node(definition, arguments);
  TilingState state(capacity, platform, compile_info.get());
  gert::TilingContext context(node, state);
  call(definition, "tiling function", functions.tiling, context);
  check_results(definition, state);
  tiling.block_dim = state.block_dim;
  tiling.key = state.tiling_key;
  for (const std::size_t bytes : state.workspaces) {
    if (__builtin_add_overflow(tiling.workspace_bytes, bytes, &tiling.workspace_bytes)) {
      throw FunctionError("the workspaces of " + definition.type + " together exceed 64 bits");
    }
  }
  tiling.data_bytes = state.data.GetDataSize();
  const std::size_t words = (tiling.data_bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  tiling.data.assign(state.buffer.begin(),
                     state.buffer.begin() + static_cast<std::ptrdiff_t>(words));
  return tiling;
}

std::vector<gert::Shape> infer_shapes(const Definition& definition, const Arguments& arguments) {
  if (definition.functions.infer_shape == nullptr) return {};
  Node node(definition, arguments);
  gert::InferShapeContext context(node);
  call(definition, "InferShape function", definition.functions.infer_shape, context);
  std::vector<gert::Shape> shapes;
  for (const gert::Tensor& output : node.outputs) shapes.push_back(output.GetStorageShape());
  return shapes;
}

}  // namespace davsim::op_host
