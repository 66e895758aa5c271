// Tokens of preprocessed sources.
#include "driver/tokens.hpp"

#include <gtest/gtest.h>

namespace davsim::driver {
namespace {

std::vector<std::string> words(std::string_view text) {
  const TokenList tokens(text, "file.asc");
  std::vector<std::string> all;
  for (std::size_t i = 0; i < tokens.size(); ++i) all.emplace_back(tokens.text(i));
  return all;
}

using Words = std::vector<std::string>;

TEST(Tokens, AngleBracketsAreAlways1CharacterAndScopesAreOneToken) {
  EXPECT_EQ(words("a::b<c<d>>x->y<=z"),
            (Words{"a", "::", "b", "<", "c", "<", "d", ">", ">", "x", "->", "y", "<=", "z"}));
  EXPECT_EQ(words("k<<<1,0>>>()"),
            (Words{"k", "<", "<", "<", "1", ",", "0", ">", ">", ">", "(", ")"}));
}

// g++ writes them so when it preprocesses.
TEST(Tokens, NamesMayHaveLettersBeyondAscii) {
  EXPECT_EQ(words("half *d\\U0000043e = \\u00e9, x\xc3\xa9;"),
            (Words{"half", "*", "d\\U0000043e", "=", "\\u00e9", ",", "x\xc3\xa9", ";"}));
}

TEST(Tokens, CommentsAreNoTokens) {
  EXPECT_EQ(words("a /* <<< */ b // >>> \\\n still\nc"), (Words{"a", "b", "c"}));
  EXPECT_THROW(words("a /* b"), std::invalid_argument);
}

TEST(Tokens, StringsAndCharactersAreOneToken) {
  EXPECT_EQ(words(R"(f("a\"<<<b", '"', '\'', u8"x", L'c'))"),
            (Words{"f", "(", R"("a\"<<<b")", ",", "'\"'", ",", R"('\'')", ",", "u8\"x\"", ",",
                   "L'c'", ")"}));
  EXPECT_THROW(words("\"a\nb\""), std::invalid_argument);
}

TEST(Tokens, RawStringsEndAtTheirOwnDelimiter) {
  const std::string raw = "R\"x(a)\" \"\n// <<< )y\" )x\"";
  EXPECT_EQ(words("f(" + raw + ")"), (Words{"f", "(", raw, ")"}));
  EXPECT_THROW(words("R\"x(a)\""), std::invalid_argument);
}

TEST(Tokens, NumbersTakeSeparatorsExponentsAndSuffixes) {
  EXPECT_EQ(words("1'000ul+0x1p-3f*.5e+2"), (Words{"1'000ul", "+", "0x1p-3f", "*", ".5e+2"}));
}

TEST(Tokens, LinesOfThePreprocessorAreNoTokens) {
  EXPECT_EQ(words("#define A <<< \\\n >>>\nb\n  # pragma x\nc"), (Words{"b", "c"}));
}

TEST(Tokens, SystemHeadersAreLeftOutAndMacrosOfTheirsAreNot) {
  EXPECT_EQ(words("# 1 \"own.asc\"\na\n# 1 \"/usr/x.h\" 1 3\nb\n# 2 \"own.asc\" 2\nc\n"
                  "# 2 \"own.asc\" 3\nmacro\n# 2 \"own.asc\"\nd\n"),
            (Words{"a", "c", "macro", "d"}));
}

TEST(Tokens, PlacesAreThoseOfTheLineMarkers) {
  const std::string text =
      "# 7 \"dir/own.asc\"\na\n\nb\n# 3 \"other.h\" 1\nc\n# 9 \"dir/own.asc\" 2\nd";
  const TokenList tokens(text, "x");
  ASSERT_EQ(tokens.size(), 4u);
  const std::size_t lines[] = {7, 9, 3, 9};
  const char* files[] = {"dir/own.asc", "dir/own.asc", "other.h", "dir/own.asc"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(tokens.place(i).line, lines[i]) << i;
    EXPECT_EQ(tokens.place(i).file, files[i]) << i;
  }
}

TEST(Tokens, ErrorsNameThePlace) {
  try {
    words("# 12 \"own.asc\"\na\n\"b\n");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "own.asc:13: error: a string has no end");
  }
}

TEST(Tokens, BracketsFindTheirPartners) {
  const TokenList tokens("f((a)[b]{c})<d<(1>2)>>", "x");
  EXPECT_EQ(tokens.closing(1), 11u);
  EXPECT_EQ(tokens.opening(11), 1u);
  EXPECT_EQ(tokens.closing_angle(12), tokens.size() - 1);
  EXPECT_EQ(tokens.opening(tokens.size() - 1), 12u);
  const TokenList compares("a < b; c > d", "x");
  EXPECT_EQ(compares.closing_angle(1), compares.size());
  EXPECT_EQ(TokenList("( a", "x").closing(0), 2u);
  const TokenList shifts("k<a<1 << 2>, b << 3>", "x");
  EXPECT_EQ(shifts.closing_angle(1), shifts.size() - 1);
  EXPECT_EQ(shifts.opening(shifts.size() - 1), 1u);
  const TokenList launch("a < k<<<1, 0>>>", "x");
  EXPECT_EQ(launch.closing_angle(1), launch.size());
  EXPECT_EQ(TokenList("a << b > c", "x").closing_angle(1), 6u);
}

}  // namespace
}  // namespace davsim::driver
