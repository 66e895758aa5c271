#include "runtime/opbuild/key_expression.hpp"

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace davsim::opbuild {
namespace {

// Binary operators by how tightly they bind, the loosest first; the longer of two that begin alike
// before the other.
constexpr std::array<std::array<std::string_view, 4>, 8> kLevels = {
    {{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}}};
constexpr std::array<std::string_view, 3> kProducts = {"*", "/", "%"};

class Parser {
 public:
  Parser(std::string_view text, std::uint64_t key) : text_(text), key_(key) {}

  std::uint64_t all() {
    const std::uint64_t value = binary(0);
    skip_space();
    if (at_ != text_.size()) refuse("'" + std::string(text_.substr(at_)) + "' is left over");
    return value;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw std::invalid_argument("'" + std::string(text_) +
                                "' is no expression of numbers and TILING_KEY_VAR: " + what);
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  /// Takes an operator, unless it is the beginning of a longer one that means something else.
  bool take(std::string_view op) {
    skip_space();
    if (op.empty() || !text_.substr(at_).starts_with(op)) return false;
    const char next = at_ + op.size() < text_.size() ? text_[at_ + op.size()] : ' ';
    if ((op == "&" || op == "|") && next == op[0]) return false;
    at_ += op.size();
    return true;
  }

  std::uint64_t binary(std::size_t level) {
    if (level == kLevels.size()) return product();
    std::uint64_t value = binary(level + 1);
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view op : kLevels[level]) {
        if (!take(op)) continue;
        value = apply(op, value, binary(level + 1));
        more = true;
        break;
      }
    }
    return value;
  }

  std::uint64_t product() {
    std::uint64_t value = unary();
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view op : kProducts) {
        if (!take(op)) continue;
        const std::uint64_t other = unary();
        if (op != "*" && other == 0) refuse("it divides by 0");
        value = op == "*" ? value * other : op == "/" ? value / other : value % other;
        more = true;
        break;
      }
    }
    return value;
  }

  static std::uint64_t apply(std::string_view op, std::uint64_t a, std::uint64_t b) {
    if (op == "||") return static_cast<std::uint64_t>(a != 0 || b != 0);
    if (op == "&&") return static_cast<std::uint64_t>(a != 0 && b != 0);
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "==") return static_cast<std::uint64_t>(a == b);
    if (op == "!=") return static_cast<std::uint64_t>(a != b);
    if (op == "<=") return static_cast<std::uint64_t>(a <= b);
    if (op == ">=") return static_cast<std::uint64_t>(a >= b);
    if (op == "<") return static_cast<std::uint64_t>(a < b);
    if (op == ">") return static_cast<std::uint64_t>(a > b);
    return op == "+" ? a + b : a - b;
  }

  std::uint64_t unary() {
    if (take("!")) return static_cast<std::uint64_t>(unary() == 0);
    if (take("~")) return ~unary();
    if (take("(")) {
      const std::uint64_t value = binary(0);
      if (!take(")")) refuse("a parenthesis is open");
      return value;
    }
    return number();
  }

  std::uint64_t number() {
    skip_space();
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
      ++end;
    }
    const std::string word(text_.substr(at_, end - at_));
    if (word == "TILING_KEY_VAR") {
      at_ = end;
      return key_;
    }
    char* stop = nullptr;
    errno = 0;
    const std::uint64_t value = std::strtoull(word.c_str(), &stop, 0);
    const std::string suffix = stop;
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) == 0 || errno != 0 ||
        suffix.find_first_not_of("uUlL") != std::string::npos) {
      refuse(word.empty() ? "a number is missing" : "'" + word + "' is no number");
    }
    at_ = end;
    return value;
  }

  std::string_view text_;
  std::uint64_t key_;
  std::size_t at_ = 0;
};

}  // namespace

std::uint64_t evaluate(std::string_view expression, std::uint64_t key) {
  return Parser(expression, key).all();
}

}  // namespace davsim::opbuild
