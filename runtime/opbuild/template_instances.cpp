#include "runtime/opbuild/template_instances.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "runtime/opbuild/column_macros.hpp"

namespace davsim::opbuild {
namespace {

using op_host::Definition;
using op_host::Template;
using op_host::TemplateParameter;
using op_host::TemplateSelection;
using ParameterKind = TemplateParameter::Kind;

constexpr std::size_t kMostInstances = 4096;
// In the order of the ASCENDC_TPL macros of kernel types.
constexpr const char* kKernelTypes[] = {"AIV_ONLY",    "AIC_ONLY",    "MIX_AIV_1_0",
                                        "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};

[[noreturn]] void refuse(const Definition& definition, const std::string& what) {
  throw std::invalid_argument("template of operator " + definition.type + ": " + what);
}

/// The type of an input or output in a column.
std::uint64_t type_in(const Definition& definition,
                      const std::vector<op_host::Parameter>& parameters, std::uint64_t index,
                      std::size_t column) {
  if (index >= parameters.size()) {
    refuse(definition, "ASCENDC_TPL_INPUT or ASCENDC_TPL_OUTPUT is " + std::to_string(index) +
                           ", the operator has " + std::to_string(parameters.size()));
  }
  return static_cast<std::uint64_t>(parameters[index].types[column]);
}

/// Values of a parameter, with the column's types for inputs and outputs.
std::vector<std::uint64_t> values_of(const TemplateParameter& parameter,
                                     const Definition& definition, std::size_t column) {
  std::vector<std::uint64_t> values;
  for (const std::uint64_t value : parameter.values) {
    if (value >= op_host::kTypesOfOutput) {
      return {type_in(definition, definition.outputs, value - op_host::kTypesOfOutput, column)};
    }
    if (value >= op_host::kTypesOfInput) {
      return {type_in(definition, definition.inputs, value - op_host::kTypesOfInput, column)};
    }
    values.push_back(value);
  }
  return values;
}

std::string argument_text(const TemplateParameter& parameter, const Definition& definition,
                          std::uint64_t value) {
  if (parameter.kind != ParameterKind::kType) return std::to_string(value);
  const char* type = kernel_type(static_cast<ge::DataType>(value));
  if (type == nullptr) {
    refuse(definition, parameter.name + " is data type " + std::to_string(value) +
                           ", which kernels do not have");
  }
  return type;
}

/// The instances of one selection, each parameter with each of its values.
std::vector<TemplateInstance> instances_of(const Template& declared,
                                           const TemplateSelection& selection,
                                           const Definition& definition, std::size_t column) {
  std::vector<TemplateInstance> instances(1);
  for (const TemplateParameter& chosen : selection) {
    if (chosen.kind == ParameterKind::kTilingStruct) instances[0].tiling_struct = chosen.name;
    if (chosen.kind == ParameterKind::kKernelType && !chosen.values.empty() &&
        chosen.values[0] < std::size(kKernelTypes)) {
      instances[0].type = kKernelTypes[chosen.values[0]];
    }
  }
  unsigned shift = 0;
  for (const TemplateParameter& parameter : declared.parameters) {
    const auto chosen =
        std::find_if(selection.begin(), selection.end(),
                     [&](const TemplateParameter& one) { return one.name == parameter.name; });
    const auto values =
        values_of(chosen == selection.end() ? parameter : *chosen, definition, column);
    if (instances.size() * values.size() > kMostInstances) {
      refuse(definition, "more than 4096 combinations are selected");
    }
    std::vector<TemplateInstance> longer;
    for (const TemplateInstance& start : instances) {
      for (const std::uint64_t value : values) {
        TemplateInstance& next = longer.emplace_back(start);
        next.key |= value << shift;
        next.arguments += (shift > 0 ? ", " : "") + argument_text(parameter, definition, value);
      }
    }
    instances = std::move(longer);
    shift += parameter.bits;
  }
  return instances;
}

}  // namespace

std::vector<TemplateInstance> template_instances(const Template& declared,
                                                 const Definition& definition, std::size_t column) {
  std::vector<TemplateInstance> all;
  for (const TemplateSelection& selection : declared.selections) {
    for (TemplateInstance& instance : instances_of(declared, selection, definition, column)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const TemplateInstance& other) {
        return other.key == instance.key;
      });
      if (!known) all.push_back(std::move(instance));
    }
  }
  return all;
}

}  // namespace davsim::opbuild
