#include "runtime/aclnn/named_call.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include "runtime/aclnn/installed_operators.hpp"
#include "runtime/aclnn/operator_executor.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/device_copies.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/tensor_desc.hpp"
#include "runtime/op_host/platform.hpp"

namespace davsim::runtime {
namespace {

using op_host::Parameter;
using Attribute = ::ops::OpAttrDef;
using Kind = Attribute::Kind;

/// What the arguments of a call point to.
class ArgumentMaker {
 public:
  ArgumentMaker(const std::string& type, DeviceCopies& copies) : type_(type), copies_(copies) {}

  /// The tensors [from, from + count) as one parameter.
  DavsimArgument tensors(const Parameter& parameter, const std::vector<NamedTensor>& all,
                         std::size_t from, std::size_t count, int code) {
    if (parameter.kind == ::ops::DYNAMIC) {
      aclTensorList& list = lists_.emplace_back();
      for (std::size_t i = from; i < from + count; ++i) {
        list.values.push_back(tensor(parameter, all[i], code));
      }
      return davsim::argument(&list);
    }
    const aclTensor* const one = count == 0 ? nullptr : tensor(parameter, all[from], code);
    if (one == nullptr && parameter.kind != ::ops::OPTIONAL) {
      throw ApiError(code, type_ + ": " + parameter.name + " is missing");
    }
    return davsim::argument(one);
  }

  DavsimArgument attribute(const Attribute& attribute, const Attribute::Value* value) {
    // None: the operator's default, if it has one.
    if (value == nullptr) return {DAVSIM_STRING, nullptr, 0, 0};
    const auto* const whole = std::get_if<std::int64_t>(value);
    const auto* const truth = std::get_if<bool>(value);
    const auto* const real = std::get_if<double>(value);
    const auto as_whole = [&] { return whole != nullptr ? *whole : std::int64_t{*truth}; };
    switch (attribute.kind()) {
      case Kind::kBool:
        if (whole == nullptr && truth == nullptr) break;
        return davsim::argument(as_whole() != 0);
      case Kind::kInt:
        if (whole == nullptr && truth == nullptr) break;
        return davsim::argument(as_whole());
      case Kind::kFloat:
        if (real != nullptr) return davsim::argument(*real);
        if (whole != nullptr) return davsim::argument(static_cast<double>(*whole));
        break;
      case Kind::kString:
        if (const auto* text = std::get_if<std::string>(value)) {
          return davsim::argument(text->c_str());
        }
        break;
      case Kind::kListInt:
        if (const auto* list = std::get_if<Attribute::Ints>(value)) {
          return davsim::argument(&ints_.emplace_back(aclIntArray{{*list}}));
        }
        break;
      case Kind::kListFloat:
        if (const auto* list = std::get_if<std::vector<double>>(value)) {
          return davsim::argument(
              &floats_.emplace_back(aclFloatArray{{{list->begin(), list->end()}}}));
        }
        break;
      case Kind::kListBool:
        if (const auto* list = std::get_if<std::vector<bool>>(value)) {
          return davsim::argument(
              &bools_.emplace_back(aclBoolArray{{{list->begin(), list->end()}}}));
        }
        break;
      default:
        break;
    }
    throw ApiError(ACL_ERROR_OP_ATTR_NOT_MATCH, type_ + ": attribute " + attribute.name() +
                                                    " was set as another type than it has");
  }

 private:
  /// Null for a tensor that says that it is not there.
  const aclTensor* tensor(const Parameter& parameter, const NamedTensor& named, int code) {
    if (named.desc == nullptr || aclGetTensorDescType(named.desc) == ACL_DT_UNDEFINED)
      return nullptr;
    aclTensor& made = tensors_.emplace_back();
    made.type = aclGetTensorDescType(named.desc);
    made.format = aclGetTensorDescFormat(named.desc);
    for (std::size_t i = 0; i < aclGetTensorDescNumDims(named.desc); ++i) {
      std::int64_t size = 0;
      if (aclGetTensorDescDimV2(named.desc, i, &size) != ACL_SUCCESS || size < 0) {
        throw ApiError(code, type_ + ": " + parameter.name + " has an unknown size");
      }
      made.storage_shape.AppendDim(size);
    }
    made.SetViewShape(made.storage_shape);
    const std::size_t bytes = aclGetTensorDescSize(named.desc);
    const std::size_t room = named.buffer == nullptr ? 0 : aclGetDataBufferSizeV2(named.buffer);
    if (bytes > 0 && named.desc->values.size() >= bytes) {
      made.data = copies_.copy(named.desc->values.data(), bytes);
      return &made;
    }
    if (room < bytes) {
      throw ApiError(code, type_ + ": the buffer of " + parameter.name + " has " +
                               std::to_string(room) + " bytes, its tensor " +
                               std::to_string(bytes));
    }
    made.data = aclGetDataBufferAddr(named.buffer);
    // Values that operators need while they are prepared may lie on the host.
    if (bytes > 0 && code == ACL_ERROR_OP_INPUT_NOT_MATCH && made.data != nullptr &&
        !Simulator::instance().memory().on_device(made.data)) {
      made.data = copies_.copy(made.data, bytes);
    }
    return &made;
  }

