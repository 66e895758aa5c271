// The generator of random numbers Philox4x32-10, of which any number can be had by its place.
#pragma once

#include <array>
#include <cstdint>

namespace davsim::basic {

class Philox {
 public:
  Philox(std::uint64_t seed, std::uint64_t offset) : seed_(seed), offset_(offset) {}

  /// Number `i` as 32 bits, as 64 bits, and from 0 up to but without 1.
  std::uint32_t bits(std::uint64_t i) const { return block(i / 4)[i % 4]; }
  std::uint64_t word(std::uint64_t i) const {
    return std::uint64_t{bits(2 * i)} << 32 | bits(2 * i + 1);
  }
  double fraction(std::uint64_t i) const { return (bits(i) >> 8) / 16777216.0; }

 private:
  using Words = std::array<std::uint32_t, 4>;

  Words block(std::uint64_t number) const {
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    Words x{low(number), high(number), low(offset_), high(offset_)};
    std::uint32_t key0 = low(seed_), key1 = high(seed_);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0];
      const std::uint64_t b = std::uint64_t{0xCD9E8D57} * x[2];
      x = {high(b) ^ x[1] ^ key0, low(b), high(a) ^ x[3] ^ key1, low(a)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    return x;
  }

  std::uint64_t seed_, offset_;
};

}  // namespace davsim::basic
