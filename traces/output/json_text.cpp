#include "traces/output/json_text.hpp"

namespace davsim::traces {
namespace {

/// "00" to "99".
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 100> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
  }
  return pairs;
}();

void put_pair(char* at, std::uint32_t below_hundred) {
  std::memcpy(at, kPairs[below_hundred].data(), 2);
}

char* put_below_10000(char* at, std::uint32_t value) {
  if (value >= 100) {
    at = put_below_10000(at, value / 100);
    value %= 100;
  } else if (value < 10) {
    *at = static_cast<char>('0' + value);
    return at + 1;
  }
  put_pair(at, value);
  return at + 2;
}

}  // namespace

char* JsonText::unsigned_digits(char* at, std::uint64_t value) {
  constexpr std::uint64_t kShort = 100'000'000;  // cycles and addresses mostly are
  if (value >= kShort) return std::to_chars(at, at + kMostDigits, value).ptr;
  const auto number = static_cast<std::uint32_t>(value);
  if (number < 10000) return put_below_10000(at, number);
  at = put_below_10000(at, number / 10000);
  put_pair(at, number % 10000 / 100);
  put_pair(at + 2, number % 100);
  return at + 4;
}

char* JsonText::hex_digits(char* at, std::uint64_t value) {
  return std::to_chars(at, at + kMostDigits, value, 16).ptr;
}

char* JsonText::fraction(char* at, std::uint32_t millionths) {
  *at = '.';
  put_pair(at + 1, millionths / 10000);
  put_pair(at + 3, millionths / 100 % 100);
  put_pair(at + 5, millionths % 100);
  return at + 7;
}

}  // namespace davsim::traces
