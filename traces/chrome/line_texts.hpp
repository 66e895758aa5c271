// Source lines as traces show them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/core/source_location.hpp"

namespace davsim::traces {

/// Makes the text of a line once for all its instructions, or again if so many lines take turns
/// that they come to the same place here.
class LineTexts {
 public:
  /// The member `,"code":"file:line"` with the call in the kernel; nothing if that is not known.
  /// Good until the next call.
  std::string_view member(const isa::SourceLocation& where);

 private:
  struct Entry {
    const char* file = nullptr;
    std::uint32_t line = 0;
    std::string text;
  };
  static constexpr std::size_t kEntries = 1024;

  std::array<Entry, kEntries> entries_;
};

}  // namespace davsim::traces
