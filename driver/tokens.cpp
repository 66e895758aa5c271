#include "driver/tokens.hpp"

#include <algorithm>

namespace davsim::driver {
namespace {

/// The bracket that belongs to one; '\0' for everything else.
char partner(std::string_view bracket) {
  constexpr std::string_view kBrackets = "()[]{}<>";
  const std::size_t index = bracket.size() == 1 ? kBrackets.find(bracket[0]) : kBrackets.npos;
  return index == kBrackets.npos ? '\0' : kBrackets[index ^ 1u];
}

bool opens(std::string_view text) {
  return text == "(" || text == "[" || text == "{";
}
bool closes(std::string_view text) {
  return text == ")" || text == "]" || text == "}";
}

}  // namespace

std::string_view TokenList::text(std::size_t index) const {
  if (index >= tokens_.size()) return {};
  return text_.substr(tokens_[index].begin, tokens_[index].end - tokens_[index].begin);
}

std::string TokenList::joined(std::size_t begin, std::size_t end) const {
  std::string line;
  for (std::size_t i = begin; i < std::min(end, size()); ++i) {
    if (i > begin && tokens_[i].begin != tokens_[i - 1].end) line += ' ';
    line += text(i);
  }
  return line;
}

bool TokenList::is_identifier(std::size_t index) const {
  return index < tokens_.size() && tokens_[index].kind == TokenKind::kIdentifier;
}

Place TokenList::place(std::size_t index) const {
  if (index >= tokens_.size()) index = tokens_.empty() ? 0 : tokens_.size() - 1;
  const std::size_t offset = tokens_.empty() ? 0 : tokens_[index].begin;
  auto after = std::upper_bound(markers_.begin(), markers_.end(), offset,
                                [](std::size_t at, const Marker& m) { return at < m.offset; });
  const Marker& marker = *std::prev(after);
  Place place = marker.place;
  place.line += static_cast<std::size_t>(
      std::count(text_.begin() + static_cast<std::ptrdiff_t>(marker.offset),
                 text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  return place;
}

std::size_t TokenList::closing(std::size_t index) const {
  std::size_t depth = 0;
  for (std::size_t i = index; i < size(); ++i) {
    if (opens(text(i))) ++depth;
    if (closes(text(i)) && --depth == 0) return i;
  }
  return size();
}

std::size_t TokenList::closing_angle(std::size_t index) const {
  std::size_t depth = 0;
  for (std::size_t i = index; i < size(); ++i) {
    const std::string_view here = text(i);
    if (here == "<" && is(i + 1, "<")) {
      // A shift among arguments; a list neither begins with one nor holds a launch.
      if (depth == 0 || is(i + 2, "<")) break;
      ++i;
      continue;
    }
    if (here == "<") ++depth;
    if (here == ">" && --depth == 0) return i;
    if (here == ";" || here == "{" || closes(here)) break;
    // What no list of types and constants has outside brackets of its own.
    if (here == "?" || here == "|" || (here == "&" && is(i + 1, "&") && is(i + 2, "&"))) break;
    if (opens(here)) i = closing(i);
  }
  return size();
}

std::size_t TokenList::opening(std::size_t index) const {
  const bool angles = is(index, ">");
  std::size_t depth = 0;
  for (std::size_t i = index + 1; i-- > 0;) {
    const std::string_view here = text(i);
    if (angles) {
      if (here == ";" || here == "{" || here == "}") break;
      if (here == "<" && i > 0 && is(i - 1, "<")) {  // a shift among arguments
        --i;
        continue;
      }
      if (here == ">") ++depth;
      if (here == "<" && --depth == 0) return i;
      if (closes(here)) {
        i = opening(i);
        if (i >= size()) break;
      }
      if (opens(here)) break;
    } else {
      if (closes(here)) ++depth;
      if (opens(here) && --depth == 0) return text(i)[0] == partner(text(index)) ? i : size();
    }
  }
  return size();
}

}  // namespace davsim::driver
