#include "driver/library_names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace davsim::driver {
namespace {

/// In the order of the alphabet.
constexpr auto kNames = std::to_array<std::string_view>(
    {"abort",   "abs",         "accept",    "access",    "acos",      "acosh",  "asin",   "asinh",
     "atan",    "atan2",       "atanh",     "bind",      "cbrt",      "ceil",   "clock",  "close",
     "connect", "copysign",    "cos",       "cosh",      "difftime",  "div",    "drem",   "dup",
     "erf",     "erfc",        "exit",      "exp",       "exp10",     "exp2",   "expm1",  "fabs",
     "fdim",    "finite",      "floor",     "fma",       "fmax",      "fmin",   "fmod",   "free",
     "frexp",   "gamma",       "hypot",     "ilogb",     "index",     "isinf",  "isnan",  "j0",
     "j1",      "jn",          "labs",      "ldexp",     "ldiv",      "lgamma", "link",   "listen",
     "log",     "log10",       "log1p",     "log2",      "logb",      "lrint",  "lround", "modf",
     "nan",     "nearbyint",   "nextafter", "open",      "pause",     "pipe",   "poll",   "pow",
     "raise",   "rand",        "random",    "read",      "remainder", "remove", "remquo", "rename",
     "rindex",  "rint",        "round",     "roundeven", "scalb",     "scalbn", "select", "send",
     "signal",  "significand", "sin",       "sincos",    "sinh",      "sleep",  "socket", "splice",
     "sqrt",    "srand",       "sync",      "system",    "tan",       "tanh",   "tee",    "tgamma",
     "time",    "times",       "trunc",     "truncate",  "unlink",    "wait",   "write",  "y0",
     "y1",      "yn"});
static_assert(std::is_sorted(kNames.begin(), kNames.end()));

/// The first token of the declaration that `name` belongs to.
std::size_t head_of(const TokenList& tokens, std::size_t name) {
  std::size_t first = name;
  while (first > 0 && !tokens.is(first - 1, ";") && !tokens.is(first - 1, "}") &&
         !tokens.is(first - 1, "{")) {
    --first;
  }
  return first;
}

/// What the head of a kernel's declaration says.
struct Head {
  bool of_kernel = false;          ///< __global__, or what language.h makes of it
  bool of_cpp = false;             ///< a template or a static function
  std::size_t linkage = SIZE_MAX;  ///< the token "C"
};

Head read_head(const TokenList& tokens, std::size_t first, std::size_t name) {
  Head head;
  for (std::size_t i = first; i < name; ++i) {
    head.of_kernel = head.of_kernel || tokens.is(i, "__global__") || tokens.is(i, "used");
    head.of_cpp = head.of_cpp || tokens.is(i, "template") || tokens.is(i, "static");
    if (tokens.is(i, "\"C\"")) head.linkage = i;
  }
  return head;
}

}  // namespace

bool is_library_name(std::string_view name) {
  return std::binary_search(kNames.begin(), kNames.end(), name);
}

std::vector<Replacement> kernels_with_library_names(const TokenList& tokens) {
  std::vector<Replacement> replacements;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens.is(i + 1, "(") || !tokens.is(i - 1, "void") || !is_library_name(tokens.text(i))) {
      continue;
    }
    const std::size_t first = head_of(tokens, i);
    const Head head = read_head(tokens, first, i);
    if (!head.of_kernel || head.of_cpp) continue;
    if (head.linkage < i) {
      replacements.push_back({{head.linkage, head.linkage + 1}, "\"C++\""});
    } else {
      // Perhaps between extern "C" { and }.
      replacements.push_back({{first, first}, "extern \"C++\" "});
    }
  }
  return replacements;
}

const std::vector<std::string_view>& declarations_with_library_names() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (const std::string_view name : kNames) all.push_back("void " + std::string(name) + "(");
    return all;
  }();
  static const std::vector<std::string_view> views(texts.begin(), texts.end());
  return views;
}

}  // namespace davsim::driver
