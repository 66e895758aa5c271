// Writes JSON text to a stream. Traces have millions of events. A document in memory, or a
// formatted insertion for each field, would cost more than the simulation.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "traces/output/json_text.hpp"

namespace davsim::traces {

class JsonOutput {
 public:
  explicit JsonOutput(std::ostream& stream);
  JsonOutput(const JsonOutput&) = delete;
  JsonOutput& operator=(const JsonOutput&) = delete;

  /// As it is; whoever calls makes sure that it is JSON.
  void raw(std::string_view text) {
    make_room(text.size());
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  /// The same from elsewhere: bytes that are not UTF-8 become '?'.
  void raw_utf8(std::string_view text);
  /// In quotes and escaped; bytes that are not UTF-8 become '?'.
  void string(std::string_view text);
  /// Opens a member of the present object: `"name":`, after a comma unless it is the first. The
  /// name is one of ours, with nothing to escape.
  void member(std::string_view name) {
    make_room(name.size() + 4);
    if (at_ != buffer_.data() && at_[-1] != '{') *at_++ = ',';
    *at_++ = '"';
    std::memcpy(at_, name.data(), name.size());
    at_ += name.size();
    *at_++ = '"';
    *at_++ = ':';
  }

  void integer(std::integral auto value) {
    digits([&](JsonText& text) { text.integer(value); });
  }
  /// Finite; the shortest form that reads back as the same value.
  void number(double value) {
    digits([&](JsonText& text) { text.number(value); });
  }
  /// Picoseconds as microseconds with all their digits.
  void microseconds(std::uint64_t ps) {
    digits([&](JsonText& text) { text.microseconds(ps); });
  }

  void member(std::string_view name, std::string_view text) { member(name), string(text); }
  void member(std::string_view name, std::integral auto value) { member(name), integer(value); }
  void member(std::string_view name, bool value) { member(name), raw(value ? "true" : "false"); }
  void member(std::string_view name, const char* text) { member(name, std::string_view(text)); }

  /// Room for fields of at most `bytes`, which is faster than field by field. take() ends it.
  JsonText room(std::size_t bytes) {
    make_room(bytes);
    return JsonText(at_);
  }
  void take(JsonText text) { at_ = text.at(); }

  /// Writes the buffer to the stream if it has become large. Is called between objects, because
  /// member() looks back in the buffer for the start of its object.
  void spill() {
    if (buffered() >= kSpillBytes) flush();
  }
  void flush();

 private:
  static constexpr std::size_t kSpillBytes = std::size_t{1} << 18;

  std::size_t buffered() const { return static_cast<std::size_t>(at_ - buffer_.data()); }
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(buffer_.data() + buffer_.size() - at_) < bytes) grow(bytes);
  }
  void grow(std::size_t bytes);
  void put(char c) { raw({&c, 1}); }

  void digits(auto write) {
    JsonText text = room(JsonText::kMostDigits);
    write(text);
    take(text);
  }

  std::ostream& stream_;
  std::vector<char> buffer_;
  char* at_;  ///< where the next character goes
};

/// Bytes of the UTF-8 character at the start of `text`, which is not empty; 0 if there is none.
std::size_t utf8_length(std::string_view text);

/// As in a string: quotes and the like escaped, bytes that are not UTF-8 are '?'.
std::string json_escaped(std::string_view text);

}  // namespace davsim::traces
