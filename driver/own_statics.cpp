#include "driver/own_statics.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace davsim::driver {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether the { at `open` begins statements: what stands before it is no name of a class or
/// namespace.
bool begins_statements(const TokenList& tokens, std::size_t open) {
  constexpr std::array<std::string_view, 13> kBefore{
      ")",        ";",       "{",    "}",  ":",   "const", "noexcept",
      "override", "mutable", "else", "do", "try", "]"};
  return open > 0 && is_one_of(tokens.text(open - 1), kBefore);
}

/// The { that encloses each token; size() if none does.
std::vector<std::size_t> enclosing_braces(const TokenList& tokens) {
  std::vector<std::size_t> enclosing(tokens.size(), tokens.size()), open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.is(i, "}") && !open.empty()) open.pop_back();
    if (!open.empty()) enclosing[i] = open.back();
    if (tokens.is(i, "{")) open.push_back(i);
  }
  return enclosing;
}

bool begins_statement(const TokenList& tokens, std::size_t i) {
  constexpr std::array<std::string_view, 5> kBefore{";", "{", "}", ":", "]"};
  return i > 0 && is_one_of(tokens.text(i - 1), kBefore);
}

/// Reads the declaration behind `static`.
class Declaration {
 public:
  Declaration(const TokenList& tokens, std::size_t at) : tokens_(tokens), at_(at) {}

  /// The variables; none if the declaration is of another form.
  std::vector<std::string> names() {
    std::vector<std::string> names;
    std::size_t words = 1;  // the type counts once for all variables
    for (std::string name = next_name(words); !name.empty(); name = next_name(words)) {
      names.push_back(name);
      if (!to_the_next()) return {};
      if (tokens_.is(at_, ";")) return names;
      ++at_;
      words = 0;
    }
    return {};
  }
  /// The semicolon, after names().
  std::size_t end() const { return at_; }

 private:
  /// The name before what ends a declarator, if more than `words` identifiers stand there.
  std::string next_name(std::size_t words) {
    constexpr std::array<std::string_view, 10> kOther{
        "const", "constexpr", "constinit", "thread_local", "struct",
        "class", "union",     "enum",      "operator",     "extern"};
    constexpr std::array<std::string_view, 5> kBehind{"=", "{", "[", ",", ";"};
    std::string name;
    std::size_t seen = 0;
    for (; at_ < tokens_.size(); ++at_) {
      const std::string_view here = tokens_.text(at_);
      if (is_one_of(here, kBehind)) return seen > words ? name : "";
      if (is_one_of(here, kOther)) return {};
      if (here == "<") {
        at_ = tokens_.closing_angle(at_);
      } else if (tokens_.is_identifier(at_)) {
        name = here;
        ++seen;
      } else if (here != "*" && here != "::") {
        return {};
      }
    }
    return {};
  }
  /// Goes to the , or ; behind bounds and an initial value.
  bool to_the_next() {
    bool ambiguous = false;  // f<a, b>() or a < b
    for (; at_ < tokens_.size(); ++at_) {
      const std::string_view here = tokens_.text(at_);
      if (here == ";" || (here == "," && !ambiguous)) return true;
      if (here == "<") ambiguous = true;
      if (here == "(" || here == "[" || here == "{") at_ = tokens_.closing(at_);
    }
    return false;
  }

  const TokenList& tokens_;
  std::size_t at_;
};

/// Functions that are declared where they are called need no header.
std::string telling(const std::string& name, std::size_t number) {
  const std::string type = "DavsimStatic" + std::to_string(number);
  const std::string place =
      "const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(" + name + ")))";
  return " static struct " + type + " { " + type +
         "() { void tell(void*, unsigned long) __asm__(\"davsim_tell_static\"); tell(" + place +
         ", sizeof(" + name + ")); } ~" + type +
         "() { void forget(void*) __asm__(\"davsim_forget_static\"); forget(" + place +
         "); } } davsim_static_" + std::to_string(number) + ";";
}

}  // namespace

std::vector<Insertion> own_statics(const TokenList& tokens) {
  std::vector<Insertion> insertions;
  const std::vector<std::size_t> enclosing = enclosing_braces(tokens);
  std::size_t number = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "static") || enclosing[i] == tokens.size()) continue;
    if (!begins_statement(tokens, i) || !begins_statements(tokens, enclosing[i])) continue;
    Declaration declaration(tokens, i + 1);
    for (const std::string& name : declaration.names()) {
      insertions.push_back({declaration.end() + 1, telling(name, number++)});
    }
  }
  return insertions;
}

std::vector<std::string> common_statics() {
  std::vector<std::string> forms;
  for (const char* before : {"  ", "\t", "{ "}) {
    for (const char* type : {"bool", "int", "uint", "unsigned", "long", "size_t", "std::u",
                             "std::i", "float", "half", "event_t"}) {
      forms.push_back(before + std::string("static ") + type);
    }
  }
  return forms;
}

}  // namespace davsim::driver
