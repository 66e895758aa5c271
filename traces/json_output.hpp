// Writes JSON text to a stream, fast: traces have millions of events, and a document in memory or a
// formatted stream insertion a field would cost more than the simulation. What every field goes
// through stands here, so that a name of known length becomes a store or two.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  /// The same without the quotes: a part of a string.
  void string_part(std::string_view text);
  /// The same of text that neither changes nor goes away, as names of source files: escaped once.
  void lasting_part(const char* text);
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

  void integer(std::integral auto value) { digits(value); }
  /// 0x1f0, without quotes.
  void hex(std::uint64_t value) {
    raw("0x");
    digits(value, 16);
  }
  /// Finite; the shortest form that reads back as the same value.
  void number(double value) { digits(value); }

  void member(std::string_view name, std::string_view text) { member(name), string(text); }
  void member(std::string_view name, std::integral auto value) { member(name), integer(value); }
  void member(std::string_view name, bool value) { member(name), raw(value ? "true" : "false"); }
  void member(std::string_view name, const char* text) { member(name, std::string_view(text)); }

  /// Gives what is buffered to the stream if it has become much. To be called between objects:
  /// member() looks back to see whether it is the first.
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

  void digits(auto value, auto... format) {
    constexpr std::size_t kMost = 32;
    make_room(kMost);
    at_ = std::to_chars(at_, at_ + kMost, value, format...).ptr;
  }

  std::ostream& stream_;
  std::vector<char> buffer_;
  char* at_;                                              ///< where the next character goes
  std::unordered_map<const char*, std::string> lasting_;  ///< escaped
};

}  // namespace davsim::traces
