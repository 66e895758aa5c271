// Models that register themselves by name, one registry for each kind of component. The SoC
// description says which one a device has. Nothing here needs SystemC, so that descriptions can be
// checked without it.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace davsim::memory {

/// The names of one kind's models ("hbm", "l2") and what each is, in a sentence. Empty in a program
/// that is linked without the models.
inline std::map<std::string, std::string, std::less<>>& model_names(std::string_view kind) {
  static std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> kinds;
  const auto at = kinds.find(kind);
  return at != kinds.end() ? at->second : kinds[std::string(kind)];
}

/// Throws std::invalid_argument listing the known names if there is no model of that name.
inline void require_model(std::string_view kind, std::string_view name) {
  const auto& names = model_names(kind);
  if (names.contains(name)) return;
  std::string known;
  for (const auto& [other, doc] : names) known += (known.empty() ? "" : ", ") + other;
  throw std::invalid_argument("there is no " + std::string(kind) + " model '" + std::string(name) +
                              "'; known are " + known);
}

/// `Entry` is what the registry keeps of a model: it has a static kKind, a name and a doc.
template <class Entry>
class ModelRegistry {
 public:
  /// For a variable at namespace scope, which registers a model before main begins.
  explicit ModelRegistry(Entry entry) {
    model_names(Entry::kKind)[entry.name] = entry.doc;
    entries()[entry.name] = std::move(entry);
  }
  /// Throws as require_model() does.
  static const Entry& find(std::string_view name) {
    require_model(Entry::kKind, name);
    return entries().find(name)->second;
  }

 private:
  static std::map<std::string, Entry, std::less<>>& entries() {
    static std::map<std::string, Entry, std::less<>> all;
    return all;
  }
};

}  // namespace davsim::memory
