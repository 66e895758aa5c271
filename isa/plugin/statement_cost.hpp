// What a statement of a kernel costs the scalar unit: instructions by class.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/scalar_class.hpp"
#include "isa/plugin/compiler.hpp"
#include "isa/plugin/kept_values.hpp"

namespace davsim::plugin {

/// Instructions of the scalar unit by class.
using Counts = std::array<std::uint32_t, isa::kScalarClasses>;

inline std::uint32_t& of(Counts& counts, isa::ScalarClass which) {
  return counts[static_cast<std::size_t>(which)];
}

/// Pairs of registers that a value fills. Pairs are loaded and stored at once.
std::uint32_t pairs_of(tree value);

/// Adds what `statement` takes on the device to `counts`, without the loads and stores that `kept`
/// removes. A call counts nothing itself; the caller knows whether it is one of the kernel's own
/// functions.
void add_cost(const gimple* statement, const KeptValues& kept, Counts& counts);

}  // namespace davsim::plugin
