#include "driver/ub_arrays.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace davsim::driver {
namespace {

bool is_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The end of the bracket that opens at `at`; npos if it is never closed.
std::size_t behind_bracket(std::string_view text, std::size_t at) {
  const char open = text[at];
  const char close = open == '[' ? ']' : open == '(' ? ')' : '>';
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at + 1;
    if (text[at] == ';' || text[at] == '{') break;
  }
  return std::string_view::npos;
}

/// Skips line markers too, which the preprocessor writes around a macro of a system's header.
std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      break;
    } else {
      ++at;
    }
  }
  return at;
}

/// One array of a declaration: its name, and where its bounds end.
struct Declarator {
  std::size_t begin, end;  ///< of the name
  std::size_t bounds_end;
};

/// The array whose name begins at `at`; npos as its end if there is none.
Declarator declarator_at(std::string_view text, std::size_t at) {
  Declarator found{skip_space(text, at), 0, std::string_view::npos};
  found.end = found.begin;
  while (found.end < text.size() && is_name(text[found.end])) ++found.end;
  std::size_t next = skip_space(text, found.end);
  if (found.end == found.begin || next >= text.size() || text[next] != '[') return found;
  while (next < text.size() && text[next] == '[') {
    const std::size_t behind = behind_bracket(text, next);
    if (behind == std::string_view::npos) return found;
    next = skip_space(text, behind);
  }
  found.bounds_end = next;
  return found;
}

bool takes_brackets(std::string_view text, std::size_t name) {
  if (name == std::string_view::npos) return false;
  return text.substr(name).starts_with("alignas") || text.substr(name).starts_with("__attribute__");
}

/// A static array of the device is one of its function's: its memory is taken anew at each call.
void drop_static(std::string& before) {
  constexpr std::string_view kWord = "static";
  const std::size_t end = before.find_last_not_of(" \t");
  if (end == std::string::npos || end + 1 < kWord.size()) return;
  const std::size_t begin = end + 1 - kWord.size();
  if (std::string_view(before).substr(begin, kWord.size()) == kWord) {
    before.erase(begin, kWord.size());
  }
}

/// Where the last name before the first [ begins, if only names, ::, lists of template arguments
/// and what alignas or an attribute takes stand before it: the type.
std::size_t first_declarator(std::string_view text, std::size_t at) {
  std::size_t last = std::string_view::npos;
  for (at = skip_space(text, at); at < text.size(); at = skip_space(text, at)) {
    const char letter = text[at];
    if (letter == '[') return last;
    if (letter == '<' || (letter == '(' && takes_brackets(text, last))) {
      at = behind_bracket(text, at);
      if (at == std::string_view::npos) return at;
    } else if (is_name(letter)) {
      last = at;
      while (at < text.size() && is_name(text[at])) ++at;
    } else if (letter == ':') {
      ++at;
    } else {
      break;
    }
  }
  return std::string_view::npos;
}

/// The arrays that are declared behind the mark, up to the semicolon; none if it is something else.
std::vector<Declarator> arrays_behind(std::string_view text, std::size_t at) {
  std::vector<Declarator> arrays;
  for (at = first_declarator(text, at); at != std::string_view::npos; ++at) {
    const Declarator array = declarator_at(text, at);
    if (array.bounds_end == std::string_view::npos || array.bounds_end >= text.size()) return {};
    arrays.push_back(array);
    at = array.bounds_end;
    if (text[at] == ';') return arrays;
    if (text[at] != ',') return {};
  }
  return {};
}

}  // namespace

std::string with_ub_arrays(std::string text) {
  constexpr std::string_view kMark = kUbMark;
  std::string result;
  std::size_t done = 0, number = 0;
  for (std::size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, done)) {
    result.append(text, done, at - done);
    done = at + kMark.size();
    const auto arrays = arrays_behind(text, done);
    if (arrays.empty()) continue;
    const std::string hold = "davsim_ub_arrays_" + std::to_string(number++);
    drop_static(result);
    result += "davsim::api::UbArrays " + hold + ";";
    for (const Declarator& array : arrays) {
      result.append(text, done, array.begin - done);
      result += "(&" + text.substr(array.begin, array.end - array.begin) + ")";
      result.append(text, array.end, array.bounds_end - array.end);
      result += " = " + hold;
      done = array.bounds_end;
    }
  }
  result.append(text, done);
  return result;
}

}  // namespace davsim::driver
