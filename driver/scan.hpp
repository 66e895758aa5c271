// Finds the kernels of a preprocessed source and the launches of its host code.
//
// The parser knows declarations, not types: what a name means is left to the compiler, to which the
// rewritten source goes (driver/rewrite.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "driver/core_type.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

/// Tokens [begin, end).
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
};

/// A parameter of a function or of a template.
struct Parameter {
  std::string name;             ///< empty: it has none
  std::size_t name_before = 0;  ///< the token before which a name belongs
  std::size_t end = 0;          ///< behind its last token, default included
  bool pack = false;            ///< Ts... xs
};

/// A function that is declared with __global__.
struct Kernel {
  std::string name;          ///< with its namespaces: ns::add
  std::string own_name;      ///< as a function body sees it, with arguments of a specialisation
  bool is_template = false;  ///< parameters of its own: template <class T>
  bool is_instantiation = false;  ///< template __global__ void k<half>(...);
  bool c_linkage = false;
  std::vector<Parameter> template_parameters;
  std::vector<Parameter> parameters;
  TokenRange parameter_tokens;  ///< between the parentheses
  TokenRange head;              ///< the declaration before the body
  TokenRange body;              ///< between the braces; empty for a declaration
  bool defined = false;
  CoreTypes cores;  ///< what qualifier, body or the names it uses say
  UsedCores used;   ///< what the names say
};

/// callee<<<configuration>>>(arguments)
struct Launch {
  std::size_t callee = 0;  ///< first token of what is launched
  std::size_t open = 0;    ///< the first <
  TokenRange configuration;
  std::size_t close = 0;          ///< the first of the three >
  std::size_t arguments_end = 0;  ///< the closing parenthesis
};

struct Scan {
  std::vector<Kernel> kernels;
  std::vector<Launch> launches;
};

/// Throws std::invalid_argument, "file:line: error: ...", for a kernel or a launch that cannot be
/// read.
Scan scan(const TokenList& tokens);

}  // namespace davsim::driver
