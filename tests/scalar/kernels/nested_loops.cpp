#include "tests/scalar/kernels/nested_loops.hpp"

namespace davsim::test::DAVSIM_LOOPS {

unsigned sum_of_rows(const unsigned* values, int rows, int columns) {
  unsigned sum = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) sum += values[row + column * column];
  }
  return sum;
}

unsigned odd_squares(const unsigned* values, int columns) {
  unsigned sum = 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < columns; ++column) {
      const unsigned value = values[row * columns + column];
      if ((value & 1) != 0) sum += value * value;
    }
  }
  return sum;
}

int large_ones(const unsigned* values, int rows, unsigned enough, int none) {
  int found = 0;
  for (int row = 0; row < rows; ++row) {
    int column = 0;
    while (column < 4 && values[4 * row + column] < enough) ++column;
    if (column == 4 && ++found == none) return found;
  }
  return found;
}

unsigned by_remainder(const unsigned* values, int rows, int columns) {
  unsigned sum = 1;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const unsigned value = values[row * columns + column];
      switch (value & 3) {
        case 0:
          continue;
        case 1:
          sum *= value;
          break;
        case 2:
          sum /= value;
          break;
        default:
          sum += value;
      }
      sum ^= value;
    }
  }
  return sum;
}

unsigned select_by_bits(const unsigned* values, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned value = values[i];
    for (unsigned bit = 0; bit < 3; ++bit) {
      if ((value >> bit & 1) != 0) {
        sum += bit;
      } else {
        sum ^= static_cast<unsigned>(i);
      }
    }
  }
  return sum;
}

}  // namespace davsim::test::DAVSIM_LOOPS
