#include "driver/designators.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "driver/tokens.hpp"

namespace davsim::driver {
namespace {

struct RefusedOrder {
  std::string file, type;
  std::size_t line, column;  ///< of the } that ends the list
};

/// The places of "file:line:column: error: designator order for field 'T::f' does not match ...".
std::vector<RefusedOrder> refused_orders(const std::string& log) {
  constexpr std::string_view kMessage = "designator order for field";
  std::vector<RefusedOrder> orders;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t message = line.find(kMessage);
    const std::size_t scope = line.find("::", message == line.npos ? 0 : message);
    const std::size_t error = line.find(": ");
    if (message == line.npos || scope == line.npos || error == line.npos) continue;
    // Colours may stand around the place and the names.
    std::string place;
    for (std::size_t i = 0; i < error; ++i) {
      if (line[i] == '\033') {
        while (i < error && line[i] != 'm' && line[i] != 'K') ++i;
      } else {
        place += line[i];
      }
    }
    if (place.ends_with(':')) place.pop_back();
    const std::size_t column = place.rfind(':');
    const std::size_t number = column == place.npos ? place.npos : place.rfind(':', column - 1);
    if (number == place.npos) continue;
    // The last name before the field's, without its template arguments.
    const std::size_t last = line.rfind("::", line.find(" does not match", message));
    std::string_view names = std::string_view(line).substr(message, last - message);
    names = names.substr(0, names.find('<'));
    std::size_t begin = names.size();
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(names[begin - 1])) != 0 ||
                         names[begin - 1] == '_')) {
      --begin;
    }
    orders.push_back({place.substr(0, number), std::string(names.substr(begin)),
                      std::strtoul(place.c_str() + number + 1, nullptr, 10),
                      std::strtoul(place.c_str() + column + 1, nullptr, 10)});
  }
  return orders;
}

/// Where in the definition of the type a member is declared; 0 if it is not found.
std::size_t declared_at(const TokenList& tokens, std::size_t open, std::string_view member) {
  const std::size_t close = tokens.closing(open);
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens.is(i, "{") || tokens.is(i, "(")) {
      i = tokens.closing(i);
    } else if (tokens.is(i, member)) {
      for (const std::string_view behind : {";", "=", ",", "[", "{", ":"}) {
        if (tokens.is(i + 1, behind)) return i;
      }
    }
  }
  return 0;
}

/// The { of the definition of a class; size() if there is none.
std::size_t definition_of(const TokenList& tokens, std::string_view type) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens.is(i, "struct") && !tokens.is(i, "class")) continue;
    if (tokens.is(i + 1, type) && tokens.is(i + 2, "{")) return i + 2;
  }
  // typedef struct { ... } Type;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens.is(i, type) && tokens.is(i - 1, "}")) return tokens.opening(i - 1);
  }
  return tokens.size();
}

struct Element {
  std::size_t begin, end;  ///< tokens
  std::size_t declared;
};

/// The elements of the list that begins at `open`; empty if one cannot be read.
std::vector<Element> elements_of(const TokenList& tokens, std::size_t open, std::size_t close,
                                 std::size_t definition) {
  std::vector<Element> elements;
  for (std::size_t begin = open + 1; begin < close;) {
    std::size_t end = begin;
    while (end < close && !tokens.is(end, ",")) {
      const bool opens = tokens.is(end, "(") || tokens.is(end, "[") || tokens.is(end, "{");
      end = (opens ? tokens.closing(end) : end) + 1;
    }
    const std::size_t declared =
        tokens.is(begin, ".") ? declared_at(tokens, definition, tokens.text(begin + 1)) : 0;
    if (declared == 0) return {};
    elements.push_back({begin, end, declared});
    begin = end + 1;
  }
  return elements;
}

}  // namespace

std::size_t refused_order_count(const std::string& log) {
  return refused_orders(log).size();
}

std::string with_ordered_designators(const std::string& text, std::string_view name,
                                     const std::string& log) {
  const std::vector<RefusedOrder> orders = refused_orders(log);
  if (orders.empty()) return {};
  const TokenList tokens(text, name);
  std::string result = text;
  bool changed = false;
  // From the end on: what stands before stays where it is.
  for (std::size_t close = tokens.size(); close-- > 0;) {
    if (!tokens.is(close, "}")) continue;
    const Place place = tokens.place(close);
    const std::size_t line_end = text.rfind('\n', tokens[close].begin);
    const std::size_t column = tokens[close].begin - (line_end == text.npos ? 0 : line_end + 1) + 1;
    const auto refused = std::find_if(orders.begin(), orders.end(), [&](const RefusedOrder& one) {
      return one.file == place.file && one.line == place.line && one.column == column;
    });
    if (refused == orders.end()) continue;
    const std::size_t definition = definition_of(tokens, refused->type);
    if (definition == tokens.size()) continue;
    const std::vector<Element> elements =
        elements_of(tokens, tokens.opening(close), close, definition);
    std::vector<Element> sorted = elements;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Element& a, const Element& b) { return a.declared < b.declared; });
    for (std::size_t i = elements.size(); i-- > 0;) {
      const std::size_t begin = tokens[elements[i].begin].begin;
      const std::size_t end = tokens[elements[i].end - 1].end;
      std::string element = tokens.joined(sorted[i].begin, sorted[i].end);
      element.append(static_cast<std::size_t>(
                         std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                    text.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                     '\n');
      result.replace(begin, end - begin, element);
      changed = true;
    }
  }
  return changed ? result : std::string();
}

}  // namespace davsim::driver
