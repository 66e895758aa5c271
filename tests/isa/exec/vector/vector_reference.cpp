#include "tests/isa/exec/vector/vector_reference.hpp"

#include <random>

namespace davsim::test {

double round_whole(double value, isa::RoundMode mode) {
  using M = isa::RoundMode;
  switch (mode) {
    case M::kNone:
    case M::kRint:
      return std::nearbyint(value);
    case M::kFloor:
      return std::floor(value);
    case M::kCeil:
      return std::ceil(value);
    case M::kRound:
      return std::round(value);
    case M::kTrunc:
      return std::trunc(value);
    case M::kOdd: {
      if (value == std::trunc(value)) return value;
      const double low = std::floor(value);
      return std::fmod(low, 2.0) != 0 ? low : low + 1;
    }
  }
  return 0;
}

double round_to_format(double value, Format format, isa::RoundMode mode) {
  if (value == 0 || std::isinf(value)) return value;
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  const double step = std::ldexp(1.0, exponent - format.fraction_bits);
  const double rounded = round_whole(value / step, mode) * step;
  if (std::abs(rounded) >= std::ldexp(1.0, format.max_exponent + 1)) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return std::copysign(rounded, value);
}

std::uint16_t encode(double value, Format format) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  const double magnitude = std::abs(value);
  const std::uint32_t top = static_cast<std::uint32_t>(format.max_exponent * 2 + 1)
                            << format.fraction_bits;
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | top);
  if (magnitude < std::ldexp(1.0, format.min_exponent)) {
    const double steps = std::ldexp(magnitude, format.fraction_bits - format.min_exponent);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(steps));
  }
  const int exponent = std::ilogb(magnitude);
  const auto fraction =
      static_cast<std::uint32_t>(std::ldexp(magnitude, format.fraction_bits - exponent) -
                                 std::ldexp(1.0, format.fraction_bits));
  const auto biased = static_cast<std::uint32_t>(exponent - format.min_exponent + 1);
  return static_cast<std::uint16_t>(sign | biased << format.fraction_bits | fraction);
}

double decode(std::uint16_t bits, Format format) {
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int biased = (bits & 0x7fff) >> format.fraction_bits;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (biased == format.max_exponent * 2 + 1) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const int hidden = biased == 0 ? 0 : 1 << format.fraction_bits;
  const int exponent = std::max(biased, 1) - 1 + format.min_exponent;
  return sign * std::ldexp(hidden + fraction, exponent - format.fraction_bits);
}

float int_to_float(std::int64_t value, isa::RoundMode mode) {
  const long double exact = value;
  if (exact == 0) return 0;
  const long double step = std::ldexp(1.0L, std::max(std::ilogb(exact) - 23, 0));
  const long double quotient = exact / step;
  const long double low = std::floor(quotient);
  const long double rest = quotient - low;
  long double chosen = low;
  using isa::RoundMode;
  switch (mode) {
    case RoundMode::kFloor:
      break;
    case RoundMode::kCeil:
      chosen = std::ceil(quotient);
      break;
    case RoundMode::kTrunc:
      chosen = std::trunc(quotient);
      break;
    case RoundMode::kRound:
      chosen = std::round(quotient);
      break;
    default:
      if (rest > 0.5L || (rest == 0.5L && std::fmod(low, 2.0L) != 0)) chosen = low + 1;
      break;
  }
  return static_cast<float>(chosen * step);
}

template <class T>
void fill_numbers(std::vector<std::byte>& bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  auto* data = reinterpret_cast<T*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      constexpr std::uint32_t kSpecial[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                            0x7fc00000, 0xffc12345, 0x7f812345, 1,
                                            0x80000001, 0x7f7fffff, 0xff7fffff, 0x007fffff,
                                            0x00800000, 0x3f800000, 0xbf800000, 0x42f00000};
      const auto whole = static_cast<float>(static_cast<std::int32_t>(random()));
      data[i] = random() % 5 == 0 ? std::bit_cast<float>(kSpecial[random() % 16])
                                  : std::ldexp(whole, static_cast<int>(random() % 24) - 40);
    } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) {
      data[i] = T::from_bits(static_cast<std::uint16_t>(random()));
    } else {
      constexpr T kSpecial[] = {0,
                                1,
                                std::numeric_limits<T>::max(),
                                std::numeric_limits<T>::min(),
                                static_cast<T>(std::numeric_limits<T>::max() - 1),
                                static_cast<T>(-1)};
      std::uint64_t word = random();
      word = word << 32 | random();
      data[i] = random() % 5 == 0 ? kSpecial[random() % 6] : static_cast<T>(word);
    }
  }
}

template void fill_numbers<float>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<half>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<bfloat16_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::int8_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::uint8_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::int16_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::uint16_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::int32_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::uint32_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::int64_t>(std::vector<std::byte>&, std::uint32_t);
template void fill_numbers<std::uint64_t>(std::vector<std::byte>&, std::uint32_t);

std::size_t lane_offset(std::size_t base, Strides strides, std::uint32_t repeat, std::uint32_t lane,
                        std::size_t element_bytes) {
  const std::size_t block = lane * element_bytes / 32;
  return base + (std::size_t{repeat} * strides.repeat + block * strides.block) * 32 +
         lane * element_bytes % 32;
}

}  // namespace davsim::test
