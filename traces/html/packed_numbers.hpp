// Numbers in as few bytes as they need, as a text that a page holds: a million instructions are
// some ten megabytes.
#pragma once

#include <cstdint>
#include <string>

namespace davsim::traces {

/// Seven bits a byte, the lowest first; all bytes of a number but its last have the highest bit.
class PackedNumbers {
 public:
  void add(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  /// The bytes as base64, with padding.
  std::string base64() const;

 private:
  std::string bytes_;
};

}  // namespace davsim::traces
