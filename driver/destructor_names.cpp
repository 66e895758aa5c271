#include "driver/destructor_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace davsim::driver {
namespace {

template <std::size_t N>
bool is_one_of(const TokenList& tokens, std::size_t i,
               const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), tokens.text(i)) != words.end();
}

/// Whether what stands before the ~ at `tilde` can only begin a declaration.
bool begins_declaration(const TokenList& tokens, std::size_t tilde) {
  constexpr std::array<std::string_view, 6> kBefore{"inline", "virtual", "constexpr",
                                                    ";",      "{",       "}"};
  constexpr std::array<std::string_view, 3> kAccess{"public", "protected", "private"};
  if (tilde == 0) return false;
  const bool of_attribute = tokens.is(tilde - 1, "]") && tokens.is(tilde - 2, "aicore");
  const bool behind_access =
      tilde > 1 && tokens.is(tilde - 1, ":") && is_one_of(tokens, tilde - 2, kAccess);
  return of_attribute || behind_access || is_one_of(tokens, tilde - 1, kBefore);
}

/// Whether what stands at `end`, behind ~Name<T>(), can only go on a declaration.
bool goes_on_declaration(const TokenList& tokens, std::size_t end) {
  constexpr std::array<std::string_view, 4> kBehind{"{", "noexcept", "override", "final"};
  const bool is_given =
      tokens.is(end, "=") && (tokens.is(end + 1, "default") || tokens.is(end + 1, "delete"));
  return is_given || is_one_of(tokens, end, kBehind);
}

}  // namespace

std::vector<Replacement> destructors_with_arguments(const TokenList& tokens) {
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens.is(i, "~") || !tokens.is_identifier(i + 1) || !tokens.is(i + 2, "<")) continue;
    const std::size_t close = tokens.closing_angle(i + 2);
    if (!tokens.is(close + 1, "(") || !tokens.is(close + 2, ")")) continue;
    const bool ends = tokens.is(close + 3, ";") && begins_declaration(tokens, i);
    if (ends || goes_on_declaration(tokens, close + 3)) {
      replacements.push_back({{i + 2, close + 1}, ""});
    }
  }
  return replacements;
}

}  // namespace davsim::driver
