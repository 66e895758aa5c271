#include "traces/output/json_output.hpp"

#include <algorithm>

namespace davsim::traces {

std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length < 2) return length;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond the last code point.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                     (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

namespace {

/// Nothing in it needs to be looked at byte by byte. Without a branch a byte, so that it is quick.
bool is_plain(std::string_view text) {
  bool odd = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    odd |= (byte < 0x20) | (byte > 0x7E) | (byte == '"') | (byte == '\\');
  }
  return !odd;
}

bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

}  // namespace

JsonOutput::JsonOutput(std::ostream& stream)
    : stream_(stream), buffer_(2 * kSpillBytes), at_(buffer_.data()) {}

void JsonOutput::grow(std::size_t bytes) {
  const std::size_t used = buffered();
  buffer_.resize(std::max(2 * buffer_.size(), used + bytes));
  at_ = buffer_.data() + used;
}

void JsonOutput::raw_utf8(std::string_view text) {
  if (is_ascii(text)) return raw(text);
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      raw("?");
    } else {
      raw(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void JsonOutput::string(std::string_view text) {
  raw("\"");
  if (is_plain(text)) {
    raw(text);
  } else {
    raw(json_escaped(text));
  }
  raw("\"");
}

void JsonOutput::flush() {
  stream_.write(buffer_.data(), static_cast<std::streamsize>(buffered()));
  at_ = buffer_.data();
}

std::string json_escaped(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string escaped;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (byte == '"' || byte == '\\') {
      escaped += '\\';
      escaped += text.front();
    } else if (byte < 0x20) {
      escaped += "\\u00";
      escaped += kHexDigits[byte >> 4];
      escaped += kHexDigits[byte & 15];
    } else if (length == 0) {
      escaped += '?';
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

}  // namespace davsim::traces
