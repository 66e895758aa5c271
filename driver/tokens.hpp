// C++ tokens of a preprocessed source: what kernels and launches are found in.
//
// The text is what `g++ -E` writes, so that macros are expanded and conditions decided. Comments,
// strings and raw strings are understood all the same, and text that was never preprocessed is read
// too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::driver {

enum class TokenKind : std::uint8_t { kIdentifier, kNumber, kText, kPunctuation };

/// One token. `<` and `>` are always alone, so that `<<<` is three tokens and `>>` closes two lists
/// of template arguments; of the longer operators only `::`, `->`, `<=` and `>=` are one token.
struct Token {
  TokenKind kind;
  std::size_t begin;  ///< offset in the text
  std::size_t end;
};

/// A place in the file that the user wrote.
struct Place {
  std::string file;
  std::size_t line = 0;
};

/// The tokens of the parts of `text` that are the user's.
class TokenList {
 public:
  /// Leaves out the lines that a line marker of the preprocessor (# 12 "file" 1 3) calls a system
  /// header's. `name` is the file's where no marker says it. Throws std::invalid_argument naming
  /// file and line for a comment, string or raw string without an end.
  TokenList(std::string_view text, std::string_view name);

  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t index) const { return tokens_[index]; }
  /// The token's characters; nothing behind the last one.
  std::string_view text(std::size_t index) const;
  /// Tokens [begin, end) on one line, with a space where the text has room between two.
  std::string joined(std::size_t begin, std::size_t end) const;
  bool is(std::size_t index, std::string_view expected) const { return text(index) == expected; }
  bool is_identifier(std::size_t index) const;
  /// Where a token lies, by the line markers before it.
  Place place(std::size_t index) const;
  std::string_view whole_text() const { return text_; }

  /// The index of the token that closes the (, [ or { at `index`; size() if none does.
  std::size_t closing(std::size_t index) const;
  /// The index of the > that closes the < at `index`, seen as a list of template arguments; size()
  /// if what follows cannot be one.
  std::size_t closing_angle(std::size_t index) const;
  /// The index of the (, [, { or < that the closing one at `index` belongs to; size() if none.
  std::size_t opening(std::size_t index) const;

 private:
  friend class Lexer;
  struct Marker {
    std::size_t offset;  ///< of the line after the marker
    Place place;         ///< what that line is
  };
  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Marker> markers_;
};

}  // namespace davsim::driver
