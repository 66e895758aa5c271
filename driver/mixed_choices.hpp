// Choices between half and another number, cond ? h : 1.0f, which g++ refuses because half is a
// class. See isa/include/ascendc/mixed_choice.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace davsim::driver {

/// With this option messages name columns by the bytes of what the compiler reads, not by what an
/// editor shows of the user's file.
inline constexpr const char* kColumnsInBytes = "-fdiagnostics-column-unit=byte";

/// How many choices between different types the messages refuse.
std::size_t refused_choice_count(const std::string& log);

/// The source `text` with conversions in the choices that `log`, messages with kColumnsInBytes, say
/// to be of different types; empty if they say so of none. `name` is the file's where no marker
/// says it. No line is added or lost.
std::string with_equal_choices(const std::string& text, std::string_view name,
                               const std::string& log);

}  // namespace davsim::driver
