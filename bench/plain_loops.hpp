// The yardstick of the instructions: loops as one writes them, which the compiler vectorises for
// the very host it runs on (see bench/CMakeLists.txt).
#pragma once

#include <cstddef>
#include <cstdint>

namespace davsim::bench::plain {

void add(float* to, const float* a, const float* b, std::size_t n);
void add(std::int32_t* to, const std::int32_t* a, const std::int32_t* b, std::size_t n);
void multiply(float* to, const float* a, const float* b, std::size_t n);
void divide(float* to, const float* a, const float* b, std::size_t n);
void largest(float* to, const float* a, const float* b, std::size_t n);
void add_scalar(float* to, const float* a, float b, std::size_t n);
void rectify(float* to, const float* a, std::size_t n);
void add_rectify(float* to, const float* a, const float* b, std::size_t n);
void multiply_add(float* to, const float* a, const float* b, std::size_t n);
void exponential(float* to, const float* a, std::size_t n);
void root(float* to, const float* a, std::size_t n);
void shift_left(std::uint32_t* to, const std::uint32_t* a, unsigned places, std::size_t n);
/// Bits of IEEE halves.
void add_halves(std::uint16_t* to, const std::uint16_t* a, const std::uint16_t* b, std::size_t n);

void widen(float* to, const std::uint16_t* a, std::size_t n);
void narrow(std::uint16_t* to, const float* a, std::size_t n);
void round_to_int(std::int32_t* to, const float* a, std::size_t n);
void from_int(float* to, const std::int32_t* a, std::size_t n);
void to_bfloat16(std::uint16_t* to, const float* a, std::size_t n);

/// One result for each run of `length` elements.
void sums(float* to, const float* a, std::size_t runs, std::size_t length);
void maxima(float* to, const float* a, std::size_t runs, std::size_t length);

/// `tiles` matrices of 16 x 16.
void transpose(std::uint16_t* to, const std::uint16_t* a, std::size_t tiles);
/// [channels][plane] to [plane][channels].
void transpose(float* to, const float* a, std::size_t channels, std::size_t plane);

/// C[m, n] = A[m, k] x B[k, n], row by row.
void multiply_matrices(std::int32_t* c, const std::int8_t* a, const std::int8_t* b, std::size_t m,
                       std::size_t n, std::size_t k);

struct Pair {
  float score;
  std::uint32_t index;
};
/// Sorts runs of 32 downwards, equals in their order.
void sort(Pair* to, const float* scores, const std::uint32_t* indices, std::size_t runs);
/// Merges four sorted queues of `length`.
void merge(Pair* to, Pair* between, const Pair* const (&queues)[4], std::size_t length);

}  // namespace davsim::bench::plain
