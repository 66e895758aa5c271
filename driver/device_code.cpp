#include "driver/device_code.hpp"

#include <algorithm>
#include <optional>

namespace davsim::driver {
namespace {

bool is_mark(const TokenList& tokens, std::size_t i) {
  return tokens.is(i, kDeviceMark) ||
         (tokens.is(i, "aicore") && i > 0 && tokens.is(i - 1, "[") && tokens.is(i + 1, "]"));
}

/// The first token of the declaration that has a token at `i`.
std::size_t declaration_begin(const TokenList& tokens, std::size_t i) {
  while (i > 0) {
    const std::string_view before = tokens.text(i - 1);
    if (before == ";" || before == "}" || before == "{") break;
    // public: and the like.
    if (before == ":" && i >= 2 && !tokens.is(i - 2, ")")) break;
    --i;
  }
  return i;
}

/// Whether a declaration up to its parameters says what the host may need the body for.
bool keeps_body(const TokenList& tokens, TokenRange head) {
  bool deduced = false;
  for (std::size_t i = head.begin; i < head.end; ++i) {
    const std::string_view here = tokens.text(i);
    if (here == "__global__" || here == "constexpr" || here == "consteval") return true;
    if (here == "template" && tokens.is(i + 1, "<")) {
      i = std::min(tokens.closing_angle(i + 1), head.end);
    } else if (here == "auto" || here == "decltype") {
      deduced = true;
    }
  }
  return deduced;
}

/// Reads a function behind its mark.
class Function {
 public:
  Function(const TokenList& tokens, std::size_t mark)
      : tokens_(tokens), begin_(declaration_begin(tokens, mark)), at_(mark + 1) {}

  /// The token that names it; size() if the mark is none of a function. Read it first.
  std::size_t name() {
    if (!find_parameters()) return tokens_.size();
    const std::size_t before = at_ - 1;
    return tokens_.is(before, ">") ? tokens_.opening(before) - 1 : before;
  }

  /// Nothing: it has no body, or the body stays.
  std::optional<TokenRange> body() {
    if (keeps_body(tokens_, {begin_, at_})) return std::nullopt;
    at_ = tokens_.closing(at_) + 1;
    for (; at_ < tokens_.size(); ++at_) {
      const std::string_view here = tokens_.text(at_);
      if (here == ";" || here == "}" || here == "=") return std::nullopt;
      if (here == "(" || here == "[") {
        at_ = tokens_.closing(at_);
      } else if (here == ":" && !skip_initialisers()) {
        return std::nullopt;
      }
      if (tokens_.is(at_, "{")) return TokenRange{at_ + 1, tokens_.closing(at_)};
    }
    return std::nullopt;
  }

 private:
  /// Goes to the ( of the parameters.
  bool find_parameters() {
    for (; at_ < tokens_.size(); ++at_) {
      const std::string_view here = tokens_.text(at_);
      if (here == ";" || here == "}" || here == "{" || here == "=") return false;
      if (here == "operator") return false;  // used without being named
      if (here == "__attribute__" || here == "decltype" || here == "alignas") {
        at_ = tokens_.closing(at_ + 1);
      } else if (here == "[") {
        at_ = tokens_.closing(at_);
      } else if (here == "<") {
        at_ = std::min(tokens_.closing_angle(at_), tokens_.size());
      } else if (here == "(") {
        return true;
      }
    }
    return false;
  }

  /// From the : of a constructor to the { of its body.
  bool skip_initialisers() {
    for (++at_; at_ < tokens_.size();) {
      while (at_ < tokens_.size() && !tokens_.is(at_, "(") && !tokens_.is(at_, "{")) {
        at_ = tokens_.is(at_, "<") ? std::min(tokens_.closing_angle(at_), tokens_.size()) : at_;
        ++at_;
      }
      at_ = tokens_.closing(at_) + 1;
      while (tokens_.is(at_, ".")) ++at_;  // a pack
      if (tokens_.is(at_, "{")) return true;
      if (!tokens_.is(at_, ",")) return false;
    }
    return false;
  }

  const TokenList& tokens_;
  std::size_t begin_;
  std::size_t at_;
};

struct DeviceFunction {
  std::string_view name;
  TokenRange body;
  bool named_elsewhere = false;  ///< by host code, or by device code that host code names
};

/// Which names the host's code uses.
class HostNames {
 public:
  explicit HostNames(const TokenList& tokens) : tokens_(tokens), hidden_(tokens.size(), false) {}

  void hide(TokenRange range) {
    std::fill(hidden_.begin() + static_cast<std::ptrdiff_t>(range.begin),
              hidden_.begin() + static_cast<std::ptrdiff_t>(range.end), true);
  }
  void collect() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      // A class is not made where it is declared, nor where only a member of it is named.
      const bool declared = i > 0 && (tokens_.is(i - 1, "class") || tokens_.is(i - 1, "struct"));
      const bool scope = tokens_.is(i + 1, "::");
      if (!hidden_[i] && !declared && !scope && tokens_.is_identifier(i)) {
        names_.insert(tokens_.text(i));
      }
    }
  }
  void add(TokenRange body) {
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (tokens_.is_identifier(i)) names_.insert(tokens_.text(i));
    }
  }
  bool has(std::string_view name) const { return names_.contains(name); }

 private:
  const TokenList& tokens_;
  std::vector<bool> hidden_;
  Names names_;
};

}  // namespace

std::vector<TokenRange> device_bodies(const TokenList& tokens, const Scan& scan) {
  std::vector<DeviceFunction> functions;
  HostNames names(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_mark(tokens, i)) continue;
    Function function(tokens, i);
    const std::size_t name = function.name();
    if (name >= tokens.size()) continue;
    names.hide({name, name + 1});
    const auto body = function.body();
    if (!body || body->end >= tokens.size()) continue;
    names.hide(*body);
    functions.push_back({tokens.text(name), *body});
    // What stands within goes with it.
    i = body->end;
  }
  for (const Kernel& kernel : scan.kernels) names.hide(kernel.body);
  names.collect();
  for (bool more = true; more;) {
    more = false;
    for (DeviceFunction& function : functions) {
      if (function.named_elsewhere || !names.has(function.name)) continue;
      function.named_elsewhere = more = true;
      names.add(function.body);
    }
  }
  std::vector<TokenRange> bodies;
  for (const DeviceFunction& function : functions) {
    if (!function.named_elsewhere) bodies.push_back(function.body);
  }
  return bodies;
}

}  // namespace davsim::driver
