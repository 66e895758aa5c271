// An operator of a library as davsim's registry of operators sees it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "isa/core/kernel_registry.hpp"
#include "kernels/registry/operator.hpp"
#include "runtime/core/slot_call.hpp"
#include "runtime/op_host/elements.hpp"
#include "runtime/op_host/kernel_choice.hpp"
#include "runtime/op_host/library.hpp"
#include "runtime/op_host/list_descriptor.hpp"
#include "runtime/op_host/platform.hpp"
#include "runtime/op_host/tiling.hpp"
#include "runtime/operator_library/call_arguments.hpp"
#include "runtime/operator_library/info.hpp"
#include "runtime/operator_library/load.hpp"

namespace davsim::op_library {
namespace {

using op_host::Definition;
using op_host::Parameter;
using op_host::Tiling;
using operators::Call;
using operators::ErrorClass;
using operators::Refusal;
using operators::Tensor;
using operators::TensorMap;

[[noreturn]] void refuse(ErrorClass cls, const std::string& rule, const std::string& found) {
  throw Refusal(cls, rule, rule + "; " + found);
}

/// The types of a column's inputs: "x float16, y float16".
std::string types_text(const Definition& definition, std::size_t column) {
  std::string text;
  for (const Parameter& input : definition.inputs) {
    const auto dtype = dtype_of(input.types[column]);
    text += (text.empty() ? "" : ", ") + input.name + " " +
            std::string(dtype ? isa::dtype_name(*dtype) : "of a type that davsim lacks");
  }
  return text;
}

std::string types_text(const Definition& definition, const Call& call) {
  std::string text;
  for (const Parameter& input : definition.inputs) {
    for (const Tensor& tensor : tensors_of(call, input)) {
      text += (text.empty() ? "" : ", ") + input.name + " " +
              std::string(isa::dtype_name(tensor.dtype()));
    }
  }
  return text;
}

std::size_t required_column(const Definition& definition, const Call& call) {
  const auto column = column_of(definition, call);
  if (column) return *column;
  std::string allowed;
  for (std::size_t i = 0; i < definition.columns; ++i) {
    allowed += (i > 0 ? " or " : "") + types_text(definition, i);
  }
  refuse(ErrorClass::kDtype, "the dtypes of " + definition.type + " are " + allowed,
         "found " + types_text(definition, call));
}

std::vector<gert::Shape> output_shapes(const Definition& definition,
                                       const op_host::Arguments& arguments) {
  std::vector<gert::Shape> shapes;
  try {
    shapes = op_host::infer_shapes(definition, arguments);
  } catch (const op_host::FunctionError& error) {
    throw Refusal(ErrorClass::kShape, "the shapes of the outputs can be inferred", error.what());
  }
  // Without inference every output has the shape of the first input; a warning says so.
  const gert::Shape first = arguments.inputs.empty() || arguments.inputs[0].empty()
                                ? gert::Shape()
                                : arguments.inputs[0][0].shape;
  shapes.resize(definition.outputs.size(), first);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (op_host::elements_of(shapes[i])) continue;
    refuse(ErrorClass::kShape, "an output has a size that a device can hold",
           "InferShape gives output " + definition.outputs[i].name + " " +
               operators::to_string(plain_shape(shapes[i])));
  }
  return shapes;
}

/// A call on one SoC: everything that is known before it is launched.
struct Plan {
  Plan(const std::string& type, const Call& call, const sim::SocConfig& soc)
      : unit(op_host::compute_unit_of(soc)),
        definition(op_host::definition_of(type, unit)),
        column(required_column(definition, call)),
        arguments(arguments_of(definition, call, column)) {
    const auto shapes = output_shapes(definition, arguments);
    for (std::size_t i = 0; i < shapes.size(); ++i) arguments.outputs[i][0].shape = shapes[i];
    try {
      tiling = op_host::run_tiling(definition, arguments, op_host::platform_of(soc));
    } catch (const op_host::FunctionError& error) {
      throw Refusal(ErrorClass::kUnsupported,
                    "the tiling function of " + type + " accepts the call", error.what());
    }
    try {
      kernel = op_host::kernel_for(definition, unit, column, tiling.key);
    } catch (const op_host::KernelMissing& missing) {
      throw Refusal(ErrorClass::kUnsupported, missing.rule, missing.what());
    }
  }

