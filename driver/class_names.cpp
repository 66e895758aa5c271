#include "driver/class_names.hpp"

#include <algorithm>

namespace davsim::driver {
namespace {

class Reader {
 public:
  explicit Reader(const TokenList& tokens) : tokens_(tokens) {}

  std::map<std::string, DefinedType> run() {
    read(0, tokens_.size(), "");
    return std::move(names_);
  }

 private:
  /// Of the tokens [i, end), which lie in the namespaces of `prefix`, a::b::.
  void read(std::size_t i, std::size_t end, const std::string& prefix) {
    for (; i < end; ++i) {
      if (tokens_.is(i, "namespace")) {
        i = read_namespace(i, end, prefix);
      } else if (tokens_.is(i, "extern") && tokens_.is(i + 2, "{")) {
        const std::size_t close = std::min(tokens_.closing(i + 2), end);
        read(i + 3, close, prefix);
        i = close;
      } else if (tokens_.is(i, "template") && tokens_.is(i + 1, "<")) {
        i = end_of_declaration(i, end);
      } else if (tokens_.is(i, "typedef")) {
        const std::size_t last = end_of_declaration(i, end);
        read_typedef(i, last, prefix);
        i = last;
      } else if (tokens_.is(i, "using") && tokens_.is(i + 2, "=")) {
        add(i + 1, "", prefix);
        i = end_of_declaration(i, end);
      } else if (tokens_.is(i, "enum")) {
        const bool scoped = tokens_.is(i + 1, "class") || tokens_.is(i + 1, "struct");
        add(i + (scoped ? 2 : 1), "", prefix);
        i = end_of_declaration(i, end);
      } else if (is_class_key(i)) {
        read_class(i, prefix);
        i = end_of_declaration(i, end);
      } else if (tokens_.is(i, "{") || tokens_.is(i, "(")) {
        i = tokens_.closing(i);
      }
    }
  }

  std::size_t read_namespace(std::size_t i, std::size_t end, const std::string& prefix) {
    std::string inner = prefix;
    std::size_t at = i + 1;
    for (; at < end && !tokens_.is(at, "{") && !tokens_.is(at, ";"); ++at) {
      if (tokens_.is(at, "=")) return end_of_declaration(at, end);  // another name for one
      if (tokens_.is_identifier(at) && !tokens_.is(at, "inline")) {
        inner += std::string(tokens_.text(at)) + "::";
      }
    }
    if (!tokens_.is(at, "{")) return at;
    const std::size_t close = std::min(tokens_.closing(at), end);
    if (inner != prefix) read(at + 1, close, inner);
    return close;
  }

  bool is_class_key(std::size_t i) const {
    return tokens_.is(i, "struct") || tokens_.is(i, "class") || tokens_.is(i, "union");
  }

  void add(std::size_t name, const std::string& declaration, const std::string& prefix) {
    if (!tokens_.is_identifier(name)) return;
    names_.emplace(prefix + std::string(tokens_.text(name)),
                   DefinedType{declaration, tokens_.place(name).file});
  }

  /// typedef struct Tag {...} Tiling, *Pointer; the first name is that of the type itself.
  void read_typedef(std::size_t i, std::size_t end, const std::string& prefix) {
    std::size_t name = end - 1;
    std::string declaration;
    if (is_class_key(i + 1)) {
      read_class(i + 1, prefix);
      std::size_t at = i + 2;
      while (at < end && !tokens_.is(at, "{")) ++at;
      if (at == end) return;  // of a type that is defined elsewhere
      name = tokens_.closing(at) + 1;
      if (at == i + 3 && tokens_.is_identifier(i + 2)) {
        const std::string tag =
            std::string(tokens_.text(i + 1)) + " " + std::string(tokens_.text(i + 2));
        declaration = tag + "; typedef " + tag + " " + std::string(tokens_.text(name)) + ";";
      }
    }
    add(name, declaration, prefix);
  }

  /// What is defined at `i`, behind attributes: struct __attribute__((packed)) Tiling {.
  void read_class(std::size_t i, const std::string& prefix) {
    std::size_t at = i + 1;
    while (tokens_.is(at, "__attribute__") || tokens_.is(at, "alignas") || tokens_.is(at, "[")) {
      at = tokens_.closing(tokens_.is(at, "[") ? at : at + 1) + 1;
    }
    if (!tokens_.is_identifier(at)) return;
    if (!tokens_.is(at + 1, "{") && !tokens_.is(at + 1, ":") && !tokens_.is(at + 1, "final"))
      return;
    add(at, std::string(tokens_.text(i)) + " " + std::string(tokens_.text(at)) + ";", prefix);
  }

  /// The ; at which a declaration ends, or the } of a function's body.
  std::size_t end_of_declaration(std::size_t i, std::size_t end) const {
    bool is_function = false;
    for (; i < end && !tokens_.is(i, ";"); ++i) {
      if (tokens_.is(i, "(")) is_function = true;
      if (!tokens_.is(i, "{") && !tokens_.is(i, "(") && !tokens_.is(i, "[")) continue;
      const bool is_body = tokens_.is(i, "{") && is_function;
      i = tokens_.closing(i);
      if (is_body) return i;
    }
    return i;
  }

  const TokenList& tokens_;
  std::map<std::string, DefinedType> names_;
};

}  // namespace

std::map<std::string, DefinedType> type_names(const TokenList& tokens) {
  return Reader(tokens).run();
}

}  // namespace davsim::driver
