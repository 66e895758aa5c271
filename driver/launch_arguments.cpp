#include "driver/launch_arguments.hpp"

namespace davsim::driver {
namespace {

bool may_be_pointer(const TokenList& tokens, TokenRange argument) {
  if (argument.empty() || tokens.is(argument.begin, "{")) return false;
  bool names = false;
  for (std::size_t i = argument.begin; i < argument.end; ++i) {
    if (tokens.is(i, "<") || tokens.is(i, ">") || tokens.is(i, ".")) {
      // a.b is one argument; `...` a pack
      if (!tokens.is(i, ".") || tokens.is(i + 1, ".")) return false;
    }
    if (!tokens.is_identifier(i)) continue;
    names = names || !(tokens.is(i, "nullptr") || tokens.is(i, "__null") || tokens.is(i, "NULL"));
  }
  return names;
}

}  // namespace

std::vector<TokenRange> pointer_arguments(const TokenList& tokens, const Launch& launch) {
  std::vector<TokenRange> found;
  TokenRange argument;
  argument.begin = launch.close + 4;  // behind >>> and (
  int angles = 0;
  for (std::size_t i = argument.begin; i <= launch.arguments_end && i < tokens.size(); ++i) {
    if (tokens.is(i, "<")) ++angles;
    if (tokens.is(i, ">")) --angles;
    if (i < launch.arguments_end && !tokens.is(i, ",")) {
      if (tokens.is(i, "(") || tokens.is(i, "[") || tokens.is(i, "{")) i = tokens.closing(i);
      continue;
    }
    argument.end = i;
    if (angles == 0 && may_be_pointer(tokens, argument)) found.push_back(argument);
    argument.begin = i + 1;
  }
  return found;
}

}  // namespace davsim::driver
