#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/registry/operator.hpp"

namespace davsim::operators {
namespace {

using Operators = std::map<std::string, std::unique_ptr<Operator>, std::less<>>;

/// Made at first use: registrars of other files may run before this file's own statics exist.
Operators& operators() {
  static Operators all;
  return all;
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
  if (!operators().emplace(name, std::move(op)).second) {
    throw std::logic_error("two operators are called '" + name + "'");
  }
}

const Operator& find_operator(std::string_view name) {
  const auto found = operators().find(name);
  if (found != operators().end()) return *found->second;
  std::string known;
  for (const auto& entry : operators()) known += (known.empty() ? "" : ", ") + entry.first;
  throw std::invalid_argument("unknown operator '" + std::string(name) +
                              "'; the operators are: " + known);
}

std::vector<const Operator*> all_operators() {
  std::vector<const Operator*> all;
  for (const auto& entry : operators()) all.push_back(entry.second.get());
  return all;
}

}  // namespace davsim::operators
