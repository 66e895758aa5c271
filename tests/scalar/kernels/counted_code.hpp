// Functions whose scalar instructions are known. The plugin counts them; the tests are compiled
// with optimisation, as kernels are.
#pragma once

#include <cstdint>

#include "isa/numeric/half.hpp"

namespace davsim::test {

/// A product, a quotient, their sum and its store.
void product_and_quotient(int a, int b, int* to);
/// n loads and additions.
long sum_of(const int* values, int n);
/// The host's compiler unrolls it: its length is known.
void eight_stores(int* to);
/// The host's compiler vectorises it.
void add_floats(float* to, const float* from, int n);
/// Divisions by powers of two are shifts, and those by other constants products.
unsigned quotients_of_constants(unsigned value);
/// Another function is called n times.
int calls(int n);
/// Arithmetic of half in a loop.
isa::half sum_of_halves(const isa::half* values, int n);
/// A template's instances are different code.
template <int kStep>
int steps(int n);
extern template int steps<1>(int n);
extern template int steps<3>(int n);

}  // namespace davsim::test
