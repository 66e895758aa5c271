#include "tests/scalar/kernels/counted_code.hpp"

namespace davsim::test {

void product_and_quotient(int a, int b, int* to) {
  *to = a * b + a / b;
}

long sum_of(const int* values, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum;
}

void eight_stores(int* to) {
  for (int i = 0; i < 8; ++i) to[i] = i * 3;
}

void add_floats(float* to, const float* from, int n) {
  for (int i = 0; i < n; ++i) to[i] += from[i];
}

unsigned quotients_of_constants(unsigned value) {
  return value / 16 + value % 8 + value / 10;
}

namespace {

[[gnu::noipa]] int next(int value) {
  return value + 1;
}

}  // namespace

int calls(int n) {
  int value = 0;
  for (int i = 0; i < n; ++i) value = next(value);
  return value;
}

namespace {

/// May read and write what it gets, as the functions of the kernel API may.
[[gnu::noipa]] void hand_on(const Sizes&) {}
[[gnu::noipa]] void hand_on(const unsigned*) {}

}  // namespace

unsigned elements_of_tiles(const Sizes& sizes, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    hand_on(sizes);
    sum += sizes.rows * sizes.columns;
  }
  return sum;
}

unsigned sizes_in_a_variable(unsigned rows) {
  Sizes sizes;
  sizes.rows = rows;
  sizes.columns = rows + 1;
  sizes.pitch = rows + 2;
  hand_on(sizes);
  return sizes.rows + sizes.columns + sizes.pitch;
}

unsigned one_of_four(unsigned which, unsigned value) {
  unsigned values[4] = {};
  values[which % 4] = value;
  hand_on(values);
  return values[value % 4];
}

unsigned quotient_and_remainder(unsigned a, unsigned b) {
  return a / b + a % b;
}

isa::half sum_of_halves(const isa::half* values, int n) {
  isa::half sum(0.0F);
  for (int i = 0; i < n; ++i) sum = sum + values[i];
  return sum;
}

isa::half sum_of_widened(const isa::half* values, int n) {
  isa::half sum(0.0F);
  for (int i = 0; i < n; ++i) {
    sum = static_cast<isa::half>(static_cast<float>(sum) + static_cast<float>(values[i]));
  }
  return sum;
}

bool is_less(float a, float b) {
  return a < b;
}

template <int kStep>
int steps(int n) {
  int count = 0;
  for (int i = 0; i < n; i += kStep) count += i & 3;
  return count;
}
template int steps<1>(int n);
template int steps<3>(int n);

}  // namespace davsim::test
