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
void magnitude(float* to, const float* a, std::size_t n);
void logarithm(float* to, const float* a, std::size_t n);
void reciprocal(float* to, const float* a, std::size_t n);
void leaky(float* to, const float* a, float slope, std::size_t n);
void add_scaled(float* to, const float* a, float factor, std::size_t n);
void both(std::uint16_t* to, const std::uint16_t* a, const std::uint16_t* b, std::size_t n);
void shift_right(std::int32_t* to, const std::int32_t* a, unsigned places, std::size_t n);
void shift_left(std::uint32_t* to, const std::uint32_t* a, unsigned places, std::size_t n);
/// Bits of IEEE halves.
void add_halves(std::uint16_t* to, const std::uint16_t* a, const std::uint16_t* b, std::size_t n);

void widen(float* to, const std::uint16_t* a, std::size_t n);
void narrow(std::uint16_t* to, const float* a, std::size_t n);
void round_to_int(std::int32_t* to, const float* a, std::size_t n);
void round_to_int(std::int16_t* to, const float* a, std::size_t n);
/// Of halves.
void round_to_int(std::int8_t* to, const std::uint16_t* a, std::size_t n);
void from_int(std::uint16_t* to, const std::int8_t* a, std::size_t n);
void from_int(float* to, const std::int32_t* a, std::size_t n);
void to_bfloat16(std::uint16_t* to, const float* a, std::size_t n);

/// One result for each run of `length` elements.
void sums(float* to, const float* a, std::size_t runs, std::size_t length);
void maxima(float* to, const float* a, std::size_t runs, std::size_t length);
/// Largest half, its bits, and its place, side by side.
void maxima_with_places(std::int16_t* to, const std::int16_t* a, std::size_t runs,
                        std::size_t length);

/// A bit an element: a < b.
void less(std::uint8_t* bits, const float* a, const float* b, std::size_t n);
void less(std::uint8_t* bits, const float* a, float b, std::size_t n);
void less(std::uint8_t* bits, const std::uint16_t* a, const std::uint16_t* b, std::size_t n);
/// to = bit ? a : b
void choose(float* to, const std::uint8_t* bits, const float* a, const float* b, std::size_t n);
void choose(float* to, const std::uint8_t* bits, const float* a, float b, std::size_t n);

/// Offsets in bytes, of elements or of blocks of eight.
void gather(float* to, const float* a, const std::uint32_t* offsets, std::size_t n);
void gather(std::uint16_t* to, const std::uint16_t* a, const std::uint32_t* offsets, std::size_t n);
void gather_blocks(float* to, const float* a, const std::uint32_t* offsets, std::size_t blocks);
void every_other(float* to, const float* a, std::size_t results);
/// Those whose bits are set.
void keep(float* to, const float* a, const std::uint32_t* bits, std::size_t n);
void fill(float* to, float value, std::size_t n);
void copy(float* to, const float* a, std::size_t n);
/// Every element `times` times.
void repeat_each(float* to, const float* a, std::size_t n, std::size_t times);
void repeat_each(std::uint16_t* to, const std::uint16_t* a, std::size_t n, std::size_t times);

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
