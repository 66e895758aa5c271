// Kernels with work for the scalar unit, compiled as kernels are.
#pragma once

#include <cstdint>

namespace davsim::test {

/// z[i] = x[i] + y[i] in UB, half by half through the scalar unit: a published loop.
void add_halves_in_ub(std::uint32_t count);
/// An Abs behind `products` multiplications that depend on each other, all in one loop.
void abs_behind_products(std::uint32_t products);
/// `calls` Abs of one repeat in a loop, through queues of a TPipe where `queues`.
void abs_in_loop(std::uint32_t calls, bool queues);

}  // namespace davsim::test