  const std::string& type_;
  DeviceCopies& copies_;
  // Deques, because arguments point to their elements.
  std::deque<aclTensor> tensors_;
  std::deque<aclTensorList> lists_;
  std::deque<aclIntArray> ints_;
  std::deque<aclFloatArray> floats_;
  std::deque<aclBoolArray> bools_;
};

/// How many of `given` tensors each parameter gets.
std::vector<std::size_t> shares(const std::string& type, const std::vector<Parameter>& parameters,
                                std::size_t given, int code) {
  const auto is_list = [](const Parameter& p) { return p.kind == ::ops::DYNAMIC; };
  const auto lists = std::count_if(parameters.begin(), parameters.end(), is_list);
  if (lists > 1) {
    throw ApiError(code, type +
                             " has several lists of tensors, which a call by name cannot tell "
                             "apart; call its aclnn function");
  }
  const std::size_t single = parameters.size() - static_cast<std::size_t>(lists);
  if (lists == 0 && given > single) {
    throw ApiError(code, type + " has " + std::to_string(single) + " of these tensors, not " +
                             std::to_string(given));
  }
  std::vector<std::size_t> counts;
  std::size_t left = given;
  for (const Parameter& parameter : parameters) {
    const std::size_t most = is_list(parameter) ? (given > single ? given - single : 0) : 1;
    counts.push_back(std::min(most, left));
    left -= counts.back();
  }
  return counts;
}

void add_tensors(ArgumentMaker& maker, std::vector<DavsimArgument>& arguments,
                 const std::string& type, const std::vector<Parameter>& parameters,
                 const std::vector<NamedTensor>& tensors, int code) {
  const std::vector<std::size_t> counts = shares(type, parameters, tensors.size(), code);
  std::size_t at = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // An output that is an input has been given as one.
    if (!parameters[i].input || code == ACL_ERROR_OP_INPUT_NOT_MATCH) {
      arguments.push_back(maker.tensors(parameters[i], tensors, at, counts[i], code));
    }
    at += counts[i];
  }
}

/// The operator's own errors are those of aclnn, which callers by name do not know.
[[noreturn]] void rethrow_for_names(const ApiError& error) {
  const int family = error.code / 1000;
  if (family == 161) throw ApiError(ACL_ERROR_INVALID_PARAM, error.what());
  if (family == 561) throw ApiError(ACL_ERROR_INTERNAL_ERROR, error.what());
  throw error;
}

op_host::Definition definition_on_device(const std::string& type) {
  load_installed_operator(type);
  return op_host::definition_of(type, op_host::compute_unit_of(Simulator::instance().soc()));
}

/// The value that the call sets; null: none.
const Attribute::Value* value_of(const NamedCall& call, const Attribute& attribute) {
  if (call.attributes == nullptr) return nullptr;
  const auto set = call.attributes->values.find(attribute.name());
  return set == call.attributes->values.end() ? nullptr : &set->second;
}

/// Lists of lists, which aclnn functions have no parameter for.
void set_lists(const NamedCall& call, BoundCall& bound) {
  for (std::size_t i = 0; i < bound.definition.attributes.size(); ++i) {
    const Attribute& attribute = bound.definition.attributes[i];
    const Attribute::Value* const value = value_of(call, attribute);
    if (attribute.kind() != Kind::kListListInt || value == nullptr) continue;
    if (!std::holds_alternative<std::vector<Attribute::Ints>>(*value)) {
      throw ApiError(ACL_ERROR_OP_ATTR_NOT_MATCH,
                     call.type + ": attribute " + attribute.name() + " is a list of lists");
    }
    bound.attributes[i] = *value;
  }
}

}  // namespace

void find_named(const std::string& type) {
  definition_on_device(type);
}

void run_named(const NamedCall& call, aclrtStream stream) {
  const auto on = Process::instance().stream(stream);
  Simulator& simulator = Simulator::instance();
  require_device_sound(simulator);
  op_host::Definition definition = definition_on_device(call.type);
  DeviceCopies copies(simulator, on);
  ArgumentMaker maker(call.type, copies);
  std::vector<DavsimArgument> arguments;
  add_tensors(maker, arguments, call.type, definition.inputs, call.inputs,
              ACL_ERROR_OP_INPUT_NOT_MATCH);
  for (const Attribute& attribute : definition.attributes) {
    if (!has_parameter(attribute)) continue;
    arguments.push_back(maker.attribute(attribute, value_of(call, attribute)));
  }
  add_tensors(maker, arguments, call.type, definition.outputs, call.outputs,
              ACL_ERROR_OP_OUTPUT_NOT_MATCH);
  try {
    BoundCall bound = bind_call(std::move(definition), arguments.data(), arguments.size());
    set_lists(call, bound);
    OperatorExecutor executor(simulator, std::move(bound));
    const std::uint64_t bytes = executor.workspace_bytes();
    executor.launch(on, bytes > 0 ? copies.block(bytes) : nullptr, bytes);
  } catch (const ApiError& error) {
    rethrow_for_names(error);
  }
}

}  // namespace davsim::runtime
