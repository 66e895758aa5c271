#include "sim/unit/unit_registry.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace davsim::sim {
namespace {

struct Entry {
  std::vector<isa::Pipe> pipes;
  UnitFactory factory;
};
using Entries = std::map<std::string, Entry, std::less<>>;

/// Made at the first registration, because the order in which files register is not known.
Entries& entries() {
  static Entries all;
  return all;
}

std::string names_for(isa::Pipe pipe) {
  std::string names;
  for (const auto& [name, entry] : entries()) {
    if (std::find(entry.pipes.begin(), entry.pipes.end(), pipe) == entry.pipes.end()) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "none" : names;
}

}  // namespace

UnitRegistration::UnitRegistration(std::string_view name, std::vector<isa::Pipe> pipes,
                                   UnitFactory factory) {
  if (!entries().try_emplace(std::string(name), Entry{std::move(pipes), factory}).second) {
    throw std::logic_error("two unit models are called " + std::string(name));
  }
}

std::unique_ptr<UnitModel> make_unit(std::string_view name, const UnitContext& context) {
  const auto found = entries().find(name);
  const auto takes = [&](const Entry& entry) {
    return std::find(entry.pipes.begin(), entry.pipes.end(), context.pipe) != entry.pipes.end();
  };
  if (found == entries().end() || !takes(found->second)) {
    throw std::invalid_argument("[" + std::string(isa::core_type_name(context.core)) + ".Pipes] " +
                                std::string(isa::pipe_name(context.pipe)) + " = " +
                                std::string(name) + ": no such model for this pipe; there are " +
                                names_for(context.pipe));
  }
  return found->second.factory(context);
}

}  // namespace davsim::sim
