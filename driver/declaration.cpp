#include "driver/declaration.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/library_names.hpp"

namespace davsim::driver {
namespace {

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::string_view (&known)[kCount]) {
  return std::find(std::begin(known), std::end(known), text) != std::end(known);
}

/// Words whose parentheses are not those of a function's parameters.
bool takes_parentheses(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "__attribute__",  "__mix__", "alignas",    "decltype",     "noexcept", "requires",
      "explicit",       "typeof",  "__typeof__", "__asm__",      "asm",      "__launch_bounds__",
      "__inout_pipe__", "sizeof",  "if",         "static_assert"};
  return is_one_of(word, kWords);
}

/// Words that are types or parts of them, and so no names of parameters.
bool is_type_word(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "void",     "bool",         "char",       "short",    "int",     "long",     "float",
      "double",   "auto",         "signed",     "unsigned", "const",   "volatile", "typename",
      "class",    "struct",       "enum",       "union",    "wchar_t", "char8_t",  "char16_t",
      "char32_t", "__restrict__", "__restrict", "restrict"};
  return is_one_of(word, kWords);
}

Parameter read_parameter(const TokenList& tokens, TokenRange range) {
  Parameter parameter;
  parameter.end = range.end;
  std::size_t end = range.begin;
  bool names_type = false;
  for (; end < range.end && !tokens.is(end, "=") && !tokens.is(end, "["); ++end) {
    // template <class> class C
    if (tokens.is(end, "<")) end = std::min(tokens.closing_angle(end), range.end - 1);
    if (tokens.is(end, ".")) parameter.pack = true;
  }
  parameter.name_before = end;
  if (end == range.begin) return parameter;
  const std::size_t last = end - 1;
  for (std::size_t i = range.begin; i < last; ++i) {
    const std::string_view here = tokens.text(i);
    if (here != "const" && here != "volatile") names_type = true;
  }
  if (names_type && tokens.is_identifier(last) && !is_type_word(tokens.text(last)) &&
      !tokens.is(last - 1, "::")) {
    parameter.name = tokens.text(last);
  }
  return parameter;
}

/// The template<...> before a declaration.
void read_template(const TokenList& tokens, Kernel& kernel) {
  std::size_t at = kernel.head.begin;
  while (at < kernel.head.end && tokens.is(at, "[")) at = tokens.closing(at) + 1;
  if (!tokens.is(at, "template")) return;
  if (!tokens.is(at + 1, "<")) {
    kernel.is_instantiation = true;
    return;
  }
  const std::size_t close = tokens.closing_angle(at + 1);
  if (close >= kernel.head.end) fail_at(tokens, at, "the template's parameters have no end");
  kernel.is_template = close > at + 2;
  kernel.template_parameters = read_parameters(tokens, {at + 2, close});
}

std::string joined(const TokenList& tokens, TokenRange range) {
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!text.empty() && tokens.is_identifier(i) && tokens.is_identifier(i - 1)) text += ' ';
    text += tokens.text(i);
  }
  return text;
}

/// The type of cubes and vectors in the ratio between the parentheses at `open`.
CoreType type_of_ratio(const TokenList& tokens, std::size_t open) {
  const std::string cores = joined(tokens, {open + 1, tokens.closing(open)});
  if (cores == "0,1") return CoreType::kAivOnly;
  if (cores == "1,0") return CoreType::kAicOnly;
  if (cores == "1,1") return CoreType::kMix11;
  if (cores == "1,2") return CoreType::kMix12;
  const std::string name(tokens.text(open - 1));
  fail_at(tokens, open - 1,
          "allowed are " + name + "(1, 0), " + name + "(1, 1), " + name + "(1, 2) and " + name +
              "(0, 1), not " + name + "(" + cores + ")");
}

/// What qualifiers and attributes say: __mix__(1, 2), [[bisheng::core_ratio(1, 2)]],
/// __attribute__((aiv)).
void read_qualifier(const TokenList& tokens, Kernel& kernel) {
  for (std::size_t i = kernel.head.begin; i < kernel.head.end; ++i) {
    std::optional<CoreType> type;
    const bool attribute = i >= 2 && tokens.is(i - 1, "(") && tokens.is(i + 1, ")");
    if (tokens.is(i, "__vector__") || (attribute && tokens.is(i, "aiv"))) type = CoreType::kAivOnly;
    if (tokens.is(i, "__cube__") || (attribute && tokens.is(i, "aic"))) type = CoreType::kAicOnly;
    if ((tokens.is(i, "__mix__") || tokens.is(i, "core_ratio")) && tokens.is(i + 1, "(")) {
      type = type_of_ratio(tokens, i + 1);
    }
    if (type) kernel.cores = {*type, true, {}};
  }
}

