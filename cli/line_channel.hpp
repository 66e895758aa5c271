// Lines of text over a socket: each message of `davsim serve` is one line of JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace davsim::cli {

class LineChannel {
 public:
  /// A longer line is no message of a client that means well.
  static constexpr std::size_t kLongestLine = std::size_t{256} << 20;

  /// `descriptor` is not owned.
  explicit LineChannel(int descriptor) : descriptor_(descriptor) {}

  /// The next line without its end; nothing once the other side has closed the socket. Throws
  /// std::length_error for a line beyond kLongestLine.
  std::optional<std::string> read();
  /// Throws std::system_error if the other side is gone.
  void write(std::string_view text);

 private:
  int descriptor_;
  std::string pending_;
};

}  // namespace davsim::cli
