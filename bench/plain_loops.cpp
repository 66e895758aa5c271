#include "bench/plain_loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace davsim::bench::plain {

void add(float* __restrict to, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] + b[i];
}
void add(std::int32_t* __restrict to, const std::int32_t* a, const std::int32_t* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] + b[i];
}
void multiply(float* __restrict to, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] * b[i];
}
void divide(float* __restrict to, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] / b[i];
}
void largest(float* __restrict to, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] > b[i] ? a[i] : b[i];
}
void add_scalar(float* __restrict to, const float* a, float b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] + b;
}
void rectify(float* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] > 0 ? a[i] : 0;
}
void add_rectify(float* __restrict to, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = a[i] + b[i];
    to[i] = sum > 0 ? sum : 0;
  }
}
void multiply_add(float* __restrict to, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = to[i] + a[i] * b[i];
}
void exponential(float* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::exp(a[i]);
}
void root(float* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::sqrt(a[i]);
}
void magnitude(float* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::fabs(a[i]);
}
void logarithm(float* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::log(a[i]);
}
void reciprocal(float* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = 1 / a[i];
}
void leaky(float* __restrict to, const float* a, float slope, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] > 0 ? a[i] : a[i] * slope;
}
void add_scaled(float* __restrict to, const float* a, float factor, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = to[i] + a[i] * factor;
}
void both(std::uint16_t* __restrict to, const std::uint16_t* a, const std::uint16_t* b,
          std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] & b[i];
}
void shift_right(std::int32_t* __restrict to, const std::int32_t* a, unsigned places,
                 std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] >> places;
}
void shift_left(std::uint32_t* __restrict to, const std::uint32_t* a, unsigned places,
                std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] << places;
}

namespace {

/// Halves as the compiler knows them.
__extension__ typedef _Float16 Half;

Half half_of(std::uint16_t bits) {
  return std::bit_cast<Half>(bits);
}

}  // namespace

void add_halves(std::uint16_t* __restrict to, const std::uint16_t* a, const std::uint16_t* b,
                std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = static_cast<float>(half_of(a[i])) + static_cast<float>(half_of(b[i]));
    to[i] = std::bit_cast<std::uint16_t>(static_cast<Half>(sum));
  }
}
void widen(float* __restrict to, const std::uint16_t* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(half_of(a[i]));
}
void narrow(std::uint16_t* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = std::bit_cast<std::uint16_t>(static_cast<Half>(a[i]));
  }
}
void round_to_int(std::int32_t* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::int32_t>(std::nearbyint(a[i]));
}
void round_to_int(std::int16_t* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::int16_t>(std::nearbyint(a[i]));
}
void round_to_int(std::int8_t* __restrict to, const std::uint16_t* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = static_cast<std::int8_t>(std::nearbyint(static_cast<float>(half_of(a[i]))));
  }
}
void from_int(std::uint16_t* __restrict to, const std::int8_t* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = std::bit_cast<std::uint16_t>(static_cast<Half>(static_cast<float>(a[i])));
  }
}
void from_int(float* __restrict to, const std::int32_t* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(a[i]);
}
void to_bfloat16(std::uint16_t* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(a[i]);
    to[i] = static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
}

void sums(float* __restrict to, const float* a, std::size_t runs, std::size_t length) {
  for (std::size_t r = 0; r < runs; ++r) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < length; ++i) sum += a[r * length + i];
    to[r] = sum;
  }
}
void maxima(float* __restrict to, const float* a, std::size_t runs, std::size_t length) {
  for (std::size_t r = 0; r < runs; ++r) {
    float most = a[r * length];
#pragma omp simd reduction(max : most)
    for (std::size_t i = 0; i < length; ++i)
      most = a[r * length + i] > most ? a[r * length + i] : most;
    to[r] = most;
  }
}

void maxima_with_places(std::int16_t* __restrict to, const std::int16_t* a, std::size_t runs,
                        std::size_t length) {
  // Halves have the order of the integers that they are by their bits, turned round where negative.
  const auto key = [](std::int16_t bits) {
    return static_cast<std::int16_t>(bits ^ ((bits >> 15) & 0x7fff));
  };
  for (std::size_t r = 0; r < runs; ++r) {
    std::int16_t most = INT16_MIN;
    for (std::size_t i = 0; i < length; ++i) most = std::max(most, key(a[r * length + i]));
    std::size_t place = 0;
    while (key(a[r * length + place]) != most) ++place;
    to[2 * r] = a[r * length + place];
    to[2 * r + 1] = static_cast<std::int16_t>(place);
  }
}

