// Makes text safe to stand inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace davsim::traces {

/// `text` as the text of an element: what would begin a tag or an entity is escaped.
inline std::string markup_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace davsim::traces
