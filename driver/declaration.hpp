// Reads single declarations and expressions: parts of the scanner (driver/scan.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/scan.hpp"
#include "driver/tokens.hpp"

namespace davsim::driver {

[[noreturn]] void fail_at(const TokenList& tokens, std::size_t at, const std::string& what);

/// Splits [begin, end) at the commas outside brackets of every kind.
std::vector<TokenRange> split(const TokenList& tokens, TokenRange range);

/// The parameters of a function or of a template.
std::vector<Parameter> read_parameters(const TokenList& tokens, TokenRange range);

/// The scope that a { after `head` opens: a namespace by its name, extern "C" by `extern "C"`;
/// nothing if it opens something else.
std::optional<std::string> opened_scope(const TokenList& tokens, TokenRange head);

/// The token that names the function that `head` declares; size() if it declares none.
std::size_t function_name(const TokenList& tokens, TokenRange head);

/// The name that `head` declares; `function` is what function_name returned. Empty: none.
std::string_view declared_name(const TokenList& tokens, TokenRange head, std::size_t function);

/// The kernel that `head`, in these scopes, declares with its name at `name`.
Kernel read_kernel(const TokenList& tokens, const std::vector<std::string>& scopes, TokenRange head,
                   std::size_t name, TokenRange body);

/// The first token of the expression that ends before `end` and is launched.
std::size_t callee_before(const TokenList& tokens, std::size_t end);

/// The first > of the `>>>(` that ends the configuration of a launch which begins at `begin`;
/// size() if there is none. A < opens template arguments where `angles`, else it compares.
std::size_t configuration_end(const TokenList& tokens, std::size_t begin, bool angles);

}  // namespace davsim::driver
