#include "reference/system_reference.hpp"

#include <utility>

#include "isa/core/named_registry.hpp"

namespace davsim::reference {
namespace {

isa::NamedRegistry<std::unique_ptr<SystemReference>>& registry() {
  static isa::NamedRegistry<std::unique_ptr<SystemReference>> references("reference");
  return references;
}

}  // namespace

SystemReferenceRegistrar::SystemReferenceRegistrar(std::string operator_name,
                                                   std::unique_ptr<SystemReference> reference) {
  registry().add(operator_name, std::move(reference));
}

const SystemReference* find_system_reference(std::string_view operator_name) {
  const auto* found = registry().find(operator_name);
  return found == nullptr ? nullptr : found->get();
}

}  // namespace davsim::reference
