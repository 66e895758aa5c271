// Writes JSON text to a stream, fast: traces have millions of events, and a document in memory or a
// formatted stream insertion a field would cost more than the simulation.
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace davsim::traces {

class JsonOutput {
 public:
  explicit JsonOutput(std::ostream& stream);

  /// As it is; whoever calls makes sure that it is JSON.
  void raw(std::string_view text) { buffer_.append(text); }
  /// The same from elsewhere: bytes that are not UTF-8 become '?'.
  void raw_utf8(std::string_view text);
  /// In quotes and escaped; bytes that are not UTF-8 become '?'.
  void string(std::string_view text);
  /// The same without the quotes: a part of a string.
  void string_part(std::string_view text);
  /// Opens a member of the present object: `"name":`, after a comma unless it is the first.
  void member(std::string_view name);

  void integer(std::integral auto value) {
    if constexpr (std::is_signed_v<decltype(value)>) {
      signed_integer(static_cast<std::int64_t>(value));
    } else {
      unsigned_integer(static_cast<std::uint64_t>(value));
    }
  }
  void hex(std::uint64_t value);  ///< 0x1f0, without quotes
  void number(double value);      ///< finite; shortest form that reads back as the same value

  void member(std::string_view name, std::string_view text) { member(name), string(text); }
  void member(std::string_view name, std::integral auto value) { member(name), integer(value); }
  void member(std::string_view name, bool value) { member(name), raw(value ? "true" : "false"); }
  void member(std::string_view name, const char* text) { member(name, std::string_view(text)); }

  /// Gives what is buffered to the stream if it has become much. To be called between objects:
  /// member() looks back to see whether it is the first.
  void spill() {
    if (buffer_.size() >= kSpillBytes) flush();
  }
  void flush();

 private:
  static constexpr std::size_t kSpillBytes = std::size_t{1} << 18;

  void signed_integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);

  std::ostream& stream_;
  std::string buffer_;
};

}  // namespace davsim::traces