  std::string unit;
  Definition definition;
  std::size_t column;
  op_host::Arguments arguments;
  Tiling tiling;
  op_host::OperatorKernel kernel{};
};

/// The arguments of a kernel, and what they point to beside the call's own tensors.
class KernelArguments {
 public:
  KernelArguments(const Plan& plan, const Call& call, const TensorMap& outputs,
                  memory::GlobalMemory& memory)
      : memory_(memory) {
    for (std::size_t i = 0; i < plan.definition.inputs.size(); ++i) {
      add_input(plan.definition.inputs[i], plan.arguments.inputs[i]);
    }
    for (const Parameter& output : plan.definition.outputs) {
      const Tensor& tensor = output.input ? call.tensors.at(output.name) : outputs.at(output.name);
      if (!output.init.empty()) {
        op_host::fill_elements(tensor.data(), static_cast<std::size_t>(tensor.elements()),
                               data_type_of(tensor.dtype()),
                               output.init[std::min(plan.column, output.init.size() - 1)]);
      }
      add(tensor.gm());
    }
    add_workspace(plan.tiling.workspace_bytes);
    add(plan.tiling.data.empty() ? nullptr : keep(plan.tiling.data, "tiling"));
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(slots_.size()); }
  const std::byte* slots() const { return reinterpret_cast<const std::byte*>(slots_.data()); }

 private:
  void add(const void* pointer) { slots_.push_back(reinterpret_cast<std::uint64_t>(pointer)); }

  void add_input(const Parameter& input, const op_host::ParameterArgument& tensors) {
    if (input.kind == ::ops::DYNAMIC) {
      add(keep(op_host::list_descriptor(tensors), input.name + " (list)"));
    } else {
      add(tensors.empty() ? nullptr : tensors.front().data);
    }
  }

  void add_workspace(std::uint64_t bytes) {
    if (bytes == 0) return add(nullptr);
    try {
      kept_.emplace_back(memory_, isa::DType::kU8,
                         operators::Shape{static_cast<std::int64_t>(bytes)}, "workspace");
    } catch (const std::bad_alloc&) {
      refuse(ErrorClass::kUnsupported, "the workspace fits in the SoC's global memory",
             "the tiling function asks for " + std::to_string(bytes) + " bytes");
    }
    memory_.declare_unwritten(kept_.back().data());
    add(kept_.back().gm());
  }

  /// A copy of words in global memory.
  const void* keep(const std::vector<std::uint64_t>& words, const std::string& name) {
    kept_.emplace_back(memory_, isa::DType::kU64,
                       operators::Shape{static_cast<std::int64_t>(words.size())}, name);
    std::memcpy(kept_.back().data(), words.data(), words.size() * sizeof(std::uint64_t));
    return kept_.back().data();
  }

  memory::GlobalMemory& memory_;
  std::vector<Tensor> kept_;
  std::vector<std::uint64_t> slots_;
};

/// The launches of this scope have a tiling key.
class KeyedLaunches {
 public:
  KeyedLaunches(sim::Device& device, std::uint64_t key) : device_(device) {
    device_.set_tiling_key(key);
  }
  ~KeyedLaunches() { device_.set_tiling_key(0); }
  KeyedLaunches(const KeyedLaunches&) = delete;
  KeyedLaunches& operator=(const KeyedLaunches&) = delete;

 private:
  sim::Device& device_;
};

class CustomOperator final : public operators::Operator {
 public:
  explicit CustomOperator(const std::string& type) : info_(info_of(type)) {}

  const operators::OperatorInfo& info() const override { return info_; }

  void validate(const Call& call, const sim::SocConfig& soc) const override {
    const Plan plan(info_.name, call, soc);
    if (!plan.definition.groups.empty()) {
      refuse(ErrorClass::kUnsupported, "an operator runs on one die",
             info_.name + " communicates with others");
    }
  }

