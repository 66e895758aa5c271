// Splits a source into tokens.
#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

#include "driver/tokens.hpp"

namespace davsim::driver {
namespace {

bool begins_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80);
}
bool in_identifier(char c) {
  return begins_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

class Lexer {
 public:
  Lexer(TokenList& list, std::string_view name) : list_(list), text_(list.text_) {
    list_.markers_.push_back({0, {std::string(name), 1}});
  }

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        begins_line_ = true;
      } else if (is_blank(c) || (c == '\\' && !at_universal_name())) {
        ++at_;
      } else if (c == '#' && begins_line_) {
        directive();
      } else if (system_) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "//") {
        skip_line();
      } else if (text_.substr(at_, 2) == "/*") {
        skip_comment();
      } else {
        begins_line_ = false;
        token();
      }
    }
  }

 private:
  /// Whether a letter beyond ASCII is here as g++ preprocesses it: \U0000043e.
  bool at_universal_name() const {
    return text_[at_] == '\\' && at_ + 1 < text_.size() &&
           (text_[at_ + 1] == 'u' || text_[at_ + 1] == 'U');
  }

  void skip_line() {
    // A backslash at the end of a line joins the next one to it.
    while (at_ < text_.size() && !(text_[at_] == '\n' && text_[at_ - 1] != '\\')) ++at_;
  }

  void skip_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) fail("a comment has no end");
    at_ = end + 2;
  }

  /// A line marker says which file and line follow; other directives are left to the compiler.
  void directive() {
    const std::size_t begin = at_;
    skip_line();
    std::string_view line = text_.substr(begin + 1, at_ - begin - 1);
    const auto skip_blanks = [&line] {
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    };
    skip_blanks();
    if (line.starts_with("line")) line.remove_prefix(4);
    skip_blanks();
    std::size_t number = 0, digits = 0;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) {
      number = number * 10 + static_cast<std::size_t>(line[digits++] - '0');
    }
    const std::size_t quote = line.find('"');
    if (digits == 0 || quote == std::string_view::npos) return;
    std::string file;
    std::size_t end = quote + 1;
    for (; end < line.size() && line[end] != '"'; ++end) {
      if (line[end] == '\\' && end + 1 < line.size()) ++end;
      // A message with the name is shown on a terminal, and ends at a null character.
      file += std::iscntrl(static_cast<unsigned char>(line[end])) != 0 ? '?' : line[end];
    }
    // Within a user's file the flag marks what a macro of a system header expanded to.
    const bool flagged = line.find(" 3", std::min(end, line.size())) != std::string_view::npos;
    if (!flagged) own_files_.insert(file);
    system_ = flagged && !own_files_.contains(file);
    list_.markers_.push_back({at_ + 1, {file, number}});
  }

  void token() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    TokenKind kind = TokenKind::kPunctuation;
    if (begins_identifier(c) || at_universal_name()) {
      while (at_ < text_.size() && (in_identifier(text_[at_]) || at_universal_name())) ++at_;
      kind = TokenKind::kIdentifier;
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'') && is_prefix(begin)) {
        text_[at_ - 1] == 'R' && text_[at_] == '"' ? raw_string() : quoted();
        kind = TokenKind::kText;
      }
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && at_ + 1 < text_.size() &&
                std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0)) {
      number();
      kind = TokenKind::kNumber;
    } else if (c == '"' || c == '\'') {
      quoted();
      kind = TokenKind::kText;
    } else {
      const std::string_view two = text_.substr(at_, 2);
      at_ += two == "::" || two == "->" || two == "<=" || two == ">=" ? 2 : 1;
    }
    list_.tokens_.push_back({kind, begin, at_});
  }

  /// Whether [begin, at_) may stand before a string: u8R"(...)" and the like.
  bool is_prefix(std::size_t begin) const {
    const std::string_view prefix = text_.substr(begin, at_ - begin);
    for (const std::string_view known : {"R", "L", "u", "U", "u8", "LR", "uR", "UR", "u8R"}) {
      if (prefix == known) return true;
    }
    return false;
  }

  void number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent_sign =
          (c == '+' || c == '-') && std::string_view("eEpP").find(text_[at_ - 1]) < 4;
      const bool separator = c == '\'' && at_ + 1 < text_.size() && in_identifier(text_[at_ + 1]);
      if (!in_identifier(c) && c != '.' && !exponent_sign && !separator) break;
      ++at_;
    }
  }

  void quoted() {
    const char quote = text_[at_];
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\n') break;
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size() || text_[at_] == '\n') fail("a string has no end");
    ++at_;
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) fail("a raw string has no beginning");
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    if (end == std::string_view::npos) fail("a raw string has no end");
    at_ = end + close.size();
  }

  [[noreturn]] void fail(const char* what) {
    list_.tokens_.push_back({TokenKind::kPunctuation, at_ < text_.size() ? at_ : 0, text_.size()});
    const Place where = list_.place(list_.size() - 1);
    throw std::invalid_argument(where.file + ":" + std::to_string(where.line) + ": error: " + what);
  }

  TokenList& list_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool begins_line_ = true;
  bool system_ = false;
  std::set<std::string> own_files_;
};

TokenList::TokenList(std::string_view text, std::string_view name) : text_(text) {
  Lexer(*this, name).run();
}

}  // namespace davsim::driver
