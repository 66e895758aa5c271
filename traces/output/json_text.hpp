// Writes JSON text field by field into memory that has room for it. Traces have millions of events
// of a dozen fields each, so these functions decide what a trace costs.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace davsim::traces {

/// A short text that is copied often. The copy takes all of its room, because a copy of constant
/// length is a few stores.
template <std::size_t Room>
struct ShortText {
  ShortText() = default;
  /// Throws std::length_error if the text is too long.
  explicit ShortText(std::string_view text) : size(text.size()) {
    if (size > Room) throw std::length_error("text of a trace is too long");
    std::memcpy(room.data(), text.data(), size);
  }
  std::array<char, Room> room = {};
  std::size_t size = 0;
};

/// Where the next character goes. Functions take and return it by value: a pointer that lives in
/// an object elsewhere would be read again after every character, as characters may be anything.
/// Hence its own functions are always inlined, too.
class JsonText {
 public:
  /// A number takes no more bytes than this.
  static constexpr std::size_t kMostDigits = 32;

  explicit JsonText(char* at) : at_(at) {}
  char* at() const { return at_; }

  [[gnu::always_inline]] void put(char c) { *at_++ = c; }
  /// As it is; whoever calls makes sure that it is JSON.
  [[gnu::always_inline]] void raw(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  template <std::size_t Size>
  [[gnu::always_inline]] void raw(const char (&literal)[Size]) {
    std::memcpy(at_, literal, Size - 1);
    at_ += Size - 1;
  }
  /// Needs all of the room of `text`, not only what it is long.
  template <std::size_t Room>
  [[gnu::always_inline]] void raw(const ShortText<Room>& text) {
    std::memcpy(at_, text.room.data(), Room);
    at_ += text.size;
  }

  [[gnu::always_inline]] void integer(std::integral auto value) {
    if (static_cast<std::uint64_t>(value) < 10) {
      put(static_cast<char>('0' + value));
    } else {
      at_ = digits(at_, value);
    }
  }
  /// 0x1f0, without quotes.
  [[gnu::always_inline]] void hex(std::uint64_t value) {
    raw("0x");
    at_ = hex_digits(at_, value);
  }
  /// Finite; the shortest form that reads back as the same value.
  void number(double value) { at_ = std::to_chars(at_, at_ + kMostDigits, value).ptr; }
  /// Picoseconds as microseconds with all their digits: 1.000005.
  [[gnu::always_inline]] void microseconds(std::uint64_t ps) {
    constexpr std::uint64_t kMicrosecond = 1000000;
    integer(ps / kMicrosecond);
    at_ = fraction(at_, static_cast<std::uint32_t>(ps % kMicrosecond));
  }

  /// Members behind the first one of their object: `,"name":`, and the value. Names and texts are
  /// ours, with nothing to escape.
  template <std::size_t Size>
  [[gnu::always_inline]] void member(const char (&name)[Size]) {
    raw(",\"");
    raw(name);
    raw("\":");
  }
  [[gnu::always_inline]] void member(const auto& name, std::integral auto value) {
    member(name);
    if constexpr (std::same_as<decltype(value), bool>) {
      value ? raw("true") : raw("false");
    } else {
      integer(value);
    }
  }
  [[gnu::always_inline]] void member(const auto& name, std::string_view text) {
    member(name);
    put('"');
    raw(text);
    put('"');
  }
  [[gnu::always_inline]] void hex_member(const auto& name, std::uint64_t value) {
    member(name);
    put('"');
    hex(value);
    put('"');
  }
  /// "name":[1,2,3]
  [[gnu::always_inline]] void list_member(const auto& name, std::integral auto first,
                                          std::integral auto... rest) {
    member(name);
    put('[');
    integer(first);
    ((put(','), integer(rest)), ...);
    put(']');
  }

 private:
  static char* digits(char* at, std::unsigned_integral auto value) {
    return unsigned_digits(at, value);
  }
  static char* digits(char* at, std::signed_integral auto value) {
    return std::to_chars(at, at + kMostDigits, value).ptr;
  }
  static char* unsigned_digits(char* at, std::uint64_t value);
  static char* hex_digits(char* at, std::uint64_t value);
  static char* fraction(char* at, std::uint32_t millionths);

  char* at_;
};

}  // namespace davsim::traces
