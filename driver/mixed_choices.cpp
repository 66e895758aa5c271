#include "driver/mixed_choices.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "driver/tokens.hpp"

namespace davsim::driver {
namespace {

struct Refused {
  std::string file;
  std::size_t line;
  std::size_t column;  ///< of the ?, in bytes from 1
  bool operator<(const Refused& other) const {
    return std::tie(file, line, column) < std::tie(other.file, other.line, other.column);
  }
};

/// Without what colours it.
std::string plain(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\033') {
      text += line[i];
      continue;
    }
    while (i < line.size() && std::isalpha(static_cast<unsigned char>(line[i])) == 0) ++i;
  }
  return text;
}

/// The places of "file:line:column: error: operands to '?:' have different types ...".
std::set<Refused> refused_choices(const std::string& log) {
  std::set<Refused> places;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    line = plain(line);
    const std::size_t error = line.find(": error: operands to ");
    if (error == line.npos || line.find("have different types", error) == line.npos) continue;
    const std::size_t column = line.rfind(':', error - 1);
    const std::size_t number = column == line.npos ? line.npos : line.rfind(':', column - 1);
    if (number == line.npos) continue;
    places.insert({line.substr(0, number), std::strtoul(line.c_str() + number + 1, nullptr, 10),
                   std::strtoul(line.c_str() + column + 1, nullptr, 10)});
  }
  return places;
}

/// The column of `offset` in bytes, from 1.
std::size_t column_of(std::string_view text, std::size_t offset) {
  const std::size_t end = offset == 0 ? text.npos : text.rfind('\n', offset - 1);
  return end == text.npos ? offset + 1 : offset - end;
}

/// The operands behind the ? at `choice`: tokens [choice + 1, colon) and [colon + 1, end).
struct Sides {
  std::size_t colon = 0, end = 0;
};

/// `end` is 0 where they cannot be read.
Sides sides_of(const TokenList& tokens, std::size_t choice) {
  Sides sides;
  std::size_t inner = 0;  // choices of which the : is still to come
  for (std::size_t i = choice + 1; i < tokens.size(); ++i) {
    const std::string_view text = tokens.text(i);
    if (text == "(" || text == "[" || text == "{") {
      i = tokens.closing(i);
    } else if (text == "?") {
      ++inner;
    } else if (text == ":" && inner > 0) {
      --inner;
    } else if (text == ":" && sides.colon == 0) {
      sides.colon = i;
    } else if (text == ":" || text == ";" || text == ")" || text == "]" || text == "}" ||
               (text == "," && sides.colon != 0)) {
      sides.end = i;
      break;
    }
  }
  if (sides.colon <= choice + 1 || sides.end <= sides.colon + 1) sides.end = 0;
  return sides;
}

struct Addition {
  std::size_t at;
  std::string text;
};

void convert(const TokenList& tokens, std::size_t choice, std::vector<Addition>& insertions) {
  const Sides sides = sides_of(tokens, choice);
  if (sides.end == 0) return;
  const std::string first = tokens.joined(choice + 1, sides.colon);
  const std::string second = tokens.joined(sides.colon + 1, sides.end);
  insertions.push_back(
      {tokens[choice + 1].begin, " ::davsim::api::choice<decltype(" + second + ")>("});
  insertions.push_back({tokens[sides.colon - 1].end, ")"});
  insertions.push_back(
      {tokens[sides.colon + 1].begin, " ::davsim::api::choice<decltype(" + first + ")>("});
  insertions.push_back({tokens[sides.end - 1].end, ")"});
}

}  // namespace

std::size_t refused_choice_count(const std::string& log) {
  return refused_choices(log).size();
}

std::string with_equal_choices(const std::string& text, std::string_view name,
                               const std::string& log) {
  const std::set<Refused> refused = refused_choices(log);
  if (refused.empty()) return {};
  const TokenList tokens(text, name);
  std::vector<Addition> insertions;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "?")) continue;
    const Place place = tokens.place(i);
    if (refused.contains({place.file, place.line, column_of(text, tokens[i].begin)})) {
      convert(tokens, i, insertions);
    }
  }
  if (insertions.empty()) return {};
  std::stable_sort(insertions.begin(), insertions.end(),
                   [](const Addition& a, const Addition& b) { return a.at < b.at; });
  std::string result;
  std::size_t at = 0;
  for (const Addition& insertion : insertions) {
    result.append(text, at, insertion.at - at);
    result += insertion.text;
    at = insertion.at;
  }
  return result.append(text, at);
}

}  // namespace davsim::driver
