#include "sim/unit/unit_registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "isa/core/named_registry.hpp"

namespace davsim::sim {
namespace {

struct Entry {
  std::vector<isa::Pipe> pipes;
  UnitFactory factory;

  bool takes(isa::Pipe pipe) const {
    return std::find(pipes.begin(), pipes.end(), pipe) != pipes.end();
  }
};

isa::NamedRegistry<Entry>& registry() {
  static isa::NamedRegistry<Entry> models("unit model");
  return models;
}

}  // namespace

UnitRegistration::UnitRegistration(std::string_view name, std::vector<isa::Pipe> pipes,
                                   UnitFactory factory) {
  registry().add(name, {std::move(pipes), factory});
}

std::unique_ptr<UnitModel> make_unit(std::string_view name, const UnitContext& context) {
  const Entry* found = registry().find(name);
  if (found == nullptr || !found->takes(context.pipe)) {
    const auto fits = [&](const Entry& entry) { return entry.takes(context.pipe); };
    throw std::invalid_argument("[" + std::string(isa::core_type_name(context.core)) + ".Pipes] " +
                                std::string(isa::pipe_name(context.pipe)) + " = " +
                                std::string(name) + ": no such model for this pipe; there are " +
                                registry().names(fits));
  }
  return found->factory(context);
}

}  // namespace davsim::sim
