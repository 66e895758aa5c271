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
/// An object that a kernel hands on.
struct Sizes {
  unsigned rows, columns, pitch;
};
/// n passes that use two fields. A function between them may change these as far as the host's
/// compiler knows.
unsigned elements_of_tiles(const Sizes& sizes, int n);
/// Fields of a variable, which another function gets.
unsigned sizes_in_a_variable(unsigned rows);
/// A variable whose place varies is in memory.
unsigned one_of_four(unsigned which, unsigned value);
/// Quotient and remainder of the same numbers.
unsigned quotient_and_remainder(unsigned a, unsigned b);

/// Arithmetic of half in a loop.
isa::half sum_of_halves(const isa::half* values, int n);
/// The same with the operands widened, and the sum narrowed, by the kernel itself.
isa::half sum_of_widened(const isa::half* values, int n);
/// A comparison whose result is a value.
bool is_less(float a, float b);
/// A template's instances are different code.
template <int kStep>
int steps(int n);
extern template int steps<1>(int n);
extern template int steps<3>(int n);

}  // namespace davsim::test
