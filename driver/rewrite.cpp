#include "driver/rewrite.hpp"

#include <algorithm>
#include <vector>

#include "driver/both_sides.hpp"
#include "driver/class_specialisation.hpp"
#include "driver/destructor_names.hpp"
#include "driver/device_code.hpp"
#include "driver/launch_arguments.hpp"
#include "driver/library_names.hpp"
#include "driver/own_statics.hpp"
#include "driver/own_types.hpp"
#include "driver/younger_words.hpp"

namespace davsim::driver {
namespace {

/// A text with parts of it replaced.
class Edits {
 public:
  explicit Edits(const TokenList& tokens) : tokens_(tokens) {}

  void before(std::size_t token, std::string text) {
    const std::size_t at = offset(token);
    edits_.push_back({at, at, std::move(text)});
  }
  /// Replaces tokens; the ends of lines and the lines of the preprocessor between them stay.
  void replace(TokenRange range, const std::string& text) {
    range.end = std::min(range.end, tokens_.size());  // a bracket may never be closed
    if (range.empty()) return before(range.begin, text);
    edits_.push_back({offset(range.begin), tokens_[range.end - 1].end, text});
  }
  void replace(std::size_t token, const std::string& text) { replace({token, token + 1}, text); }

  std::string apply() {
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    const std::string_view text = tokens_.whole_text();
    std::string result;
    result.reserve(text.size() + 4096);
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < at) continue;  // within what was replaced as a whole
      result.append(text.substr(at, edit.begin - at));
      result += edit.text;
      append_lines(result, text.substr(edit.begin, edit.end - edit.begin));
      at = edit.end;
    }
    result.append(text.substr(at));
    return result;
  }

 private:
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string text;
  };

  std::size_t offset(std::size_t token) const {
    return token < tokens_.size() ? tokens_[token].begin : tokens_.whole_text().size();
  }

  static void append_lines(std::string& result, std::string_view removed) {
    std::size_t at = removed.find('\n');
    while (at != std::string_view::npos) {
      result += '\n';
      const std::size_t next = std::min(removed.find('\n', at + 1), removed.size());
      if (removed[std::min(at + 1, removed.size() - 1)] == '#') {
        result.append(removed.substr(at + 1, next - at - 1));
      }
      at = next == removed.size() ? std::string_view::npos : next;
    }
  }

  const TokenList& tokens_;
  std::vector<Edit> edits_;
};

bool is_type_mark(const TokenList& tokens, std::size_t i) {
  return (tokens.is(i, "KERNEL_TASK_TYPE_DEFAULT") || tokens.is(i, "KERNEL_TASK_TYPE")) &&
         tokens.is(i + 1, "(");
}

/// What stands in the place of a type mark that ends before `end`. Kernels may write it without a
/// semicolon.
const char* instead_of_type_mark(const TokenList& tokens, std::size_t end) {
  const bool ends_by_itself = tokens.is(end, ";") || tokens.is(end, ",");
  return ends_by_itself ? "((void)0)" : "((void)0);";
}

/// The [ of [[block_local]].
bool is_block_local(const TokenList& tokens, std::size_t i) {
  return tokens.is(i, "[") && tokens.is(i + 1, "[") && tokens.is(i + 2, "block_local") &&
         tokens.is(i + 3, "]") && tokens.is(i + 4, "]");
}

/// Makes of [[block_local]] what __BLOCK_LOCAL__ is.
void place_block_locals(const TokenList& tokens, Edits& edits) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_block_local(tokens, i)) continue;
    edits.replace({i, i + 5}, "__attribute__((section(\"davsim_block_local.attribute" +
                                  std::to_string(number++) + "\")))");
  }
}

/// Makes calls of the only instruction that kernels write as assembly of the device:
/// asm volatile("MOVEMASK MASK[0], %0\n" ::"l"(mask)).
void call_assembly(const TokenList& tokens, Edits& edits) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "asm") && !tokens.is(i, "__asm__")) continue;
    const bool is_volatile = tokens.is(i + 1, "volatile") || tokens.is(i + 1, "__volatile__");
    const std::size_t open = i + (is_volatile ? 2 : 1), text = open + 1;
    const std::size_t part = tokens.text(text).find("MASK[");
    if (!tokens.text(text).starts_with("\"MOVEMASK") || part == std::string_view::npos) continue;
    const std::size_t close = tokens.closing(open), operand = tokens.opening(close - 1);
    if (close == tokens.size() || operand <= text) continue;
    edits.replace({i, operand},
                  std::string("::davsim::api::move_mask<") + tokens.text(text)[part + 5] + ">");
    edits.replace(close, "");
  }
}

/// 0.0 / 0.0 has a sign for g++, and none for the vendor's compiler.
void divide_zeros(const TokenList& tokens, Edits& edits) {
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    const std::string_view zero = tokens.text(i), before = tokens.text(i - 1);
    if ((zero != "0.0" && zero != "0.0f") || !tokens.is(i + 1, "/") || !tokens.is(i + 2, zero))
      continue;
    if (before == "/" || before == "*" || before == "%") continue;
    edits.replace({i, i + 3}, zero == "0.0" ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")");
  }
}

