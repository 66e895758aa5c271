#include "driver/class_specialisation.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "driver/declaration.hpp"

namespace davsim::driver {
namespace {

bool is_class_word(std::string_view word) {
  return word == "class" || word == "struct" || word == "union";
}

/// A member template, template<...> up to its name.
struct Member {
  std::size_t begin = 0;       ///< the word template
  TokenRange template_tokens;  ///< between its < and >
  bool is_class = false;
  TokenRange name;       ///< an identifier, or operator()
  TokenRange arguments;  ///< between the < and > behind the name
  bool has_arguments = false;
  TokenRange parameters;  ///< of a function, between ( and )
};

class Rewriter {
 public:
  explicit Rewriter(const TokenList& tokens) : tokens_(tokens) {}

  std::vector<Replacement> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_.is(i, "{")) i = open(i);
    }
    return std::move(replacements_);
  }

 private:
  enum class Scope { kNamespace, kClass, kOther };

  /// What the { at `brace` opens.
  Scope scope_of(std::size_t brace) const {
    bool of_class = false, of_namespace = false;
    for (std::size_t i = brace; i-- > 0;) {
      const std::string_view here = tokens_.text(i);
      if (here == ";" || here == "}" || here == "{" || here == "=") break;
      // Of a function, unless it belongs to an attribute.
      if (here == ")") {
        i = tokens_.opening(i);
        if (i >= tokens_.size() || i == 0) return Scope::kOther;
        const std::string_view before = tokens_.text(i - 1);
        if (before != "__attribute__" && before != "alignas") return Scope::kOther;
      }
      if (here == "enum") return Scope::kOther;
      // Not one of template parameters.
      if (is_class_word(here) && !tokens_.is(i - 1, "<") && !tokens_.is(i - 1, ","))
        of_class = true;
      if (here == "namespace" || here == "extern") of_namespace = true;
    }
    if (of_namespace) return Scope::kNamespace;
    return of_class ? Scope::kClass : Scope::kOther;
  }

  /// Reads what the { at `brace` opens; returns the token from which the search goes on.
  std::size_t open(std::size_t brace) {
    switch (scope_of(brace)) {
      case Scope::kNamespace:
        return brace;
      case Scope::kClass:
        read_class({brace + 1, std::min(tokens_.closing(brace), tokens_.size())});
        return brace;  // classes within it come next
      default:
        return tokens_.closing(brace);
    }
  }

  void read_class(TokenRange body) {
    std::vector<Member> members;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (tokens_.is(i, "{") || tokens_.is(i, "(") || tokens_.is(i, "[")) {
        i = tokens_.closing(i);
      } else if (tokens_.is(i, "template") && tokens_.is(i + 1, "<")) {
        if (const auto member = read_member(i)) members.push_back(*member);
        i = std::min(tokens_.closing_angle(i + 1), body.end);
      }
    }
    std::set<std::size_t> widened;
    for (const Member& member : members) {
      if (!member.template_tokens.empty()) continue;
      const auto primary = std::find_if(members.begin(), members.end(), [&](const Member& other) {
        return !other.template_tokens.empty() && !other.has_arguments &&
               other.is_class == member.is_class &&
               tokens_.text(other.name.begin) == tokens_.text(member.name.begin);
      });
      if (primary == members.end()) continue;
      if (member.is_class) {
        specialise_class(*primary, member, widened.insert(primary->begin).second);
      } else {
        constrain_function(*primary, member);
      }
    }
  }

  std::optional<Member> read_member(std::size_t at) const {
    Member member;
    member.begin = at;
    const std::size_t close = tokens_.closing_angle(at + 1);
    if (close >= tokens_.size()) return std::nullopt;
    member.template_tokens = {at + 2, close};
    for (std::size_t i = close + 1; i < tokens_.size(); ++i) {
      const std::string_view here = tokens_.text(i);
      if (here == ";" || here == "{" || here == "}" || here == "using") break;
      if (here == "[" || here == "__attribute__" || here == "alignas") {
        i = tokens_.closing(here == "[" ? i : i + 1);
      } else if (is_class_word(here) && tokens_.is_identifier(i + 1)) {
        member.is_class = true;
        member.name = {i + 1, i + 2};
        read_arguments(member);
        return member;
      } else if (const std::size_t name_end = function_name_end(i); name_end > i) {
        member.name = {i, name_end};
        read_arguments(member);
        const std::size_t behind = member.has_arguments ? member.arguments.end + 1 : name_end;
        if (tokens_.is(behind, "(")) {
          member.parameters = {behind + 1, tokens_.closing(behind)};
          return member;
        }
        if (here == "operator") break;
        // The template arguments of a type.
        if (member.has_arguments) i = member.arguments.end;
        member.has_arguments = false;
      }
    }
    return std::nullopt;
  }

  /// Behind the name of a function, or of a type with template arguments, at `i`; `i` if there is
  /// none. Of the operators only operator() is read.
  std::size_t function_name_end(std::size_t i) const {
    if (!tokens_.is_identifier(i)) return i;
    const bool is_call =
        tokens_.is(i, "operator") && tokens_.is(i + 1, "(") && tokens_.is(i + 2, ")");
    const std::size_t end = is_call ? i + 3 : i + 1;
    return tokens_.is(end, "(") || tokens_.is(end, "<") ? end : i;
  }

  void read_arguments(Member& member) const {
    if (!tokens_.is(member.name.end, "<")) return;
    const std::size_t close = tokens_.closing_angle(member.name.end);
    if (close >= tokens_.size()) return;
    member.arguments = {member.name.end + 1, close};
    member.has_arguments = true;
  }

  /// template <> struct S<half> becomes template <typename X> struct S<half, X>, where S has one
  /// more parameter, with a default.
  void specialise_class(const Member& primary, const Member& special, bool first) {
    const auto parameters = read_parameters(tokens_, primary.template_tokens);
    if (!special.has_arguments || parameters.empty() || parameters.back().pack) return;
    if (first) insert(primary.template_tokens.end, ", typename davsim_only = void");
    insert(special.template_tokens.end, "typename davsim_only");
    insert(special.arguments.end, ", davsim_only");
  }

  /// template <> void f<half>(half x) becomes an overload with the parameters of
  /// template <class T> void f(T y), which wins where T is half.
  void constrain_function(const Member& primary, const Member& special) {
    if (!special.has_arguments) {
      // All arguments follow from the types of the parameters, so that a plain function does.
      replace({special.begin, special.template_tokens.end + 1}, "");
      return;
    }
    const auto templates = read_parameters(tokens_, primary.template_tokens);
    const auto arguments = split(tokens_, special.arguments);
    if (arguments.size() > templates.size()) return;
    std::string conditions;
    std::size_t begin = primary.template_tokens.begin;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Parameter& parameter = templates[i];
      if (parameter.pack || parameter.name.empty() || tokens_.is(begin, "template")) return;
      const std::string argument = tokens_.joined(arguments[i].begin, arguments[i].end);
      const bool is_type = tokens_.is(begin, "typename") || tokens_.is(begin, "class");
      conditions += conditions.empty() ? "" : " && ";
      conditions += is_type ? "__is_same(" + parameter.name + ", " + argument + ")"
                            : "(" + parameter.name + " == (" + argument + "))";
      begin = parameter.end + 1;
    }
    const auto list = parameter_list(primary, special);
    if (!list) return;
    replace({special.begin, special.template_tokens.end + 1},
            "template <" +
                tokens_.joined(primary.template_tokens.begin, primary.template_tokens.end) +
                "> requires (" + conditions + ") ");
    replace({special.name.end, special.parameters.end + 1}, "(" + *list + ")");
  }

  /// The parameters of the primary template by the names of the special one.
  std::optional<std::string> parameter_list(const Member& primary, const Member& special) const {
    const auto types = read_parameters(tokens_, primary.parameters);
    const auto names = read_parameters(tokens_, special.parameters);
    if (types.size() != names.size()) return std::nullopt;
    std::string list;
    std::size_t begin = primary.parameters.begin;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const Parameter& type = types[i];
      const std::size_t named = type.name.empty() ? 0 : 1;
      list += (i == 0 ? "" : ", ") + tokens_.joined(begin, type.name_before - named) + " " +
              names[i].name + " " + tokens_.joined(type.name_before, type.end);
      begin = type.end + 1;
    }
    return list;
  }

  void insert(std::size_t before, const std::string& text) {
    replacements_.push_back({{before, before}, text});
  }
  void replace(TokenRange range, const std::string& text) {
    replacements_.push_back({range, text});
  }

  const TokenList& tokens_;
  std::vector<Replacement> replacements_;
};

}  // namespace

std::vector<Replacement> class_specialisations(const TokenList& tokens) {
  return Rewriter(tokens).run();
}

}  // namespace davsim::driver
