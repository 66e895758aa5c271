// On which cores a kernel runs, as far as its source says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace davsim::driver {

/// Values and order are those of davsim::isa::KernelType.
enum class CoreType : std::uint8_t { kAivOnly, kAicOnly, kMix11, kMix12 };

/// Which compilations of a source a kernel needs.
inline bool needs_cube(CoreType type) {
  return type != CoreType::kAivOnly;
}
inline bool needs_vector(CoreType type) {
  return type != CoreType::kAicOnly;
}

/// A type for launches with one tiling key.
struct KeyedType {
  std::string key;  ///< an integer literal
  CoreType type;
};

struct CoreTypes {
  CoreType type = CoreType::kAivOnly;
  bool said = false;  ///< by a qualifier or in the body; else it is deduced
  std::vector<KeyedType> keyed;

  bool needs_cube() const;
  bool needs_vector() const;
};

/// The type that KERNEL_TYPE_MIX_AIC_1_2 or kMix12 names.
std::optional<CoreType> core_type_named(std::string_view name);
/// The name in davsim::isa::KernelType.
std::string_view name_of(CoreType type);

/// Names that code uses, for the deduction of what its author left unsaid.
using Names = std::unordered_set<std::string_view>;
/// What each name of a source uses in its definitions.
using Definitions = std::unordered_map<std::string_view, Names>;

/// Whether a kernel, or what it uses, names what only cube cores or only vector cores have.
struct UsedCores {
  bool cube = false;
  bool vector = false;
};
UsedCores used_cores(const Names& body, const Definitions& definitions);

/// The cores that a kernel runs on: the cube core if it names what only cube cores have; the vector
/// core if it names what only vector cores have; both (one cube, two vector cores) if it names
/// both; the vector core if it names neither.
CoreType deduced_core_type(UsedCores used);

}  // namespace davsim::driver
