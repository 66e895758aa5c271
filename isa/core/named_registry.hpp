// The registry of the parts of one kind, by name: kernels, operators, references, unit models,
// memory models, exporters. Parts register themselves before main begins, in an order that is not
// known. Each kind therefore keeps its registry in a static variable of a function.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace davsim::isa {

template <class Entry>
class NamedRegistry {
 public:
  /// `kind` is what messages call an entry: "unit model".
  explicit NamedRegistry(std::string kind) : kind_(std::move(kind)) {}

  /// Throws std::logic_error if the name is taken.
  void add(std::string_view name, Entry entry) {
    if (!entries_.try_emplace(std::string(name), std::move(entry)).second) {
      throw std::logic_error("there are two " + kind_ + "s named '" + std::string(name) + "'");
    }
  }
  void remove(std::string_view name) {
    const auto found = entries_.find(name);
    if (found != entries_.end()) entries_.erase(found);
  }

  /// nullptr if there is no entry of this name.
  const Entry* find(std::string_view name) const {
    const auto found = entries_.find(name);
    return found != entries_.end() ? &found->second : nullptr;
  }
  /// Throws std::invalid_argument that lists the known names if there is no entry of this name.
  const Entry& at(std::string_view name) const {
    if (const Entry* entry = find(name)) return *entry;
    throw std::invalid_argument("there is no " + kind_ + " named '" + std::string(name) +
                                "'; known are " + names());
  }

  /// By name.
  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }
  /// "bandwidth, banks": the names of the entries for which `is_wanted` is true; "none" without
  /// any.
  template <class Predicate>
  std::string names(Predicate is_wanted) const {
    std::string list;
    for (const auto& [name, entry] : entries_) {
      if (is_wanted(entry)) list += (list.empty() ? "" : ", ") + name;
    }
    return list.empty() ? "none" : list;
  }
  std::string names() const {
    return names([](const Entry&) { return true; });
  }

 private:
  std::string kind_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace davsim::isa
