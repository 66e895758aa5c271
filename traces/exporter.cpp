#include "traces/exporter.hpp"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

namespace davsim::traces {
namespace {

/// A function's own, because registrars of other files may run before anything of this one. A deque
/// does not move what it holds.
std::deque<Exporter>& registered() {
  static std::deque<Exporter> all;
  return all;
}

}  // namespace

ExporterRegistrar::ExporterRegistrar(Exporter exporter) {
  registered().push_back(std::move(exporter));
}

std::vector<const Exporter*> exporters() {
  std::vector<const Exporter*> all;
  for (const Exporter& exporter : registered()) all.push_back(&exporter);
  std::sort(all.begin(), all.end(), [](const Exporter* a, const Exporter* b) {
    return std::tie(a->place, a->name) < std::tie(b->place, b->name);
  });
  return all;
}

}  // namespace davsim::traces