/// The type that the last name of a macro's argument names.
CoreType type_argument(const TokenList& tokens, TokenRange argument) {
  for (std::size_t i = argument.end; i-- > argument.begin;) {
    if (const auto type = core_type_named(tokens.text(i))) return *type;
  }
  fail_at(tokens, argument.begin,
          "'" + joined(tokens, argument) +
              "' is no kernel type; allowed are KERNEL_TYPE_AIV_ONLY, "
              "KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIV_1_0, "
              "KERNEL_TYPE_MIX_AIC_1_0, KERNEL_TYPE_MIX_AIC_1_1 and "
              "KERNEL_TYPE_MIX_AIC_1_2");
}

/// What the body says, which wins over the qualifier.
void read_body(const TokenList& tokens, Kernel& kernel) {
  for (std::size_t i = kernel.body.begin; i < kernel.body.end; ++i) {
    const bool keyed = tokens.is(i, "KERNEL_TASK_TYPE");
    if ((!keyed && !tokens.is(i, "KERNEL_TASK_TYPE_DEFAULT")) || !tokens.is(i + 1, "(")) continue;
    const auto arguments = split(tokens, {i + 2, tokens.closing(i + 1)});
    if (arguments.size() != (keyed ? 2 : 1)) {
      fail_at(
          tokens, i,
          std::string(tokens.text(i)) + " takes " + (keyed ? "a key and " : "") + "a kernel type");
    }
    const CoreType type = type_argument(tokens, arguments.back());
    if (keyed) {
      kernel.cores.keyed.push_back({joined(tokens, arguments.front()), type});
    } else {
      kernel.cores.type = type;
      kernel.cores.said = true;
    }
  }
}

}  // namespace

std::vector<TokenRange> split(const TokenList& tokens, TokenRange range) {
  std::vector<TokenRange> parts;
  std::size_t begin = range.begin;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::string_view here = tokens.text(i);
    std::size_t close = i;
    if (here == "(" || here == "[" || here == "{") close = tokens.closing(i);
    if (here == "<" && i > range.begin && tokens.is_identifier(i - 1))
      close = tokens.closing_angle(i);
    if (close > i && close < range.end) i = close;
    if (here == ",") {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < range.end) parts.push_back({begin, range.end});
  return parts;
}

std::vector<Parameter> read_parameters(const TokenList& tokens, TokenRange range) {
  std::vector<Parameter> parameters;
  for (const TokenRange part : split(tokens, range)) {
    if (part.end - part.begin == 1 && tokens.is(part.begin, "void")) continue;
    parameters.push_back(read_parameter(tokens, part));
  }
  return parameters;
}

void fail_at(const TokenList& tokens, std::size_t at, const std::string& what) {
  const Place where = tokens.place(at);
  throw std::invalid_argument(where.file + ":" + std::to_string(where.line) + ": error: " + what);
}

std::optional<std::string> opened_scope(const TokenList& tokens, TokenRange head) {
  if (head.end - head.begin == 2 && tokens.is(head.begin, "extern") &&
      tokens.text(head.begin + 1).starts_with('"')) {
    return "extern \"C\"";
  }
  std::size_t at = head.begin;
  if (tokens.is(at, "inline")) ++at;
  if (at >= head.end || !tokens.is(at, "namespace")) return std::nullopt;
  std::string name;
  for (++at; at < head.end; ++at) {
    if (tokens.is(at, "[") || tokens.is(at, "(")) {
      at = tokens.closing(at);
    } else if (!tokens.is(at, "inline") && !tokens.is(at, "__attribute__")) {
      name += tokens.text(at);
    }
  }
  return name.empty() ? "(anonymous namespace)" : name;
}

std::size_t function_name(const TokenList& tokens, TokenRange head) {
  for (std::size_t i = head.begin; i < head.end; ++i) {
    const std::string_view here = tokens.text(i);
    if (here == "=" || here == "{") break;
    if (here == "[") {
      i = tokens.closing(i);
    } else if (here == "<") {
      const std::size_t close = tokens.closing_angle(i);
      if (close < head.end) i = close;
    } else if (here == "operator") {
      return i;
    } else if (here == "(") {
      const std::size_t before = i == head.begin ? head.end : i - 1;
      const bool specialised = tokens.is(before, ">");
      const std::size_t name = specialised ? tokens.opening(before) - 1 : before;
      if (name >= head.begin && name < head.end && tokens.is_identifier(name) &&
          !takes_parentheses(tokens.text(name))) {
        return name;
      }
      i = tokens.closing(i);
    }
  }
  return tokens.size();
}

