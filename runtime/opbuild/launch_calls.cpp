#include "runtime/opbuild/launch_calls.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace davsim::opbuild {
namespace {

/// The text with spaces in comments and between quotes: what is left is code, at its places.
std::string code_of(const std::string& text) {
  std::string code = text;
  const auto blank = [&code](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      end = close == text.npos ? text.size() : close + 2;
    } else if (text[i] == '"' ||
               (text[i] == '\'' &&
                (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0))) {
      // A ' between digits separates them.
      end = i + 1;
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      ++end;
    } else {
      continue;
    }
    blank(i, end);
    i = end - 1;
  }
  return code;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

/// Where the name of the kernel before `at` begins, with its template arguments.
std::size_t start_of_name(const std::string& code, std::size_t at) {
  const auto skip_spaces = [&] {
    while (at > 0 && std::isspace(static_cast<unsigned char>(code[at - 1])) != 0) --at;
  };
  skip_spaces();
  if (at > 0 && code[at - 1] == '>') {
    int depth = 0;
    do {
      --at;
      depth += code[at] == '>' ? 1 : code[at] == '<' ? -1 : 0;
    } while (at > 0 && depth > 0);
    skip_spaces();
  }
  while (at > 0 && is_word(code[at - 1])) --at;
  return at;
}

/// Behind the parenthesis that closes the first one from `at` on; npos: there is none.
std::size_t behind_arguments(const std::string& code, std::size_t at) {
  at = code.find_first_not_of(" \t\n\r\\", at);
  if (at == code.npos || code[at] != '(') return code.npos;
  int depth = 0;
  for (; at < code.size(); ++at) {
    depth += code[at] == '(' ? 1 : code[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return code.npos;
}

}  // namespace

std::string without_launches(const std::string& text) {
  constexpr std::string_view kNothing = "(void)0";
  std::string result = text;
  const std::string code = code_of(text);
  for (std::size_t open = code.find("<<<"); open != code.npos; open = code.find("<<<", open + 3)) {
    const std::size_t close = code.find(">>>", open);
    if (close == code.npos) break;
    const std::size_t end = behind_arguments(code, close + 3);
    if (end == code.npos) continue;
    const std::size_t start = start_of_name(code, open);
    // The end of a line in a macro stays as well.
    for (std::size_t i = start; i < end; ++i) {
      if (result[i] != '\n' && result[i] != '\\') result[i] = ' ';
    }
    // A launch has at least as many characters, on one line or several.
    const std::size_t line = std::min(text.find('\n', start), end);
    if (line - start >= kNothing.size()) {
      result.replace(start, kNothing.size(), kNothing);
    }
    open = end - 3;
  }
  return result;
}

}  // namespace davsim::opbuild
