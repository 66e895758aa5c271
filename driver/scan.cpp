#include "driver/scan.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/declaration.hpp"

namespace davsim::driver {
namespace {

bool is_position(std::string_view name) {
  constexpr std::string_view kPositions[] = {"A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2"};
  return std::find(std::begin(kPositions), std::end(kPositions), name) != std::end(kPositions);
}

/// Walks the declarations of namespaces; remembers kernels and what each name uses.
class Scanner {
 public:
  explicit Scanner(const TokenList& tokens) : tokens_(tokens) {}

  Scan run() {
    while (at_ < tokens_.size()) step();
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (is_launch(i)) i = add_launch(i);
    }
    deduce();
    return std::move(scan_);
  }

 private:
  /// Reads on to the end of a declaration, or to the beginning or end of a scope.
  void step() {
    const std::string_view here = tokens_.text(at_);
    if (here == ";") {
      declaration(at_, {});
      next_declaration(at_ + 1);
    } else if (here == "{") {
      brace();
    } else if (here == "}") {
      if (!scopes_.empty()) scopes_.pop_back();
      next_declaration(at_ + 1);
    } else if (here == "(" || here == "[") {
      at_ = tokens_.closing(at_) + 1;
    } else {
      ++at_;
    }
  }

  void next_declaration(std::size_t at) { at_ = begin_ = at; }

  void brace() {
    const TokenRange head{begin_, at_};
    if (const auto scope = opened_scope(tokens_, head)) {
      scopes_.push_back(*scope);
      next_declaration(at_ + 1);
      return;
    }
    std::size_t close = tokens_.closing(at_);
    if (function_name(tokens_, head) < tokens_.size()) {
      declaration(at_, {at_ + 1, std::min(close, tokens_.size())});
      // The braces of initialisers in front of a constructor's body.
      while (tokens_.is(close + 1, ",") || tokens_.is(close + 1, "{")) {
        std::size_t next = close + 1;
        while (next < tokens_.size() && !tokens_.is(next, "{")) ++next;
        close = tokens_.closing(next);
      }
      next_declaration(close + 1);
      return;
    }
    at_ = close + 1;  // of a class, an enumeration or an initialiser; the declaration goes on
  }

  /// What ends at `end`, a ; or the { before `body`.
  void declaration(std::size_t end, TokenRange body) {
    const TokenRange head{begin_, end};
    if (head.empty()) return;
    const std::size_t name = function_name(tokens_, head);
    const TokenRange whole{begin_, body.empty() ? end : body.end};
    if (const std::string_view defined = declared_name(tokens_, head, name); !defined.empty()) {
      definitions_[defined].merge(names_in(whole));
    }
    for (std::size_t i = head.begin; i < head.end; ++i) {
      if (!tokens_.is(i, "__global__")) continue;
      if (name >= tokens_.size()) {
        fail(i, "__global__ stands before a function: __global__ __aicore__ void name(...)");
      }
      scan_.kernels.push_back(read_kernel(tokens_, scopes_, head, name, body));
      bodies_.push_back(names_in(whole));
      leaves_work_.push_back(leaves_work_to_parameter(scan_.kernels.back(), whole));
      return;
    }
  }

  Names names_in(TokenRange range) const {
    Names names;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (!tokens_.is_identifier(i)) continue;
      const std::string_view name = tokens_.text(i);
      // These short names mean buffers only where they are said to be positions.
      if (is_position(name) &&
          !(i >= 2 && (tokens_.is(i - 2, "TPosition") || tokens_.is(i - 2, "QuePosition")))) {
        continue;
      }
      if (leaves_other_cores(i)) continue;
      names.insert(name);
    }
    return names;
  }

  /// Whether the name at `i` only lets a kind of core go: if ASCEND_IS_AIC { return; }
  bool leaves_other_cores(std::size_t i) const {
    if (!tokens_.is(i, "AIC") && !tokens_.is(i, "AIV")) return false;
    std::size_t at = i + 1;
    while (tokens_.is(at, ")")) ++at;
    if (tokens_.is(at, "{")) ++at;
    return at > i + 1 && tokens_.is(at, "return") && tokens_.is(at + 1, ";");
  }

  /// Whether an object of a template parameter may do a kernel's work: Op op; or Op::run().
  bool leaves_work_to_parameter(const Kernel& kernel, TokenRange whole) const {
    const auto is_parameter = [&](std::size_t i) {
      return std::any_of(kernel.template_parameters.begin(), kernel.template_parameters.end(),
                         [&](const Parameter& one) { return tokens_.is(i, one.name); });
    };
    for (std::size_t i = whole.begin; i < whole.end; ++i) {
      if (!tokens_.is_identifier(i) || !is_parameter(i)) continue;
      const bool is_object =
          tokens_.is_identifier(i + 1) &&
          (tokens_.is(i + 2, ";") || tokens_.is(i + 2, "{") || tokens_.is(i + 2, "("));
      if (is_object || tokens_.is(i + 1, "::")) return true;
    }
    return false;
  }

  void deduce() {
    for (std::size_t i = 0; i < scan_.kernels.size(); ++i) {
      Kernel& kernel = scan_.kernels[i];
      kernel.used = used_cores(bodies_[i], definitions_);
      if (leaves_work_[i] && !kernel.used.cube && !kernel.used.vector) {
        // Which class it is stands at the launch, where a name may stand for it: any of the source.
        Names all;
        for (const auto& [unused, names] : definitions_) all.insert(names.begin(), names.end());
        kernel.used = used_cores(all, definitions_);
      }
      if (!kernel.cores.said) kernel.cores.type = deduced_core_type(kernel.used);
    }
  }

  bool is_launch(std::size_t i) const {
    return tokens_.is(i, "<") && tokens_.is(i + 1, "<") && tokens_.is(i + 2, "<") && i > 0 &&
           !tokens_.is(i - 1, "operator");
  }

  std::size_t add_launch(std::size_t open) {
    Launch launch;
    launch.open = open;
    launch.callee = callee_before(tokens_, open);
    if (launch.callee == open) fail(open, "a launch needs a kernel before <<<");
    launch.close = configuration_end(tokens_, open + 3, true);
    if (launch.close >= tokens_.size()) launch.close = configuration_end(tokens_, open + 3, false);
    if (launch.close >= tokens_.size()) {
      fail(open,
           "a launch is kernel<<<blocks, nullptr, stream>>>(arguments); there is no >>>( for "
           "this <<<");
    }
    launch.configuration = {open + 3, launch.close};
    launch.arguments_end = tokens_.closing(launch.close + 3);
    scan_.launches.push_back(launch);
    return open + 2;
  }

  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    fail_at(tokens_, at, what);
  }

  const TokenList& tokens_;
  Scan scan_;
  std::vector<std::string> scopes_;
  std::vector<Names> bodies_;      ///< of each kernel
  std::vector<bool> leaves_work_;  ///< of the kernels, to a parameter of the template
  Definitions definitions_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
};

}  // namespace

Scan scan(const TokenList& tokens) {
  return Scanner(tokens).run();
}

}  // namespace davsim::driver
