#include "driver/younger_words.hpp"

#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace davsim::driver {
namespace {

/// What stands behind these words tells whether they are names, unlike behind a type such as
/// char8_t.
constexpr std::array<std::string_view, 4> kWords{"concept", "requires", "consteval", "constinit"};

/// Whether the word at `i` can only be a name: what follows one of an expression or a declarator.
bool is_name(const TokenList& tokens, std::size_t i) {
  constexpr std::string_view kBehind[] = {"=", ";", ",", ")", "]", ".",  "->", "[", "+", "-",
                                          "*", "/", "%", "<", ">", "<=", ">=", "?", "}"};
  for (const std::string_view behind : kBehind) {
    if (tokens.is(i + 1, behind)) return true;
  }
  return false;
}

/// Whether it stands as in `template <class T> concept Number = ...` or `requires (...)`.
bool is_word(const TokenList& tokens, std::size_t i) {
  return tokens.is_identifier(i + 1) || tokens.is(i + 1, "(") || tokens.is(i + 1, "{");
}

}  // namespace

std::vector<Replacement> names_of_younger_words(const TokenList& tokens) {
  std::vector<Replacement> replacements;
  for (const std::string_view word : kWords) {
    std::vector<std::pair<std::size_t, std::string>> places;  // with their files
    std::set<std::string> files_of_words;
    bool name = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens.is(i, word)) continue;
      places.emplace_back(i, tokens.place(i).file);
      if (is_name(tokens, i)) {
        name = true;
      } else if (is_word(tokens, i)) {
        files_of_words.insert(places.back().second);
      }
    }
    if (!name) continue;
    for (const auto& [token, file] : places) {
      if (files_of_words.contains(file)) continue;
      replacements.push_back({{token, token + 1}, std::string(word) + "_davsim"});
    }
  }
  return replacements;
}

bool blames_younger_words(const std::string& log) {
  for (const std::string_view word : kWords) {
    if (log.find(word) != log.npos) return true;
  }
  return false;
}

}  // namespace davsim::driver