/// Takes out the words of the device's language that g++ does not know.
void strip_words(const TokenList& tokens, Edits& edits) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.is(i, "__global__")) {
      edits.replace(i, "__attribute__((used))");
    } else if (tokens.is(i, kDeviceMark)) {
      edits.replace(i, "");
    } else if (tokens.is(i, "__vector__") || tokens.is(i, "__cube__") || tokens.is(i, "__tf__")) {
      edits.replace(i, "");
    } else if (tokens.is(i, "[") && tokens.is(i + 1, "aicore") && tokens.is(i + 2, "]")) {
      edits.replace({i, i + 3}, "");
    } else if (is_block_local(tokens, i)) {
      edits.replace({i, i + 5}, "");
    } else if (tokens.is(i, "__mix__") && tokens.is(i + 1, "(")) {
      edits.replace({i, tokens.closing(i + 1) + 1}, "");
    } else if (is_type_mark(tokens, i)) {
      const std::size_t end = tokens.closing(i + 1) + 1;
      edits.replace({i, end}, instead_of_type_mark(tokens, end));
    }
  }
}

/// Names the parameters that have none; returns how an expression says them, with commas between.
std::string name_parameters(const std::vector<Parameter>& parameters, const char* prefix,
                            Edits& edits, std::vector<std::string>* names) {
  std::string list;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::string name = parameters[i].name;
    if (name.empty()) {
      name = prefix + std::to_string(i);
      edits.before(parameters[i].name_before, " " + name + " ");
    }
    if (!list.empty()) list += ", ";
    list += name;
    if (parameters[i].pack) list += "...";
    if (names == nullptr) continue;
    names->push_back("::davsim::launch::Parameter<decltype(" + name + ")>");
    if (parameters[i].pack) names->back() += "...";
  }
  return list;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ", ") + part;
  return list;
}

/// The body of a kernel on the host.
void launch_both_halves(const Kernel& kernel, Edits& edits) {
  std::vector<std::string> types;
  const std::string arguments =
      name_parameters(kernel.parameters, "davsim_argument_", edits, &types);
  std::string self = kernel.own_name;
  if (kernel.is_template) {
    self += "<" + name_parameters(kernel.template_parameters, "davsim_type_", edits, nullptr) + ">";
  }
  const std::string pointer = "static_cast<void (*)(" + joined(types) + ")>(&" + self + ")";
  edits.replace(kernel.body, "::davsim::launch::start<" + pointer + ">(" + arguments + ");");
}

/// What is between <<< and >>> goes, and a void* fits every pointer of the kernel.
void make_call(const TokenList& tokens, const Launch& launch, Edits& edits) {
  edits.replace({launch.open, launch.close + 3}, "");
  for (const TokenRange argument : pointer_arguments(tokens, launch)) {
    const std::string expression = tokens.joined(argument.begin, argument.end);
    edits.before(argument.begin, "::davsim::launch::argument<decltype((" + expression + "))>(");
    edits.before(argument.end, ")");
  }
}

/// What g++ would refuse. Before words are stripped, since both may begin at the same token.
void rewrite_declarations(const TokenList& tokens, Edits& edits) {
  for (const Replacement& one : class_specialisations(tokens)) edits.replace(one.tokens, one.text);
  for (const Replacement& one : destructors_with_arguments(tokens)) {
    edits.replace(one.tokens, one.text);
  }
  for (const Replacement& one : kernels_with_library_names(tokens)) {
    edits.replace(one.tokens, one.text);
  }
  for (const Replacement& one : own_types_with_api_names(tokens)) {
    edits.replace(one.tokens, one.text);
  }
  for (const Replacement& one : names_of_younger_words(tokens)) edits.replace(one.tokens, one.text);
}

}  // namespace

bool needs(const Kernel& kernel, Half half) {
  return half == Half::kCube ? kernel.cores.needs_cube() : kernel.cores.needs_vector();
}

std::string host_source(const TokenList& tokens, const Scan& scan) {
  Edits edits(tokens);
  for (const Kernel& kernel : scan.kernels) {
    if (kernel.defined) launch_both_halves(kernel, edits);
  }
  for (const Launch& launch : scan.launches) {
    // On one line: macros of system headers bring lines of the preprocessor between the tokens.
    const std::string configuration =
        tokens.joined(launch.configuration.begin, launch.configuration.end);
    edits.before(launch.callee, "(::davsim::launch::configure(" + configuration + "), ");
    make_call(tokens, launch, edits);
    edits.before(launch.arguments_end + 1, ")");
  }
  rewrite_declarations(tokens, edits);
  // Device code is compiled in the halves, where all of its names are.
  for (const TokenRange body : device_bodies(tokens, scan))
    edits.replace(body, " __builtin_trap(); ");
  strip_words(tokens, edits);
  std::string text = edits.apply();
  // In headers of the system, whose tokens are not read.
  for (std::size_t at = 0; (at = text.find(kDeviceMark, at)) != text.npos;) {
    text.replace(at, kDeviceMark.size(), kDeviceMark.size(), ' ');
  }
  strip_both_sides(text);
  return text;
}

std::string half_source(const TokenList& tokens, const Scan& scan, Half half) {
  Edits edits(tokens);
  for (const Kernel& kernel : scan.kernels) {
    if (kernel.defined && !needs(kernel, half)) edits.replace(kernel.body, " ");
  }
  for (const Launch& launch : scan.launches) make_call(tokens, launch, edits);
  for (const Insertion& insertion : own_statics(tokens))
    edits.before(insertion.token, insertion.text);
  place_block_locals(tokens, edits);
  call_assembly(tokens, edits);
  divide_zeros(tokens, edits);
  rewrite_declarations(tokens, edits);
  strip_words(tokens, edits);
  std::string text = edits.apply();
  strip_both_sides(text);
  return text;
}

}  // namespace davsim::driver