std::string_view declared_name(const TokenList& tokens, TokenRange head, std::size_t function) {
  if (function < tokens.size()) return tokens.text(function);
  std::string_view last;
  for (std::size_t i = head.begin; i < head.end; ++i) {
    const std::string_view here = tokens.text(i);
    if (here == "<") {
      const std::size_t close = tokens.closing_angle(i);
      if (close < head.end) i = close;
    } else if (here == "[" || here == "(") {
      i = tokens.closing(i);
    } else if (here == ":" || here == "{" || here == "=") {
      break;
    } else if (tokens.is_identifier(i) && here != "final") {
      last = here;
    }
  }
  return last;
}

Kernel read_kernel(const TokenList& tokens, const std::vector<std::string>& scopes, TokenRange head,
                   std::size_t name, TokenRange body) {
  Kernel kernel;
  kernel.head = head;
  kernel.body = body;
  kernel.defined = head.end < tokens.size() && tokens.is(head.end, "{");
  for (const std::string& scope : scopes) {
    if (scope == "extern \"C\"") {
      kernel.c_linkage = true;
    } else {
      kernel.name += scope + "::";
    }
  }
  for (std::size_t i = head.begin; i < name; ++i) {
    kernel.c_linkage = kernel.c_linkage || (tokens.is(i, "extern") && tokens.is(i + 1, "\"C\""));
  }
  if (is_library_name(tokens.text(name))) kernel.c_linkage = false;
  std::size_t first = name;
  while (first >= head.begin + 2 && tokens.is(first - 1, "::")) first -= 2;
  kernel.name += joined(tokens, {first, name + 1});
  std::size_t open = name + 1;
  if (tokens.is(open, "<")) open = tokens.closing_angle(open) + 1;
  kernel.own_name = joined(tokens, {first, open});
  kernel.parameter_tokens = {open + 1, tokens.closing(open)};
  kernel.parameters = read_parameters(tokens, kernel.parameter_tokens);
  read_template(tokens, kernel);
  read_qualifier(tokens, kernel);
  read_body(tokens, kernel);
  return kernel;
}

std::size_t callee_before(const TokenList& tokens, std::size_t end) {
  std::size_t first = end;
  while (first > 0) {
    const std::size_t last = first - 1;
    const std::string_view here = tokens.text(last);
    std::size_t name = last;
    if (here == ">" || here == ")" || here == "]") {
      name = tokens.opening(last);
      if (name >= tokens.size()) return end;
      first = name;
      // What a list of template arguments or a call belongs to.
      if (name > 0 && tokens.is_identifier(name - 1)) continue;
      if (here == ">") return end;
    } else if (tokens.is_identifier(last)) {
      if (here == "return" || here == "else" || here == "do") break;
      first = last;
    } else {
      break;
    }
    if (first > 0 && tokens.is(first - 1, "template")) --first;
    const std::string_view before = first > 0 ? tokens.text(first - 1) : std::string_view{};
    if (before != "::" && before != "." && before != "->") break;
    --first;
    const std::string_view left = first > 0 ? tokens.text(first - 1) : std::string_view{};
    // ::kernel of the global namespace.
    if (before == "::" && left != ">" && !(first > 0 && tokens.is_identifier(first - 1))) break;
    if (before == "::" && (left == "return" || left == "else" || left == "do")) break;
  }
  return first;
}

std::size_t configuration_end(const TokenList& tokens, std::size_t begin, bool angles) {
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    const std::string_view here = tokens.text(i);
    if (here == ";" || here == "}" || here == ")") break;
    if (here == "(" || here == "[" || here == "{") {
      i = tokens.closing(i);
    } else if (angles && here == "<" && tokens.is_identifier(i - 1)) {
      const std::size_t close = tokens.closing_angle(i);
      if (close < tokens.size()) i = close;
    } else if (here == ">" && tokens.is(i + 1, ">") && tokens.is(i + 2, ">") &&
               tokens.is(i + 3, "(")) {
      return i;
    }
  }
  return tokens.size();
}

}  // namespace davsim::driver
