// Designated initialisers in another order than that of the members, P{.b = 1, .a = 2}, which g++
// refuses and the device's compiler takes.
#pragma once

#include <string>
#include <string_view>

namespace davsim::driver {

/// The source `text` with such lists in the order of the members, as far as `log`, messages with
/// kColumnsInBytes, refuses them and their types are defined in the user's files; empty if there is
/// none. Values may be computed in another order then. `name` is the file's where no marker says
/// it. No line is added or lost.
std::string with_ordered_designators(const std::string& text, std::string_view name,
                                     const std::string& log);

/// How many lists the messages refuse for their order.
std::size_t refused_order_count(const std::string& log);

}  // namespace davsim::driver
