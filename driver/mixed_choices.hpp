// Choices between half and another number, cond ? h : 1.0f, which g++ refuses because half is a
// class. See isa/include/ascendc/mixed_choice.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace davsim::driver {

/// How a compilation ended, and what the compiler said.
struct Compilation {
  int status = 0;
  std::string log;
};

/// Whether the messages refuse choices between different types.
bool refuses_choices(const std::string& log);

/// With this option messages name columns by the bytes of what the compiler reads, not by what an
/// editor shows of the user's file.
inline constexpr const char* kColumnsInBytes = "-fdiagnostics-column-unit=byte";

/// The source `text` with conversions in the choices that `log`, messages with kColumnsInBytes, say
/// to be of different types; empty if they say so of none. `name` is the file's where no marker
/// says it. No line is added or lost.
std::string with_equal_choices(const std::string& text, std::string_view name,
                               const std::string& log);

/// Compiles `text` again with conversions in its choices as long as `outcome`, that of the last
/// compilation, has fewer such messages each time. Returns the outcome of the last one that helped.
Compilation settle_choices(std::string text, std::string_view name, Compilation outcome,
                           const std::function<Compilation(const std::string&)>& compile);

}  // namespace davsim::driver
