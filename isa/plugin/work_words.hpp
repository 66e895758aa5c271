// Statements that reach `davsim_scalar_work`.
#pragma once

#include "isa/core/scalar_class.hpp"
#include "isa/plugin/compiler.hpp"

namespace davsim::plugin {

/// The word of the place in the code is the first one, the counts follow.
inline unsigned word_of(std::size_t scalar_class) {
  return static_cast<unsigned>(scalar_class) + 1;
}

/// Appends `word += amount` to `statements`.
void add_to_word(gimple_seq* statements, unsigned word, tree amount);
/// Appends `place = value`.
void set_place(gimple_seq* statements, std::uint64_t value);
/// Appends a call that hands the counts over to the running core as work of a source line.
void hand_over(gimple_seq* statements, location_t where);

/// Appends a test whether an address is one of global memory, and returns its result.
tree test_for_global(gimple_seq* statements, tree address);
/// Appends a call that asks the running core where an access to global memory takes place, which is
/// the result. `how` has the bits of isa/core/pointer_access.hpp.
tree ask_for_place(gimple_seq* statements, tree address, tree bytes, std::uint32_t how,
                   location_t where);
/// Appends the call behind a store that says so.
void end_store(gimple_seq* statements);

}  // namespace davsim::plugin