namespace {

template <class Less>
void compare(std::uint8_t* __restrict bits, std::size_t n, Less is_less) {
  for (std::size_t byte = 0; byte < n / 8; ++byte) {
    unsigned all = 0;
    for (unsigned bit = 0; bit < 8; ++bit) all |= unsigned{is_less(byte * 8 + bit)} << bit;
    bits[byte] = static_cast<std::uint8_t>(all);
  }
}

}  // namespace

void less(std::uint8_t* __restrict bits, const float* a, const float* b, std::size_t n) {
  compare(bits, n, [=](std::size_t i) { return a[i] < b[i]; });
}
void less(std::uint8_t* __restrict bits, const float* a, float b, std::size_t n) {
  compare(bits, n, [=](std::size_t i) { return a[i] < b; });
}
void less(std::uint8_t* __restrict bits, const std::uint16_t* a, const std::uint16_t* b,
          std::size_t n) {
  compare(bits, n, [=](std::size_t i) {
    return static_cast<float>(half_of(a[i])) < static_cast<float>(half_of(b[i]));
  });
}
void choose(float* __restrict to, const std::uint8_t* bits, const float* a, const float* b,
            std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = (bits[i / 8] >> i % 8 & 1) != 0 ? a[i] : b[i];
}
void choose(float* __restrict to, const std::uint8_t* bits, const float* a, float b,
            std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = (bits[i / 8] >> i % 8 & 1) != 0 ? a[i] : b;
}

void gather(float* __restrict to, const float* a, const std::uint32_t* offsets, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[offsets[i] / 4];
}
void gather(std::uint16_t* __restrict to, const std::uint16_t* a, const std::uint32_t* offsets,
            std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[offsets[i] / 2];
}
void gather_blocks(float* __restrict to, const float* a, const std::uint32_t* offsets,
                   std::size_t blocks) {
  for (std::size_t i = 0; i < blocks; ++i) std::copy_n(a + offsets[i] / 4, 8, to + i * 8);
}
void every_other(float* __restrict to, const float* a, std::size_t results) {
  for (std::size_t i = 0; i < results; ++i) to[i] = a[2 * i];
}
void keep(float* __restrict to, const float* a, const std::uint32_t* bits, std::size_t n) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[kept] = a[i];
    kept += bits[i / 32] >> i % 32 & 1;
  }
}
void fill(float* __restrict to, float value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = value;
}
void copy(float* __restrict to, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i];
}
void repeat_each(float* __restrict to, const float* a, std::size_t n, std::size_t times) {
  for (std::size_t i = 0; i < n; ++i) std::fill_n(to + i * times, times, a[i]);
}
void repeat_each(std::uint16_t* __restrict to, const std::uint16_t* a, std::size_t n,
                 std::size_t times) {
  for (std::size_t i = 0; i < n; ++i) std::fill_n(to + i * times, times, a[i]);
}

void transpose(std::uint16_t* __restrict to, const std::uint16_t* a, std::size_t tiles) {
  for (std::size_t t = 0; t < tiles; ++t) {
    for (std::size_t r = 0; r < 16; ++r) {
      for (std::size_t c = 0; c < 16; ++c) to[t * 256 + r * 16 + c] = a[t * 256 + c * 16 + r];
    }
  }
}
void transpose(float* __restrict to, const float* a, std::size_t channels, std::size_t plane) {
  for (std::size_t p = 0; p < plane; ++p) {
    for (std::size_t c = 0; c < channels; ++c) to[p * channels + c] = a[c * plane + p];
  }
}

void multiply_matrices(std::int32_t* __restrict c, const std::int8_t* a, const std::int8_t* b,
                       std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t row = 0; row < m; ++row) {
    std::fill_n(c + row * n, n, 0);
    for (std::size_t i = 0; i < k; ++i) {
      const std::int32_t factor = a[row * k + i];
      for (std::size_t col = 0; col < n; ++col) c[row * n + col] += factor * b[i * n + col];
    }
  }
}

namespace {

bool before(const Pair& a, const Pair& b) {
  return a.score > b.score;
}

}  // namespace

void sort(Pair* to, const float* scores, const std::uint32_t* indices, std::size_t runs) {
  for (std::size_t r = 0; r < runs; ++r) {
    for (std::size_t i = r * 32; i < r * 32 + 32; ++i) to[i] = {scores[i], indices[i]};
    std::stable_sort(to + r * 32, to + r * 32 + 32, before);
  }
}
void merge(Pair* to, Pair* between, const Pair* const (&queues)[4], std::size_t length) {
  std::merge(queues[0], queues[0] + length, queues[1], queues[1] + length, between, before);
  std::merge(queues[2], queues[2] + length, queues[3], queues[3] + length, between + 2 * length,
             before);
  std::merge(between, between + 2 * length, between + 2 * length, between + 4 * length, to, before);
}

}  // namespace davsim::bench::plain
