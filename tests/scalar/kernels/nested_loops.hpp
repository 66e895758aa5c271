// Loops within loops, compiled twice: with the plugin that counts, and without it.
#pragma once

namespace davsim::test {

/// A load for each element of rows that follow one another.
#define DAVSIM_NESTED_LOOPS                                                               \
  unsigned sum_of_rows(const unsigned* values, int rows, int columns);                    \
  /* A product for each odd element of three rows. */                                     \
  unsigned odd_squares(const unsigned* values, int columns);                              \
  /* In each row of four, elements are loaded up to the first one that is large enough */ \
  /* and with a whole result of `none` the rows behind are not looked at. */              \
  int large_ones(const unsigned* values, int rows, unsigned enough, int none);            \
  /* A quotient where an element leaves 2 modulo 4, a product where it leaves 1. */       \
  unsigned by_remainder(const unsigned* values, int rows, int columns);                   \
  /* Selects between values by three bits of each element. */                             \
  unsigned select_by_bits(const unsigned* values, int n);

namespace counted {
DAVSIM_NESTED_LOOPS
}
namespace native {
DAVSIM_NESTED_LOOPS
}
#undef DAVSIM_NESTED_LOOPS

}  // namespace davsim::test