  std::vector<std::string> warnings(const Call&, bool) const override {
    if (op_host::definition_of(info_.name, "").functions.infer_shape != nullptr) return {};
    return {info_.name +
            " registers no InferShape function: its outputs take the shape of the first input"};
  }

  std::vector<operators::TensorShape> infer(const Call& call) const override {
    std::vector<operators::TensorShape> outputs;
    const auto [definition, column] = definition_for(call);
    const auto shapes = output_shapes(definition, arguments_of(definition, call, column));
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const Parameter& output = definition.outputs[i];
      if (output.input) continue;
      const auto dtype = dtype_of(output.types[column]);
      if (!dtype) {
        refuse(ErrorClass::kDtype, "outputs have types that davsim has",
               "output " + output.name + " has another");
      }
      outputs.push_back({output.name, *dtype, plain_shape(shapes[i])});
    }
    return outputs;
  }

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    const Plan plan(info_.name, call, device.soc());
    const KernelArguments arguments(plan, call, outputs, device.memory());
    isa::KernelEntry entry = isa::find_kernel(plan.kernel.kernel);
    const runtime::SlotCall function = runtime::slot_call(arguments.count());
    if (function == nullptr) {
      refuse(ErrorClass::kUnsupported,
             "a kernel has at most " + std::to_string(runtime::kMostWords) + " parameters",
             plan.definition.kernel + " has " + std::to_string(arguments.count()));
    }
    const auto bound = [&](isa::KernelFunction half) -> std::function<void()> {
      if (half == nullptr) return {};
      return [=, slots = arguments.slots()] { function(half, slots); };
    };
    entry.name = plan.kernel.name;
    const KeyedLaunches keyed(device, plan.tiling.key);
    return device.launch(entry, plan.tiling.block_dim, bound(entry.aic), bound(entry.aiv));
  }

  operators::Cost cost(const Call& call) const override {
    operators::Cost cost;
    for (const auto& [name, tensor] : call.tensors) {
      cost.min_bytes += static_cast<double>(tensor.bytes());
    }
    for (const operators::TensorShape& output : infer(call)) {
      cost.min_written_bytes += static_cast<double>(operators::element_count(output.shape)) *
                                static_cast<double>(isa::dtype_bits(output.dtype)) / 8;
    }
    cost.min_bytes += cost.min_written_bytes;
    return cost;
  }

  std::vector<operators::ExampleCase> cases() const override { return {}; }
  Call make_case(std::string_view id, memory::GlobalMemory&) const override {
    throw std::invalid_argument(info_.name + " has no case '" + std::string(id) + "'");
  }

 private:
  /// The definition of the first compute unit that takes the call. Types of outputs and their
  /// shapes are the same on all that do.
  std::pair<Definition, std::size_t> definition_for(const Call& call) const {
    for (const std::string& unit : op_host::definition_of(info_.name, "").units) {
      Definition definition = op_host::definition_of(info_.name, unit);
      if (const auto column = column_of(definition, call)) return {std::move(definition), *column};
    }
    Definition definition = op_host::definition_of(info_.name, "");
    const std::size_t column = required_column(definition, call);
    return {std::move(definition), column};
  }

  const operators::OperatorInfo info_;
};

}  // namespace

void load_operators(const std::string& path) {
  const std::vector<std::string> before = op_host::registered_operators();
  op_host::load_library(path);
  std::size_t added = 0;
  for (const std::string& type : op_host::registered_operators()) {
    if (std::find(before.begin(), before.end(), type) != before.end()) continue;
    try {
      const operators::OperatorRegistrar registrar(std::make_unique<CustomOperator>(type));
    } catch (const std::logic_error& error) {
      throw std::invalid_argument("the library of operators " + path + ": " + error.what());
    }
    ++added;
  }
  if (added == 0) {
    throw std::invalid_argument("a library of operators registers one with OP_ADD; " + path +
                                " registers none that is not loaded already");
  }
}

}  // namespace davsim::op_library
