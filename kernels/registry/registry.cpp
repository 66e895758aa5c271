// The registry of operators, and the names of the classes of errors.
#include <memory>
#include <utility>

#include "isa/core/named_registry.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators {
namespace {

isa::NamedRegistry<std::unique_ptr<Operator>>& registry() {
  static isa::NamedRegistry<std::unique_ptr<Operator>> operators("operator");
  return operators;
}

}  // namespace

std::string_view error_class_name(ErrorClass cls) {
  switch (cls) {
    case ErrorClass::kNull:
      return "E_NULL";
    case ErrorClass::kDtype:
      return "E_DTYPE";
    case ErrorClass::kFormat:
      return "E_FORMAT";
    case ErrorClass::kRank:
      return "E_RANK";
    case ErrorClass::kShape:
      return "E_SHAPE";
    case ErrorClass::kAttr:
      return "E_ATTR";
    case ErrorClass::kUnsupported:
      return "E_UNSUPPORTED";
    case ErrorClass::kIndex:
      return "E_INDEX";
  }
  return "?";
}

OperatorRegistrar::OperatorRegistrar(std::unique_ptr<Operator> op) {
  const std::string name = op->info().name;
  registry().add(name, std::move(op));
}

const Operator& find_operator(std::string_view name) {
  return *registry().at(name);
}

std::vector<const Operator*> all_operators() {
  std::vector<const Operator*> all;
  for (const auto& entry : registry().entries()) all.push_back(entry.second.get());
  return all;
}

}  // namespace davsim::operators
