// Kernels with work for the scalar unit, compiled as kernels are.
#pragma once

#include <cstdint>

namespace davsim::test {

/// z[i] = x[i] + y[i] in UB, half by half through the scalar unit: a published loop.
void add_halves_in_ub(std::uint32_t count);
/// The same with conversions that the kernel writes.
void add_widened_halves_in_ub(std::uint32_t count);
/// An Abs behind `products` multiplications that depend on each other, all in one loop.
void abs_behind_products(std::uint32_t products);
/// An Abs, and behind it eight quotients that depend on each other.
void quotients_behind_abs(std::uint32_t divisor, std::uint32_t* result);
/// `calls` Abs of one repeat in a loop, through queues of a TPipe where `queues`.
void abs_in_loop(std::uint32_t calls, bool queues);
/// z = x + y in tiles of `elements` half, through three queues: in a class with the queues,
/// tensors and sizes as members, as kernels are usually written.
void add_in_class(std::uint16_t* x, std::uint16_t* y, std::uint16_t* z, std::uint32_t tiles,
                  std::uint32_t elements);
/// The same in one function with variables.
void add_in_function(std::uint16_t* x, std::uint16_t* y, std::uint16_t* z, std::uint32_t tiles,
                     std::uint32_t elements);

}  // namespace davsim::test
