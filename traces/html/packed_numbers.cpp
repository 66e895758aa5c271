#include "traces/html/packed_numbers.hpp"

#include <cstddef>

namespace davsim::traces {

std::string PackedNumbers::base64() const {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
      return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : 0;
    };
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[three >> 18];
    text += kDigits[three >> 12 & 63];
    text += i + 1 < bytes_.size() ? kDigits[three >> 6 & 63] : '=';
    text += i + 2 < bytes_.size() ? kDigits[three & 63] : '=';
  }
  return text;
}

}  // namespace davsim::traces
