#include "driver/buffer_arrays.hpp"

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

/// A word of c_api/asc_simd.h, and who gives arrays behind it their place.
struct Mark {
  std::string_view word, holder;
};
constexpr Mark kMarks[] = {{"__davsim_ubuf__", "davsim::api::UbArrays"},
                           {"__davsim_cbuf__", "davsim::api::L1Arrays"},
                           {"__davsim_ca__", "davsim::api::L0aArrays"},
                           {"__davsim_cb__", "davsim::api::L0bArrays"},
                           {"__davsim_cc__", "davsim::api::L0cArrays"}};
constexpr std::string_view kCommonStart = "__davsim_";

/// The mark that begins at `at`; null if another word does.
const Mark* mark_at(std::string_view text, std::size_t at) {
  for (const Mark& mark : kMarks) {
    if (text.substr(at).starts_with(mark.word)) return &mark;
  }
  return nullptr;
}

}  // namespace

std::string with_buffer_arrays(std::string text) {
  std::string result;
  std::size_t done = 0, number = 0;
  for (std::size_t at = text.find(kCommonStart); at != text.npos;
       at = text.find(kCommonStart, std::max(done, at + 1))) {
    const Mark* const mark = mark_at(text, at);
    if (mark == nullptr) continue;
    result.append(text, done, at - done);
    done = at + mark->word.size();
    const auto arrays = arrays_behind(text, done);
    if (arrays.empty()) continue;
    const std::string hold = "davsim_arrays_" + std::to_string(number++);
    drop_static(result);
    result += std::string(mark->holder) + " " + hold + ";";
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
