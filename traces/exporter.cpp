#include "traces/exporter.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "isa/core/named_registry.hpp"

namespace davsim::traces {
namespace {

isa::NamedRegistry<Exporter>& registry() {
  static isa::NamedRegistry<Exporter> exporters("exporter");
  return exporters;
}

}  // namespace

ExporterRegistrar::ExporterRegistrar(Exporter exporter) {
  const std::string name = exporter.name;
  registry().add(name, std::move(exporter));
}

std::vector<const Exporter*> exporters() {
  std::vector<const Exporter*> all;
  for (const auto& [name, exporter] : registry().entries()) all.push_back(&exporter);
  std::sort(all.begin(), all.end(), [](const Exporter* a, const Exporter* b) {
    return std::tie(a->place, a->name) < std::tie(b->place, b->name);
  });
  return all;
}

}  // namespace davsim::traces
