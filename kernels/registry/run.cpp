// The part of a call that is the same for every operator: the rules that follow from its tables,
// in the documented order, and the run.
#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernels/registry/attributes.hpp"
#include "kernels/registry/system_operator.hpp"

namespace davsim::operators {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

[[noreturn]] void refuse(ErrorClass cls, const std::string& rule, const std::string& found) {
  throw Refusal(cls, rule, rule + "; " + found);
}

void validate_product(const OperatorInfo& info, const sim::SocConfig& soc) {
  const std::string product = soc.product();
  const auto& products = info.products;
  if (std::find(products.begin(), products.end(), product) == products.end()) {
    refuse(ErrorClass::kUnsupported, info.name + " exists on " + joined(products, " and "),
           soc.name() + " is " + product);
  }
}

template <class Spec>
const Spec* find_spec(const std::vector<Spec>& specs, std::string_view name) {
  const auto found =
      std::find_if(specs.begin(), specs.end(), [&](const Spec& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

void validate_names(const OperatorInfo& info, const Call& call) {
  for (const auto& [name, tensor] : call.tensors) {
    const TensorSpec* spec = find_tensor(info, name);
    if (spec != nullptr && spec->direction != Direction::kOut) continue;
    refuse(ErrorClass::kAttr,
           "the inputs of " + info.name + " are " + joined(input_names(info), ", "),
           "'" + name + "' is " + (spec == nullptr ? "none of them" : "an output"));
  }
  for (const auto& attribute : call.attributes) {
    if (find_spec(info.attributes, attribute.key()) != nullptr) continue;
    std::vector<std::string> known;
    for (const AttributeSpec& spec : info.attributes) known.push_back(spec.name);
    refuse(ErrorClass::kAttr,
           known.empty() ? info.name + " has no attributes"
                         : "the attributes of " + info.name + " are " + joined(known, ", "),
           "found '" + std::string(attribute.key()) + "'");
  }
}

void validate_required(const OperatorInfo& info, const Call& call) {
  for (const TensorSpec& spec : info.tensors) {
    if (spec.direction == Direction::kOut || spec.need != "required") continue;
    auto found = call.tensors.find(spec.name);
    if (found == call.tensors.end() && spec.list) found = call.tensors.find(spec.name + ".0");
    if (found == call.tensors.end() || !found->second) {
      refuse(ErrorClass::kNull, "tensor " + spec.name + " is required", "it is missing");
    }
  }
}

void validate_dtypes(const OperatorInfo& info, const Call& call) {
  for (const auto& [name, tensor] : call.tensors) {
    const TensorSpec& spec = *find_tensor(info, name);
    const isa::DType dtype = tensor.dtype();
    if (std::find(spec.dtypes.begin(), spec.dtypes.end(), dtype) != spec.dtypes.end()) continue;
    std::vector<std::string> allowed;
    for (const isa::DType type : spec.dtypes) allowed.emplace_back(isa::dtype_name(type));
    refuse(ErrorClass::kDtype, "the dtype of " + name + " is " + joined(allowed, " or "),
           "found " + std::string(isa::dtype_name(dtype)));
  }
}

/// Gives every attribute its type, or its default. Returns the first refusal.
std::optional<Refusal> complete_attributes(const OperatorInfo& info, Call& call) {
  for (const AttributeSpec& spec : info.attributes) {
    try {
      const bool optional = spec.def && spec.def->is_null();
      boost::json::value* value = call.attributes.if_contains(spec.name);
      if (value != nullptr && optional && value->is_null()) {
        call.attributes.erase(spec.name);
      } else if (value != nullptr) {
        *value = typed_attribute(spec, *value);
      } else if (!spec.def) {
        refuse(ErrorClass::kAttr, "attribute " + spec.name + " is required",
               "it is missing; expected type: " + spec.type);
      } else if (!optional) {
        call.attributes[spec.name] = typed_attribute(spec, *spec.def);
      }
    } catch (const Refusal& refusal) {
      return refusal;
    }
  }
  return std::nullopt;
}

/// Formats, ranks and shapes come before attributes in the documented order, but the operator's own
/// validate() finds them: it is asked first, and an ill-typed attribute is reported unless it finds
/// one of those. What else it makes of ill-typed attributes does not count.
[[noreturn]] void refuse_attribute(const CallRules& rules, const Call& call,
                                   const Refusal& attribute) {
  try {
    rules.own(call);
  } catch (const Refusal& refusal) {
    const ErrorClass cls = refusal.cls;
    if (cls == ErrorClass::kFormat || cls == ErrorClass::kRank || cls == ErrorClass::kShape) throw;
  } catch (const std::exception&) {
  }
  throw attribute;
}

TensorMap allocate_outputs(const Operator& op, const Call& call, memory::GlobalMemory& memory) {
  TensorMap outputs;
  for (const TensorShape& output : op.infer(call)) {
    try {
      const Tensor tensor(memory, output.dtype, output.shape, output.name);
      if (tensor.bytes() > 0) memory.declare_unwritten(tensor.data());
      outputs.emplace(output.name, tensor);
    } catch (const std::bad_alloc&) {
      refuse(ErrorClass::kShape, "the tensors of a call fit in the SoC's global memory",
             "no room is left for output " + output.name + " of shape " + to_string(output.shape));
    }
  }
  return outputs;
}

}  // namespace

std::vector<std::string> input_names(const OperatorInfo& info) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : info.tensors) {
    if (spec.direction != Direction::kOut) names.push_back(spec.name);
  }
  return names;
}

const TensorSpec* find_tensor(const OperatorInfo& info, std::string_view name) {
  const TensorSpec* spec = find_spec(info.tensors, name);
  const std::size_t dot = name.find('.');
  if (spec != nullptr || dot == std::string_view::npos) return spec;
  const std::string_view number = name.substr(dot + 1);
  const bool is_number = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  spec = find_spec(info.tensors, name.substr(0, dot));
  return spec != nullptr && spec->list && is_number ? spec : nullptr;
}

std::vector<Tensor> tensor_list(const Call& call, std::string_view name) {
  const std::string text(name);
  const auto single = call.tensors.find(name);
  std::size_t numbered = 0;
  for (const auto& entry : call.tensors) numbered += entry.first.starts_with(text + ".");
  if (single != call.tensors.end() && numbered > 0) {
    refuse(ErrorClass::kAttr, text + " is one tensor or a list", "both are given");
  }
  if (single != call.tensors.end()) return {single->second};
  if (numbered == 0) refuse(ErrorClass::kNull, "tensor " + text + " is required", "it is missing");
  std::vector<Tensor> list;
  for (std::size_t i = 0; i < numbered; ++i) {
    const auto found = call.tensors.find(text + "." + std::to_string(i));
    if (found == call.tensors.end()) {
      refuse(ErrorClass::kShape, "the tensors of list " + text + " are numbered from 0 on",
             text + "." + std::to_string(i) + " is missing");
    }
    list.push_back(found->second);
  }
  return list;
}

Call validated(const CallRules& rules, Call call, const sim::SocConfig& soc) {
  validate_product(rules.info, soc);
  validate_names(rules.info, call);
  validate_required(rules.info, call);
  if (rules.before_dtypes) rules.before_dtypes(call);
  validate_dtypes(rules.info, call);
  if (const auto attribute = complete_attributes(rules.info, call)) {
    refuse_attribute(rules, call, *attribute);
  }
  rules.own(call);
  return call;
}

Call validated(const Operator& op, Call call, const sim::SocConfig& soc) {
  const CallRules rules = {op.info(), [&](const Call& given) { op.validate_before_dtypes(given); },
                           [&](const Call& given) { op.validate(given, soc); }};
  return validated(rules, std::move(call), soc);
}

RunResult run(const Operator& op, Call call, sim::Device& device) {
  const Call good = validated(op, std::move(call), device.soc());
  RunResult result;
  result.outputs = allocate_outputs(op, good, device.memory());
  result.report = op.launch(good, result.outputs, device);
  if (result.report.kernel.empty()) {  // nothing to compute: no kernel was launched
    result.report.soc = device.soc().name();
    result.report.kernel = op.info().name;
    result.report.frequency_mhz = device.soc().frequency_mhz();
  }
  for (const TensorSpec& spec : op.info().tensors) {
    const auto found = good.tensors.find(spec.name);
    if (spec.direction == Direction::kInOut && found != good.tensors.end()) {
      result.outputs.insert_or_assign(spec.name, found->second);
    }
  }
  return result;
}

}  // namespace davsim::operators
