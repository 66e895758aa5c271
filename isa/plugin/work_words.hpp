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

}  // namespace davsim::plugin
