// Source lines as traces show them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/instr/source_location.hpp"

namespace davsim::traces {

/// A cache of the texts of lines. Lines of one place in the cache replace each other.
class LineTexts {
 public:
  /// The member `,"code":"file:line"`; empty if the line is not known. Valid until the next call.
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
