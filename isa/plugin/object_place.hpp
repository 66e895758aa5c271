// Places in the objects of a kernel: its variables, and what `this`, references and pointers to
// structures lead to.
#pragma once

#include <cstdint>

#include "isa/plugin/compiler.hpp"

namespace davsim::plugin {

/// A constant place in an object. Two operands with the same key are the same place, however many
/// pointers the way to it goes through.
struct Place {
  std::uint64_t key = 0;   ///< 0: global memory, a static variable, or an index that varies
  bool of_caller = false;  ///< the object is there before the function begins, and stays
};

/// The place that a load or store of `operand` touches.
Place place_of(tree operand);

/// The variable of the running function that `operand` is a part of; NULL_TREE if there is none.
tree variable_of(tree operand);

/// Whether `operand` is a field of a tensor or another object of the kernel API. What the API does
/// with these is part of its calls.
bool is_part_of_api_object(tree operand);

/// Whether values of this type hold an object of the kernel API, what a lambda captures, or a table
/// of virtual functions.
bool holds_api_object(const_tree type);

/// Whether `operand` holds the address of another object, or what a lambda captures. Where all
/// functions are inlined, the compiler knows these.
bool is_known_address(tree operand);

/// Registers that a value of this type fills: one for each number, and one for each tensor or other
/// object of the kernel API, whose address in its buffer is what instructions take.
std::uint32_t registers_of(const_tree type);
/// The same for the value of a load or store.
std::uint32_t registers_of_value(tree operand);

}  // namespace davsim::plugin
