// What a source is compiled once more for: forms that the device's compiler takes, and of which
// only messages of g++ tell where they are.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "driver/process.hpp"

namespace davsim::driver {

/// How a compilation ended, and what the compiler said.
struct Compilation {
  int status = 0;
  std::string log;
};

/// Whether another compilation may take what this one has refused.
bool may_settle(const std::string& log);

/// Compiles `text` again after `last`, its compilation, as long as that helps:
///   with conversions in choices between half and other numbers (mixed_choices.hpp),
///   with designated initialisers in the order of the members (designators.hpp),
///   where nothing is refused but members that have the name of their type, with these allowed.
/// `name` is the file's where no line marker says it, `compile` compiles a text with more options.
/// Returns the last compilation that helped.
Compilation settle(
    std::string text, std::string_view name, Compilation last,
    const std::function<Compilation(const std::string& text, const Command& more)>& compile);

}  // namespace davsim::driver
