#include "traces/chrome/line_texts.hpp"

#include <bit>

#include "traces/output/json_output.hpp"

namespace davsim::traces {

std::string_view LineTexts::member(const isa::SourceLocation& where) {
  if (where.line() == 0) return "";
  const std::uint64_t file = std::bit_cast<std::uintptr_t>(where.file_name());
  Entry& entry = entries_[(file / 16 * 31 + where.line()) % kEntries];
  // Names of files are literals: the same pointer is the same name.
  if (entry.file != where.file_name() || entry.line != where.line()) {
    entry.file = where.file_name();
    entry.line = where.line();
    entry.text = ",\"code\":\"" + json_escaped(entry.file) + ":" + std::to_string(entry.line) + '"';
  }
  return entry.text;
}

}  // namespace davsim::traces
