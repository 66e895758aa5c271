// Launches of the project's operators by hand-written aclnn functions.
#include <algorithm>

#include "opdev/op_arg_def.h"
#include "runtime/aclnn/operator_call.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/op_api/work_list.hpp"
#include "runtime/op_host/platform.hpp"

namespace davsim::op_api {
namespace {

using op_host::Definition;
using op_host::Parameter;
using runtime::ApiError;
using Kind = ::ops::OpAttrDef::Kind;

constexpr DavsimArgument kMissing = {DAVSIM_TENSOR, nullptr, 0, 0};

/// The attribute's value in the form of its definition: functions pass numbers of any type.
DavsimArgument of_kind(const DavsimArgument& given, Kind kind) {
  const bool whole = given.kind == DAVSIM_INT || given.kind == DAVSIM_BOOL;
  if (kind == Kind::kFloat && whole) return argument(static_cast<double>(given.whole));
  if (kind == Kind::kInt && given.kind == DAVSIM_BOOL) return argument(given.whole);
  if (kind == Kind::kBool && given.kind == DAVSIM_INT) return argument(given.whole != 0);
  return given;
}

/// Takes what is at the front, or what stands for what is not given.
DavsimArgument at(const std::vector<DavsimArgument>& given, std::size_t i,
                  const DavsimArgument& missing) {
  return i < given.size() ? given[i] : missing;
}

void require_at_most(const std::vector<DavsimArgument>& given, std::size_t most,
                     const std::string& what) {
  if (given.size() <= most) return;
  runtime::refuse_aclnn("the function passes " + std::to_string(given.size()) + " " + what +
                        "; the operator has " + std::to_string(most));
}

/// The call's arguments in the order in which generated functions pass them: outputs that are
/// inputs come once.
std::vector<DavsimArgument> ordered(const Definition& definition, const Call& call) {
  require_at_most(call.inputs, definition.inputs.size(), "inputs");
  require_at_most(call.outputs, definition.outputs.size(), "outputs");
  require_at_most(call.attributes, definition.attributes.size(), "attributes");
  std::vector<DavsimArgument> all;
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    all.push_back(at(call.inputs, i, kMissing));
  }
  for (std::size_t i = 0; i < definition.attributes.size(); ++i) {
    const Kind kind = definition.attributes[i].kind();
    if (!runtime::has_parameter(definition.attributes[i])) continue;
    all.push_back(of_kind(at(call.attributes, i, {DAVSIM_STRING, nullptr, 0, 0}), kind));
  }
  for (std::size_t i = 0; i < definition.outputs.size(); ++i) {
    if (!definition.outputs[i].input) all.push_back(at(call.outputs, i, kMissing));
  }
  return all;
}

runtime::BoundCall bound(const char* type, const Call& call) {
  runtime::load_operator(type);
  Definition definition =
      op_host::definition_of(type, op_host::compute_unit_of(runtime::Simulator::instance().soc()));
  const std::vector<DavsimArgument> arguments = ordered(definition, call);
  return runtime::bind_call(std::move(definition), arguments.data(), arguments.size());
}

}  // namespace

aclnnStatus add_operator(aclOpExecutor* executor, const char* type, const Call& call) {
  return runtime::phase(type, [&] {
    runtime::require_aclnn(executor, "executor");
    WorkList* const work = executor->work();
    if (work == nullptr) {
      throw ApiError(ACLNN_ERR_INNER_CREATE_EXECUTOR, "the executor is none of CREATE_EXECUTOR");
    }
    work->add(std::make_unique<runtime::OperatorExecutor>(runtime::Simulator::instance(),
                                                          bound(type, call)));
  });
}

aclnnStatus infer_shapes(const char* type, const Call& call) {
  return runtime::phase(type, [&] {
    const runtime::BoundCall known = bound(type, call);
    std::vector<gert::Shape> shapes;
    try {
      shapes = op_host::infer_shapes(known.definition, known.arguments());
    } catch (const op_host::FunctionError& error) {
      throw ApiError(ACLNN_ERR_INNER_INFERSHAPE_ERROR, error.what());
    }
    for (std::size_t i = 0; i < std::min(shapes.size(), call.outputs.size()); ++i) {
      const DavsimArgument& output = call.outputs[i];
      if (output.kind != DAVSIM_TENSOR || output.object == nullptr) continue;
      auto* const tensor = const_cast<aclTensor*>(static_cast<const aclTensor*>(output.object));
      tensor->SetViewShape(shapes[i]);
      tensor->storage_shape = tensor->original_shape = shapes[i];
    }
  });
}

}  // namespace davsim::op_api
