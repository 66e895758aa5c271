// Models that register themselves by name, one registry for each kind of component. The SoC
// description says which one a device has. The names need no SystemC, so that descriptions can be
// checked without it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "isa/core/named_registry.hpp"

namespace davsim::memory {

/// The models of one kind ("hbm", "l2"), with a sentence on each. Empty in a program that is linked
/// without the models.
inline isa::NamedRegistry<std::string>& model_docs(std::string_view kind) {
  static std::map<std::string, isa::NamedRegistry<std::string>, std::less<>> kinds;
  return kinds.try_emplace(std::string(kind), std::string(kind) + " model").first->second;
}

/// `Entry` is what the registry keeps of a model: it has a static kKind, a name and a doc.
template <class Entry>
class ModelRegistry {
 public:
  /// For a variable at namespace scope, which registers a model before main begins. Throws
  /// std::logic_error if the name is taken.
  explicit ModelRegistry(Entry entry) {
    const std::string name = entry.name;
    model_docs(Entry::kKind).add(name, entry.doc);
    models().add(name, std::move(entry));
  }
  /// Throws std::invalid_argument that lists the known models if there is no model of that name.
  static const Entry& find(std::string_view name) { return models().at(name); }

 private:
  static isa::NamedRegistry<Entry>& models() {
    static isa::NamedRegistry<Entry> all(std::string(Entry::kKind) + " model");
    return all;
  }
};

}  // namespace davsim::memory
