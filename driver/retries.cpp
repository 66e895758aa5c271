#include "driver/retries.hpp"

#include <sstream>
#include <utility>

#include "driver/designators.hpp"
#include "driver/mixed_choices.hpp"
#include "driver/younger_words.hpp"

namespace davsim::driver {
namespace {

/// Whether all that is refused are names that change their meaning, as in `struct S { T T; };`,
/// which is no error that a compiler has to report.
bool refuses_meanings_alone(const std::string& log) {
  std::istringstream lines(log);
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error: ") == line.npos && line.find("error:\033") == line.npos) continue;
    if (line.find("changes meaning of") == line.npos) return false;
    found = true;
  }
  return found;
}

/// What is refused and can be written in another way.
std::size_t refused_forms(const std::string& log) {
  return refused_choice_count(log) + refused_order_count(log);
}

/// The text in which it is; empty if nothing can.
std::string rewritten_forms(const std::string& text, std::string_view name,
                            const std::string& log) {
  std::string converted = with_equal_choices(text, name, log);
  return converted.empty() ? with_ordered_designators(text, name, log) : converted;
}

}  // namespace

bool may_settle(const std::string& log) {
  return refused_forms(log) > 0 || blames_younger_words(log) || refuses_meanings_alone(log);
}

Compilation settle(
    std::string text, std::string_view name, Compilation last,
    const std::function<Compilation(const std::string& text, const Command& more)>& compile) {
  while (last.status != 0) {
    std::string converted = rewritten_forms(text, name, last.log);
    if (converted.empty()) break;
    Compilation next = compile(converted, {});
    // Choices between other types stay refused.
    const bool helped = next.status == 0 || refused_forms(next.log) < refused_forms(last.log);
    if (!helped) break;
    text = std::move(converted);
    last = std::move(next);
  }
  if (last.status == 0 || !refuses_meanings_alone(last.log)) return last;
  Compilation next = compile(text, {"-fpermissive", "-w"});
  return next.status == 0 ? next : last;
}

}  // namespace davsim::driver
