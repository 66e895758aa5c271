#include "runtime/op_host/kernel_choice.hpp"

#include "graph/utils/type_utils.h"

namespace davsim::op_host {
namespace {

std::string types_of(const Definition& definition, std::size_t column) {
  std::string text;
  for (const Parameter& input : definition.inputs) {
    text += (text.empty() ? "" : ", ") + input.name + " " +
            ge::TypeUtils::DataTypeToSerialString(input.types[column]);
  }
  return text;
}

}  // namespace

std::string lacking_ai_core(const Definition& definition) {
  if (!definition.units.empty()) return "";
  return "the definition of " + definition.type + " has no AICore().AddConfig" +
         (definition.cpu_parts.empty() ? "" : ", only " + definition.cpu_parts);
}

OperatorKernel kernel_for(const Definition& definition, const std::string& unit, std::size_t column,
                          std::uint64_t key) {
  const std::string lack = lacking_ai_core(definition);
  if (!lack.empty()) {
    throw KernelMissing("operator " + definition.type + " has an AI core kernel", lack);
  }
  std::string keys;
  for (const OperatorKernel& row : registered_kernels(definition.type)) {
    if (row.compute_unit != unit || row.column != column) continue;
    if (row.tiling_key == key) return row;
    keys += (keys.empty() ? "" : ", ") + std::to_string(row.tiling_key);
  }
  if (keys.empty()) {
    throw KernelMissing("the library has a kernel of " + definition.type + " for " + unit +
                            " with " + types_of(definition, column),
                        "it has none");
  }
  throw KernelMissing("the tiling function of " + definition.type +
                          " sets a tiling key that the source of " + definition.kernel +
                          " names: " + keys,
                      "it set " + std::to_string(key));
}

}  // namespace davsim::op_host
